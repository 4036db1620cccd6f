import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { notifySchema, type Notify } from '../../specs/policy.ts'
import type { Workshop } from '../workshop.ts'
import { heldRun, type HeldRun } from './held.ts'
import { runPaths } from './read-run.ts'

const COMMAND_TIMEOUT_MS = 60_000
const WEBHOOK_TIMEOUT_MS = 10_000
const MAX_STDERR_CHARACTERS = 500

/** Keeps who is told beside the journal, for the user only: an address may hold a secret. */
export async function keepNotify(directory: string, notify: Notify): Promise<void> {
  await writeFile(runPaths(directory).notify, JSON.stringify(notify), { flush: true, mode: 0o600 })
}

/** Tells whom a run was given that it is held. What goes wrong is a note: the run is held either way. */
export async function tellOfHold(
  { state }: Pick<Workshop, 'state'>,
  directory: string,
  note: (line: string) => void,
): Promise<void> {
  const text = await readFile(runPaths(directory).notify, 'utf8').catch(() => undefined)
  if (text === undefined) return
  const held = await heldRun(state, directory)
  if (held === undefined) return
  for (const problem of await notifyHeld(notifySchema.parse(JSON.parse(text)), held)) note(problem)
}

/**
 * Tells a command, an address or both of a run that is held. Nothing depends on it: what goes wrong is said and the run
 * is held as before.
 * @returns what went wrong, in words; empty when all were told.
 */
export async function notifyHeld({ command, webhook }: Notify, held: HeldRun): Promise<readonly string[]> {
  const document = JSON.stringify({ version: 1, event: 'held', ...held })
  const told = await Promise.allSettled([
    ...(command === undefined ? [] : [tellCommand(command, document)]),
    ...(webhook === undefined ? [] : [tellWebhook(webhook, document)]),
  ])
  return told.flatMap((one) =>
    one.status === 'rejected'
      ? [`notify: ${one.reason instanceof Error ? one.reason.message : String(one.reason)}`]
      : [],
  )
}

function tellCommand([program, ...args]: readonly [string, ...string[]], document: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ['pipe', 'ignore', 'pipe'],
      timeout: COMMAND_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    })
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (stderr.length < MAX_STDERR_CHARACTERS) stderr += text
    })
    // A command that does not read its stdin says so by its exit code, or does not care.
    child.stdin.on('error', () => undefined)
    child.once('error', (error) => reject(new Error(`${program}: ${error.message}`)))
    child.once('close', (code, signal) => {
      if (code === 0) resolve()
      else
        reject(
          new Error(
            `${program}: ${signal ?? `exit ${code ?? ''}`} ${stderr.slice(0, MAX_STDERR_CHARACTERS)}`.trim(),
          ),
        )
    })
    child.stdin.end(document)
  })
}

/** An address may hold a secret, so only its host is ever shown. */
async function tellWebhook(webhook: string, document: string): Promise<void> {
  const { host } = new URL(webhook)
  try {
    const answer = await fetch(webhook, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: document,
      redirect: 'error',
      signal: AbortSignal.timeout(WEBHOOK_TIMEOUT_MS),
    })
    await answer.body?.cancel()
    if (!answer.ok) throw new Error(`status ${answer.status}`)
  } catch (error) {
    throw new Error(`${host}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}
