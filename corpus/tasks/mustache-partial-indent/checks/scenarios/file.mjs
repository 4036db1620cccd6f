import { readFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
export default async ({ tree, input }) => createHash('sha256').update(readFileSync(join(tree, input))).digest('hex')
