import { stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { parseDocument } from 'yaml'
import type { z } from 'zod'
import { digestOf, digestOfBytes, type Digest } from '../../specs/digest.ts'
import { Fault } from '../../specs/fault.ts'
import { policyFileSchema, type Notify, type Policy } from '../../specs/policy.ts'
import { taskSchema, type Task } from '../../specs/task.ts'
import { describeIssues } from '../pure/config-problems.ts'
import { readRegularFile } from './read-regular-file.ts'
import { requireCheckSet } from './require-check-set.ts'

/** A task as it stands on disk, read and checked. */
export interface LoadedTask {
  readonly directory: string
  readonly task: Task
  readonly request: string
  readonly requestDigest: Digest
  /** Over the parsed task and the request: what a run must not mix with another. */
  readonly taskDigest: Digest
}

const MAX_REQUEST_BYTES = 1_000_000
const MAX_YAML_BYTES = 1_000_000

/**
 * Reads a task directory (or its `task.yaml`), with the check set where one was written beforehand.
 * @param overrides fields of the policy that replace the task's.
 * @throws Fault `config/task`, `config/check-set` that name the file, the field and what was expected.
 */
export async function loadTask(path: string, overrides: Partial<Policy> = {}): Promise<LoadedTask> {
  const directory = await taskDirectory(path)
  const parsed = await readYaml(join(directory, 'task.yaml'), taskSchema, 'config/task')
  const task: Task = { ...parsed, policy: { ...parsed.policy, ...overrides } }
  const file = join(directory, task.request)
  const what = 'the request (field "request" of task.yaml)'
  const request = await readRegularFile(file, what, MAX_REQUEST_BYTES, 'config/task')
  const text = request.toString('utf8')
  if (text.trim() === '') throw new Fault('config/task', `${file}: the request is empty`)
  const requestDigest = digestOfBytes(request)
  if (task.oracle.kind === 'files') await requireCheckSet(join(directory, task.oracle.directory), text)
  return {
    directory,
    task,
    request: text,
    requestDigest,
    taskDigest: digestOf({ task, request: requestDigest }),
  }
}

/** A policy file: the rules of a run, and who is told of what it holds. */
export interface PolicyFile {
  readonly policy: Policy
  readonly notify: Notify | undefined
}

/** Reads a policy file. @throws Fault `config/policy`. */
export async function loadPolicy(path: string): Promise<PolicyFile> {
  const { notify, ...policy } = await readYaml(resolve(path), policyFileSchema, 'config/policy')
  return { policy, notify }
}

async function taskDirectory(path: string): Promise<string> {
  const absolute = resolve(path)
  const found = await stat(absolute).catch(() => undefined)
  if (found?.isDirectory() === true) return absolute
  if (found !== undefined && basename(absolute) === 'task.yaml') return dirname(absolute)
  throw new Fault('config/task', `${path}: expected a task directory (with task.yaml and request.md)`)
}

async function readYaml<T extends z.ZodType>(
  path: string,
  schema: T,
  code: 'config/task' | 'config/policy',
): Promise<z.infer<T>> {
  const text = (await readRegularFile(path, undefined, MAX_YAML_BYTES, code)).toString('utf8')
  const document = parseDocument(text, { uniqueKeys: true, strict: true })
  const [problem] = document.errors
  if (problem !== undefined)
    throw new Fault(code, `${path}: ${problem.message.split('\n')[0]?.replace(/:\s*$/, '') ?? 'not YAML'}`)
  let data: unknown
  try {
    data = document.toJS({ maxAliasCount: 20 })
  } catch (cause) {
    throw new Fault(code, `${path}: too many aliases`, { cause })
  }
  const parsed = schema.safeParse(data)
  if (!parsed.success) throw new Fault(code, describeIssues(path, parsed.error))
  return parsed.data
}
