import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PRODUCT_LIMITS } from '../../engine/pure/box-limits.ts'
import { TEST_STATE_DIR, testImages } from '../../engine/sandbox/docker-test-host.ts'
import { DockerSandbox } from '../../engine/sandbox/docker-sandbox.ts'
import { IS_GVISOR, testRuntime } from '../../engine/sandbox/test-runtime.ts'
import { GitTreeStore } from '../../engine/trees/git-tree-store.ts'
import type { FileMode } from '../../engine/trees/tree-writer.ts'
import { BoxExaminer } from '../../grader/examiner.ts'
import type { ImageDeps } from '../../images/deps.ts'
import { ensureImage } from '../../images/ensure-image.ts'
import { ensureTaskImage } from '../../images/task-image.ts'
import { makeWheel } from '../../images/test-wheel.ts'
import type { TreeId } from '../../specs/digest.ts'
import { expandCheckSet } from '../../specs/expand.ts'
import type { FrameworkName } from '../../specs/suite.ts'
import type { RestoredPath } from '../../specs/grade.ts'
import { PLAIN, type Varied } from '../../specs/surroundings.ts'

/** The seed that suites are tried with. */
export const SUITE_SEED = 'a'.repeat(64)

/** Go builds a test in ten seconds or so; where gVisor follows every system call, in minutes. */
const SUITE_TIMEOUT_MS = IS_GVISOR ? 280_000 : 60_000

/** Files by path; a link is its target in an object, a file that is gone is null. */
export type Files = Readonly<Record<string, string | { readonly linkTo: string } | null>>

/** What one run of a suite came to, row by row. */
export interface SuiteOutcome {
  /** By test: the framework's status, or the outcome when there is none. */
  readonly statuses: Readonly<Record<string, unknown>>
  readonly findings: readonly string[]
  readonly restored: readonly RestoredPath[]
  /** Every row passed and nothing was found. */
  readonly isClean: boolean
}

export interface SuiteStation {
  /** Runs a suite of sealed files on base with changes over it, in plain surroundings or those. */
  run(
    changes: Files,
    options?: { readonly times?: number; readonly timeoutMs?: number; readonly surroundings?: Varied },
  ): Promise<SuiteOutcome>
  close(): Promise<void>
}

/** A suite on the real engine, in the image that has its framework. */
export async function suiteStation(of: {
  readonly framework: FrameworkName
  readonly image: 'node' | 'python' | 'go'
  /** npm packages that the image has, as base would be developed with them. */
  readonly devDependencies?: Readonly<Record<string, string>>
  /** A Python library that the image has. */
  readonly library?: string
  readonly base: Files
  readonly sealed: Readonly<Record<string, string>>
  readonly tests: readonly string[]
  readonly others?: 'refuse' | 'ignore'
}): Promise<SuiteStation> {
  const { signal } = new AbortController()
  const sandbox = DockerSandbox.connect({ stateDir: TEST_STATE_DIR })
  const images = testImages()
  const scratch = await mkdtemp(join(tmpdir(), 'assay-suites-'))
  const id = await imageFor(of, images, scratch)
  const trees = await GitTreeStore.open(join(scratch, 'store'))
  const runId = `suites-${randomUUID()}`
  const examiner = new BoxExaminer({
    sandbox,
    trees,
    runId,
    productImage: id,
    judgeImage: () => Promise.resolve(id),
    limits: PRODUCT_LIMITS,
    workdir: '/box/tree',
    ...testRuntime(),
  })
  const base = await write(trees, of.base)
  return {
    async run(changes, options = {}) {
      const cases = of.tests.map((test, index) => ({ id: `t${index}`, test }))
      const { probes } = expandCheckSet({
        suites: [
          {
            id: 'unit',
            framework: of.framework,
            files: 'suites/unit',
            timeoutMs: options.timeoutMs ?? SUITE_TIMEOUT_MS,
            others: of.others ?? 'refuse',
          },
        ],
        checks: [
          {
            id: 'check',
            claim: 'claim',
            role: 'behaviour',
            split: 'feedback',
            suite: 'unit',
            writable: false,
            timeoutMs: 1000,
            seed: 0,
            cases,
          },
        ],
      })
      const seen = await examiner.observe({
        tree: await write(trees, { ...of.base, ...changes }),
        files: new Map(
          Object.entries(of.sealed).map(([path, text]) => [`suites/unit/${path}`, Buffer.from(text)]),
        ),
        probes,
        times: options.times ?? 1,
        surroundings: () => ({ ...PLAIN, ...options.surroundings }),
        orderSeed: 1,
        ground: { base, seed: SUITE_SEED },
        signal,
      })
      const statuses = Object.fromEntries(
        seen.observed.map(({ row, observation }) => [
          of.tests[cases.findIndex((one) => row === `check#${one.id}`)] ?? row,
          observation.outcome === 'returned' ? observation.value : observation.outcome,
        ]),
      )
      const isPassed = (value: unknown) => JSON.stringify(value) === '{"status":"passed"}'
      return {
        statuses,
        findings: seen.findings.map(({ kind, detail }) => `${kind}: ${detail}`),
        restored: seen.restored ?? [],
        isClean:
          seen.observed.length === of.tests.length * (options.times ?? 1) &&
          Object.values(statuses).every(isPassed) &&
          seen.findings.length === 0,
      }
    },
    async close() {
      await examiner.close()
      await sandbox.reap({ run: runId })
      await rm(scratch, { recursive: true })
    },
  }
}

/** The image's id, with the packages that are wanted. */
async function imageFor(
  { image, library, devDependencies = {} }: Parameters<typeof suiteStation>[0],
  images: ImageDeps,
  scratch: string,
): Promise<string> {
  const parent = await ensureImage(images, image)
  if (library === undefined) {
    const manifests = { 'package.json': Buffer.from(JSON.stringify({ devDependencies })) }
    return (await ensureTaskImage(images, { parent, kind: 'npm', manifests, dev: true })).image.id
  }
  const findLinks = join(scratch, 'wheels')
  await mkdir(findLinks)
  const wheel = await makeWheel(images, library, '1.0.0')
  await writeFile(join(findLinks, `${library}-1.0.0-py3-none-any.whl`), wheel)
  const manifests = { 'requirements.txt': Buffer.from(`${library}==1.0.0\n`) }
  return (await ensureTaskImage(images, { parent, kind: 'python', manifests, pip: { findLinks } })).image.id
}

async function write(trees: GitTreeStore, files: Files): Promise<TreeId> {
  return await trees.writeTree(
    Object.entries(files).flatMap(([path, content]) => {
      if (content === null) return []
      const mode: FileMode = typeof content === 'string' ? '100644' : '120000'
      return [{ path, mode, content: Buffer.from(typeof content === 'string' ? content : content.linkTo) }]
    }),
  )
}
