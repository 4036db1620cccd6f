import { ensureImage } from '../../images/ensure-image.ts'
import { IMAGE_NAMES, type ImageName } from '../../images/definitions.ts'
import type { PinnedImage } from '../../images/deps.ts'
import { listImages, verifyImages, type ImageStatus } from '../../images/image-status.ts'
import { forgetImage } from '../../images/forget-image.ts'
import { readLocalLock } from '../../images/local-lock.ts'
import { Fault } from '../../specs/fault.ts'
import type { AddCommand } from './add-command.ts'

/** `assay images build|list|verify`. */
export const imagesCommand: AddCommand = (program, action) => {
  const images = program.command('images').description('the pinned images that boxes are made from')
  images
    .command('build')
    .argument(
      '[names...]',
      `of ${IMAGE_NAMES.join(', ')}; all when none is named; with --rebuild also a task's image, which its next run then builds`,
    )
    .option('--rebuild', 'build anew even what is there, and take over its name')
    .description('builds what is missing and pins it')
    .action(
      action(async (context, names) => {
        const { rebuild = false } = context.options as { rebuild?: boolean }
        const { ours, ofTasks } = sortNames(names)
        const deps = (await context.workshop()).images(context.view.note, context.signal)
        const lock = await readLocalLock(deps.stateDir)
        for (const name of ofTasks) {
          if (!rebuild || lock[name] === undefined) throw unknownImage(name)
        }
        // A task's image is built from its task, so all that can be done here is to make way for it.
        for (const name of ofTasks) {
          await forgetImage(deps, name)
          context.view.note(`${name}: forgotten; the next run of its task builds it`)
        }
        const built: PinnedImage[] = []
        for (const name of names.length === 0 ? IMAGE_NAMES : ours) {
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
        const lock = await readLocalLock(deps.stateDir)
        const wrong = await verifyImages(deps)
        context.print(wrong, () =>
          wrong.length > 0
            ? table(wrong)
            : Object.keys(lock).length === 0
              ? 'no image is built yet'
              : 'every pinned image is as it was pinned',
        )
        return wrong.length === 0 ? 0 : 2
      }),
    )
}

/** Names of ours, and names that could be a task's image in the lock. */
function sortNames(names: readonly string[]): {
  readonly ours: readonly ImageName[]
  readonly ofTasks: readonly string[]
} {
  const ofTasks = names.filter((name) => !IMAGE_NAMES.some((one) => one === name))
  for (const name of ofTasks) {
    if (!/^[a-z]+-/.test(name)) throw unknownImage(name)
  }
  return { ours: IMAGE_NAMES.filter((one) => names.includes(one)), ofTasks }
}

function unknownImage(name: string): Fault {
  return new Fault(
    'config/image-unknown',
    `image ${JSON.stringify(name)}: expected one of ${IMAGE_NAMES.join(', ')}, or with --rebuild one of assay images list`,
  )
}

function table(statuses: readonly ImageStatus[]): string {
  if (statuses.length === 0) return 'no image is pinned'
  return statuses
    .map(({ name, state, locked }) =>
      `${name.padEnd(24)} ${state.padEnd(10)} ${locked?.imageId ?? ''}`.trimEnd(),
    )
    .join('\n')
}
