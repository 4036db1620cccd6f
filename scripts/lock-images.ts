/** Writes the recipe digests of the image definitions into images/lock.json. Run it after changing a definition. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { COMMITTED_LOCK } from '../images/committed-lock.ts'
import { IMAGE_NAMES } from '../images/definitions.ts'
import { recipeOf } from '../images/recipe.ts'

const images = Object.fromEntries(
  IMAGE_NAMES.map((name) => {
    const recipe = recipeOf(name)
    const before = COMMITTED_LOCK.images[name]
    // A registry's digest is of one recipe; with another recipe it would pin the wrong image.
    return [name, before?.recipe === recipe ? before : { recipe }]
  }),
)
const path = join(import.meta.dirname, '..', 'images', 'lock.json')
writeFileSync(path, `${JSON.stringify({ ...COMMITTED_LOCK, images }, null, 2)}\n`)
