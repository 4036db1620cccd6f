import { verifyImages } from '../../images/image-status.ts'
import { rebuildCommand } from '../../images/image-names.ts'
import { readLocalLock } from '../../images/local-lock.ts'
import { printable } from '../pure/printable.ts'
import { worstOf, type HostCheck } from '../pure/sandbox/host-verdicts.ts'
import { checkHost } from '../sandbox/host-checks.ts'
import type { AddCommand } from './add-command.ts'
import type { CommandContext } from './context.ts'

const MARKS = { ok: ['green', '✓'], warn: ['yellow', '!'], fail: ['red', '✗'] } as const

const NO_IMAGES: HostCheck = {
  name: 'images',
  state: 'warn',
  saw: 'no image is built yet',
  mend: 'assay images build; the first run does it, too',
}

/** `assay doctor`: what of the host is wrong and how to mend it. */
export const doctorCommand: AddCommand = (program, action) => {
  program
    .command('doctor')
    .description('says what of the host is wrong and how to mend it')
    .action(
      action(async (context) => {
        const checks = await examine(context)
        const worst = worstOf(checks)
        context.print({ state: worst, checks }, () =>
          checks.map((check) => checkText(check, context)).join('\n'),
        )
        return worst === 'fail' ? 4 : 0
      }),
    )
}

async function examine(context: CommandContext): Promise<readonly HostCheck[]> {
  const workshop = await context.workshop()
  const { dockerHost, runtime } = context.options
  const locked = await readLocalLock(workshop.state.root)
  const imageId = (locked['base'] ?? locked['node'])?.imageId
  const host = await checkHost(
    {
      stateDir: workshop.state.root,
      ...(dockerHost === undefined ? {} : { dockerHost }),
      ...(imageId === undefined ? {} : { imageId }),
      ...(runtime === undefined ? {} : { runtime }),
    },
    context.signal,
  )
  const isReachable = host.every(({ name, state }) => name !== 'engine' || state !== 'fail')
  if (!isReachable) return host
  const hasImages = Object.keys(locked).length > 0
  return [...host, hasImages ? await imagesCheck(context) : NO_IMAGES]
}

async function imagesCheck(context: CommandContext): Promise<HostCheck> {
  const wrong = await verifyImages(
    (await context.workshop()).images(context.view.note, context.signal),
  ).catch(() => undefined)
  if (wrong === undefined)
    return { name: 'images', state: 'warn', saw: 'the engine did not answer', mend: 'mend the engine first' }
  const [first] = wrong
  if (first === undefined)
    return { name: 'images', state: 'ok', saw: 'every pinned image is as it was pinned', mend: '' }
  return {
    name: 'images',
    state: first.state === 'mismatch' ? 'fail' : 'warn',
    saw: wrong.map(({ name, state }) => `${name} ${state}`).join(', '),
    mend: first.state === 'mismatch' ? rebuildCommand(first.name) : 'assay images build',
  }
}

function checkText({ name, state, saw, mend }: HostCheck, { brush }: CommandContext): string {
  const [colour, mark] = MARKS[state]
  const line = `${brush(colour, mark)} ${name.padEnd(16)} ${printable(saw, 200)}`
  return state === 'ok' || mend === '' ? line : `${line}\n  ${' '.repeat(16)} mend: ${printable(mend, 400)}`
}
