import { ensureImage } from '../../images/ensure-image.ts'
import { IMAGE_NAMES, type ImageName } from '../../images/definitions.ts'
import type { PinnedImage } from '../../images/deps.ts'
import { listImages, verifyImages, type ImageStatus } from '../../images/image-status.ts'
import { Fault } from '../../specs/fault.ts'
import type { AddCommand } from './add-command.ts'

/** `assay images build|list|verify`. */
export const imagesCommand: AddCommand = (program, action) => {
  const images = program.command('images').description('the pinned images that boxes are made from')
  images
    .command('build')
    .argument('[names...]', `of ${IMAGE_NAMES.join(', ')}; all when none is named`)
    .option('--rebuild', 'build anew even what is there, and take over its name')
    .description('builds what is missing and pins it')
    .action(
      action(async (context, names) => {
        const { rebuild = false } = context.options as { rebuild?: boolean }
        const deps = (await context.workshop()).images(context.view.note, context.signal)
        const built: PinnedImage[] = []
        for (const name of names.length === 0 ? IMAGE_NAMES : names.map(imageName)) {
          built.push(await ensureImage(deps, name, { rebuild }))
        }
        context.print(built, () => built.map(({ name, id }) => `${name.padEnd(8)} ${id}`).join('\n'))
        return 0
      }),
    )
  images
    .command('list')
    .description('what is pinned and what the engine has')
    .action(
      action(async (context) => {
        const deps = (await context.workshop()).images(context.view.note, context.signal)
        const found = await listImages(deps)
        context.print(found, () => table(found))
        return 0
      }),
    )
  images
    .command('verify')
    .description('exit 2 unless the engine has exactly what is pinned')
    .action(
      action(async (context) => {
        const deps = (await context.workshop()).images(context.view.note, context.signal)
        const wrong = await verifyImages(deps)
        context.print(wrong, () =>
          wrong.length === 0 ? 'every pinned image is as it was pinned' : table(wrong),
        )
        return wrong.length === 0 ? 0 : 2
      }),
    )
}

function imageName(name: string): ImageName {
  const found = IMAGE_NAMES.find((one) => one === name)
  if (found === undefined) {
    throw new Fault(
      'config/image-unknown',
      `image ${JSON.stringify(name)}: expected one of ${IMAGE_NAMES.join(', ')}`,
    )
  }
  return found
}

function table(statuses: readonly ImageStatus[]): string {
  if (statuses.length === 0) return 'no image is pinned'
  return statuses
    .map(({ name, state, locked }) =>
      `${name.padEnd(24)} ${state.padEnd(10)} ${locked?.imageId ?? ''}`.trimEnd(),
    )
    .join('\n')
}
