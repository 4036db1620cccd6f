import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { stringify } from 'yaml'

/**
 * A task made for tests: a package of two functions, one of them wrong. Nobody's real code, and no measure of how good
 * checks are; for that see `corpus/`.
 */
export const BASE = {
  'package.json': `${JSON.stringify({ name: 'double-for-tests', version: '1.0.0', main: 'index.js' }, null, 2)}\n`,
  'index.js': 'exports.double = (n) => n + 1\nexports.half = (n) => n / 2\n',
  '.gitignore': 'dist/\n*.log\n',
  'docs/about.md': 'Doubles and halves.\n',
} as const

export const REQUEST = `# double() adds one instead of doubling

\`double(n)\` must return twice its number. \`half(n)\` stays as it is.
`

/** A diff that replaces the first line of index.js. */
export const patchOf = (line: string): string =>
  `diff --git a/index.js b/index.js\n--- a/index.js\n+++ b/index.js\n@@ -1,2 +1,2 @@\n-exports.double = (n) => n + 1\n+${line}\n exports.half = (n) => n / 2\n`

export const RIGHT = patchOf('exports.double = (n) => n * 2')
/** Right for the number of the request's example only. */
export const WRONG = patchOf('exports.double = (n) => (n === 2 ? 4 : n + 1)')

const check = (id: string, claim: string, role: string, scenario: string) => ({
  id,
  claim,
  role,
  scenario: `scenarios/${scenario}.mjs`,
})

export const CLAIMS = [
  {
    id: 'doubles',
    kind: 'change',
    statement: 'double(n) is 2n',
    spec_ref: '`double(n)` must return twice its number.',
  },
  { id: 'half', kind: 'keep', statement: 'half(n) is n/2', spec_ref: '`half(n)` stays as it is.' },
]

/** What double() leaves alone. */
export const HALF = { ...check('half', 'half', 'guard', 'half'), input: 8, expect: { asBase: true } }

/** Three deciding rows and a canary. */
export const CHECKS = {
  version: 1,
  claims: CLAIMS,
  checks: [
    {
      ...check('double', 'doubles', 'behaviour', 'double'),
      cases: [
        { id: 'two', input: 2, expect: { returns: 4 } },
        { id: 'five', input: 5, expect: { returns: 10 } },
      ],
    },
    HALF,
    {
      id: 'canary',
      role: 'canary',
      scenario: 'scenarios/double.mjs',
      input: 1,
      expect: { returns: '5d0c no product returns this' },
    },
  ],
  trials: [],
}

/** As {@link CHECKS} with a behaviour row that base passes already: admission refuses it. */
export const CHECKS_NOT_ADMITTED = {
  ...CHECKS,
  checks: CHECKS.checks.map((one) =>
    one.id === 'double' ? { ...one, cases: [{ id: 'one', input: 1, expect: { returns: 2 } }] } : one,
  ),
}

const SCENARIOS = {
  'scenarios/double.mjs': "export default async ({ load, input }) => (await load('.')).double(input)\n",
  'scenarios/half.mjs': "export default async ({ load, input }) => (await load('.')).half(input)\n",
}

/** Files of a check set. */
export const setFiles = (checks: unknown = CHECKS): Record<string, string> => ({
  'checks.json': `${JSON.stringify(checks, null, 2)}\n`,
  ...SCENARIOS,
})

/**
 * The set told in test files.
 * @param of.tests ids of three tests: two of double(), one of half().
 * @param of.right the right diff, as a trial.
 */
export const suiteSetFiles = (of: {
  readonly framework: string
  readonly path: string
  readonly source: string
  readonly tests: readonly string[]
  readonly right: string
}) => {
  const [two, five, half] = of.tests
  const behaviour = {
    id: 'double',
    claim: 'doubles',
    role: 'behaviour',
    suite: 'unit',
    cases: [
      { id: 'two', test: two },
      { id: 'five', test: five },
    ],
  }
  return {
    'checks.json': JSON.stringify({
      version: 1,
      claims: CLAIMS,
      suites: [{ id: 'unit', framework: of.framework, files: 'suites/unit' }],
      checks: [behaviour, { id: 'half', claim: 'half', role: 'guard', suite: 'unit', test: half }],
      trials: [{ id: 'right', diff: 'trials/right.diff', expect: 'verified' }],
    }),
    [`suites/unit/${of.path}`]: of.source,
    'trials/right.diff': of.right,
  }
}

/** The quickest policy that still decides: two runs at admission, one on an output, feedback every second. */
export const QUICK = { admissionRuns: 2, repeats: 1, feedbackQuantumMs: 1000 } as const

/** A worker that is a shell script. */
export const worker = (script: string, more: object = {}) => ({
  kind: 'command',
  argv: ['sh', '-c', script],
  label: 'made for tests',
  ...more,
})
export const patch = (file: string) => ({ kind: 'patch', file })

/** What a task differs in from the plain one. */
export interface TaskChanges {
  readonly id?: string
  readonly base?: Readonly<Record<string, string>> | object
  readonly baseFiles?: Readonly<Record<string, string>>
  readonly request?: string
  readonly workers?: readonly object[]
  readonly oracle?: object
  readonly checks?: Readonly<Record<string, string>>
  readonly policy?: object
  readonly limits?: object
  readonly image?: unknown
  readonly dependencies?: 'install' | 'install-dev' | 'none'
  /** Other files of the task directory. */
  readonly files?: Readonly<Record<string, string>>
}

/** Writes a task directory. Its check set is written beforehand unless `oracle` says otherwise. */
export async function writeTask(directory: string, changes: TaskChanges = {}): Promise<string> {
  const task = {
    version: 1,
    id: changes.id ?? 'double-for-tests',
    base: changes.base ?? { from: 'directory', path: 'base' },
    image: changes.image ?? 'node',
    workers: changes.workers ?? [],
    oracle: changes.oracle ?? { kind: 'files', directory: 'checks' },
    policy: { ...QUICK, ...changes.policy },
    ...(changes.dependencies === undefined ? {} : { dependencies: changes.dependencies }),
    ...(changes.limits === undefined ? {} : { limits: changes.limits }),
    provenance: 'made for tests',
  }
  await writeFiles(directory, {
    'task.yaml': stringify(task),
    'request.md': changes.request ?? REQUEST,
    'right.diff': RIGHT,
    'wrong.diff': WRONG,
    ...changes.files,
  })
  await writeFiles(join(directory, 'base'), changes.baseFiles ?? BASE)
  await writeFiles(join(directory, 'checks'), changes.checks ?? setFiles())
  return directory
}

/** Writes text files by relative path. */
export async function writeFiles(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}
