import type { FakeProgram } from './fake-box.ts'

/** One program that both kinds of sandbox can run: a shell script (arguments are `$1`…) and a function. */
interface Probe {
  readonly sh: string
  readonly fake: FakeProgram
}

const untilKilled = (signal: AbortSignal) =>
  new Promise<number>((resolve) => signal.addEventListener('abort', () => resolve(137), { once: true }))

/** What the contract suite runs. */
const PROBES = {
  'echo-args': {
    sh: 'for arg in "$@"; do printf "[%s]" "$arg"; done',
    fake: ({ argv, stdout }) => (
      stdout(
        argv
          .slice(1)
          .map((arg) => `[${arg}]`)
          .join(''),
      ),
      0
    ),
  },
  cat: { sh: 'cat', fake: ({ stdin, stdout }) => (stdout(stdin), 0) },
  'print-env': {
    sh: 'eval "printf %s \\"\\${$1-unset}\\""',
    fake: ({ argv, env, stdout }) => (stdout(env[argv[1] ?? ''] ?? 'unset'), 0),
  },
  cwd: { sh: 'pwd', fake: ({ cwd, stdout }) => (stdout(`${cwd}\n`), 0) },
  user: { sh: 'printf "%s:%s" "$(id -u)" "$(id -g)"', fake: ({ user, stdout }) => (stdout(user), 0) },
  exit: { sh: 'exit "$1"', fake: ({ argv }) => Number(argv[1]) },
  complain: { sh: 'echo out; echo err >&2', fake: (io) => (io.stdout('out\n'), io.stderr('err\n'), 0) },
  flood: {
    sh: 'while :; do echo 0123456789012345678901234567890123456789; done',
    fake: ({ stdout, signal }) => {
      const timer = setInterval(() => stdout('0123456789'.repeat(100)), 1)
      return untilKilled(signal).finally(() => clearInterval(timer))
    },
  },
  hang: {
    sh: 'echo started; sleep 600',
    fake: ({ stdout, signal }) => (stdout('started\n'), untilKilled(signal)),
  },
  leave: {
    sh: 'sleep 599 & exit 0',
    fake: ({ leave }) => (leave('sleep 599'), 0),
  },
  'read-file': { sh: 'cat "$1"', fake: ({ argv, files, stdout }) => (stdout(files.read(argv[1] ?? '')), 0) },
  'write-file': {
    sh: 'printf %s "$2" > "$1" || exit 1',
    fake: ({ argv, files }) => (files.write(argv[1] ?? '', argv[2] ?? ''), 0),
  },
  link: {
    sh: 'ln -s "$1" "$2"',
    fake: ({ argv, files }) => (files.symlink(argv[1] ?? '', argv[2] ?? ''), 0),
  },
  'eat-memory': {
    sh: 'head -c 400m /dev/zero | tail > /dev/null; sleep 600',
    fake: ({ exceed, signal }) => (exceed('memory'), untilKilled(signal)),
  },
  'eat-disk': {
    sh: 'i=0; while :; do head -c 1m /dev/zero > "$1/$i"; i=$((i+1)); sleep 0.01; done',
    fake: ({ argv, files, signal }) => {
      for (let i = 0; i < 100 && !signal.aborted; i++)
        files.write(`${argv[1] ?? ''}/${i}`, Buffer.alloc(2 ** 20))
      return untilKilled(signal)
    },
  },
  'eat-inodes': {
    sh: 'cd "$1" && i=0 && while [ $i -lt "$2" ]; do : > $i; i=$((i+1)); done',
    fake: ({ argv, files }) => {
      for (let i = 0; i < Number(argv[2]); i++) files.write(`${argv[1] ?? ''}/${i}`, '')
      return 0
    },
  },
} as const satisfies Record<string, Probe>

export type ProbeName = keyof typeof PROBES

/** The command line of a probe in a box that has `sh`. */
export function shellArgv(probe: ProbeName, ...args: string[]): [string, ...string[]] {
  return ['sh', '-c', PROBES[probe].sh, probe, ...args]
}

/** The command line of a probe in a fake box. */
export function fakeArgv(probe: ProbeName, ...args: string[]): [string, ...string[]] {
  return [probe, ...args]
}

/** The probes as a fake's programs. */
export function probePrograms(): Record<string, FakeProgram> {
  return Object.fromEntries(Object.entries(PROBES).map(([name, { fake }]) => [name, fake]))
}
