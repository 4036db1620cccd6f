import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Report } from '../engine/pure/report.ts'
import { GitTreeStore } from '../engine/trees/git-tree-store.ts'
import { documentOf } from './support/assay.ts'
import { BASE, REQUEST, worker, writeTask, type TaskChanges } from './support/double-task.ts'
import { eventsOf, openStation, type Station } from './support/station.ts'

const FIX = "sed -i 's/n + 1/n * 2/' index.js"
const EXAMPLE_ONLY = "sed -i 's/n + 1/n === 2 ? 4 : n + 1/' index.js"

let station: Station
let store: GitTreeStore
beforeAll(async () => {
  station = await openStation(['node', 'judge', 'worker'])
  store = await GitTreeStore.open(join(station.state, 'store.git'))
})
afterAll(() => station.close())

async function run(name: string, workers: readonly object[], changes: TaskChanges = {}) {
  const policy = { race: 'all', rounds: 1, ...changes.policy }
  const task = await writeTask(join(station.work, name), { ...changes, workers, policy })
  const seen = await station.json(['run', task])
  const report = documentOf(seen) as Report
  const lines = station.journal(report.run)
  /** A file of what an attempt left. */
  const fileOf = async (attempt: number, path: string) => {
    const tree = report.attempts[attempt - 1]?.tree
    const bytes = tree === undefined ? undefined : await store.readFile(tree, path)
    return bytes === undefined ? undefined : Buffer.from(bytes).toString('utf8')
  }
  const opened = (attempt: number) =>
    eventsOf(lines, 'opened').find(({ body }) => body.attempt === attempt)!.body
  const ends = eventsOf(lines, 'delivered').map(({ body }) => body.end)
  return { code: seen.code, report, lines, fileOf, opened, ends }
}

describe('a command in the worker box', () => {
  it('has the request and base with one commit, no network, and may write anywhere in its tree', async () => {
    const script = `
      set -e
      ${FIX}
      cp "$ASSAY_REQUEST" at-the-top.md
      mkdir -p new/folder
      git log --all --format=%H | wc -l > new/folder/commits
      git status --porcelain -- index.js > new/folder/status
      { git remote; git tag; git stash list; git reflog | tail -n +2; } > new/folder/more-history
      ls /sys/class/net > new/folder/interfaces
      ls /assay > new/folder/papers
      { node -e "fetch('http://1.1.1.1', { signal: AbortSignal.timeout(3000) }).then(() => console.log('reached'), (e) => console.log(e.cause.code))" ; } > new/folder/network
      pwd > new/folder/pwd
      id -u > new/folder/user`
    const { code, report, fileOf, lines } = await run('facts', [worker(script)])
    expect(code, JSON.stringify(report.attempts)).toBe(0)
    const facts = async (name: string) => (await fileOf(1, `new/folder/${name}`))?.trim()
    expect(await fileOf(1, 'at-the-top.md')).toBe(REQUEST)
    expect(await facts('commits')).toBe('1')
    expect(await facts('status')).toBe('M index.js')
    expect(await facts('more-history')).toBe('')
    expect(await facts('interfaces')).toBe('lo')
    expect(await facts('papers')).toBe('request.md')
    expect(await facts('network')).toBe('ENETUNREACH')
    expect(await facts('pwd')).toBe('/box/tree')
    expect(await facts('user')).toBe('20000')
    expect(eventsOf(lines, 'delivered')[0]?.body.end).toEqual({ kind: 'exited', code: 0 })
  })

  it('reads its program at /assay/program and gets its environment', async () => {
    const { code } = await run(
      'program',
      [{ kind: 'command', argv: ['sh', '/assay/program/fix.sh'], program: 'agent', env: { TO: 'n * 2' } }],
      { files: { 'agent/fix.sh': 'sed -i "s/n + 1/$TO/" index.js\n' } },
    )
    expect(code).toBe(0)
  })

  it('that fails after mending is verified, and one that succeeds without a change is refuted', async () => {
    const { report, ends } = await run('exits', [worker(`${FIX}; exit 7`), worker('exit 0')])
    expect(report.attempts.map(({ state }) => state)).toEqual(['verified', 'refuted'])
    expect(ends).toEqual(
      expect.arrayContaining([
        { kind: 'exited', code: 7 },
        { kind: 'exited', code: 0 },
      ]),
    )
  })
})

describe('feedback', () => {
  it('is k of n and nothing else, at the end of a quantum; the second round mends and is verified', async () => {
    const script = `
      if [ -z "$ASSAY_FEEDBACK" ]; then
        ${EXAMPLE_ONLY}; echo here > /tmp/from-round-one; echo kept > kept.txt; exit 0
      fi
      cp "$ASSAY_FEEDBACK" told.json
      ls /assay > papers
      ls -A /tmp > tmp
      env | grep -i assay | sort > env
      # Words of the sealed set, and what they would be found by.
      grep -rlE '5d0c no product|double#five|scenarios/' /assay /tmp /box /dev/shm /var /etc /home /root /run 2>/dev/null | grep -v '^/box/tree/words$' > words
      sed -i 's/n === 2 ? 4 : n + 1/n * 2/' index.js`
    const { code, report, lines, fileOf } = await run('told', [worker(script)], {
      policy: { rounds: 3, feedbackQuantumMs: 2000 },
    })
    expect(code, JSON.stringify(report.attempts)).toBe(0)
    expect(report.attempts[0]).toMatchObject({ state: 'verified', rounds: 2 })
    expect(await fileOf(1, 'told.json')).toBe('{"failed":1,"of":3}')
    expect(await fileOf(1, 'papers')).toBe('feedback.json\nrequest.md\n')
    expect(await fileOf(1, 'tmp')).toBe('')
    expect(await fileOf(1, 'kept.txt')).toBe('kept\n')
    expect(await fileOf(1, 'env')).toBe(
      'ASSAY_FEEDBACK=/assay/feedback.json\nASSAY_REQUEST=/assay/request.md\n',
    )
    expect(await fileOf(1, 'words')).toBe('')
    const [delivered] = eventsOf(lines, 'delivered')
    const [given] = eventsOf(lines, 'feedback-given')
    const tookMs = Date.parse(given!.at) - Date.parse(delivered!.at)
    expect(tookMs).toBeGreaterThanOrEqual(2000)
    // On the quantum, but for what a busy machine makes a timer late.
    expect(tookMs % 2000).toBeLessThan(700)
  })

  it('costs bits over all attempts together, and ends when the next reply would not fit', async () => {
    const { code, report, lines } = await run('bits', [worker(EXAMPLE_ONLY), worker('true')], {
      policy: { rounds: 5, feedbackQuantumMs: 0, feedbackBits: 3.9 },
    })
    expect(code).toBe(1)
    // Three deciding rows: log2(4) = 2 bits a reply, and two replies would be 4.
    const told = eventsOf(lines, 'decided').flatMap(({ body: { decision } }) =>
      decision.do === 'feedback' ? [decision.bits] : [],
    )
    expect(told).toEqual([2])
    expect(eventsOf(lines, 'feedback-given')).toHaveLength(1)
    expect(report.attempts.map(({ rounds }) => rounds).toSorted()).toEqual([1, 2])
  })
})

describe('a worker that hits a limit', () => {
  it('of time: what it left until then is graded', async () => {
    const { code, ends } = await run('time', [worker(`${FIX}; sleep 600`)], {
      policy: { workerTimeoutMs: 1500 },
    })
    expect(ends).toEqual([{ kind: 'timeout' }])
    expect(code).toBe(0)
  })

  it('of memory: it is delivered with that end, and the run goes on', async () => {
    const { code, ends, report } = await run('memory', [worker(`${FIX}; tail /dev/zero`)], {
      limits: { worker: { memoryMb: 64, tmpMb: 16 } },
    })
    expect(ends).toEqual([{ kind: 'limit', limit: 'memory' }])
    expect(code, JSON.stringify(report.attempts)).toBe(0)
  })

  it('of disk: there is nothing to open, and the attempt is refused', async () => {
    const bomb = 'i=0; while :; do head -c 1000000 /dev/zero > f$i; i=$((i + 1)); done'
    const { code, ends, report } = await run('disk', [worker(bomb)], { limits: { worker: { diskMb: 16 } } })
    expect(ends).toEqual([{ kind: 'limit', limit: 'disk' }])
    expect(report.attempts[0]).toMatchObject({ state: 'refused' })
    expect(code).toBe(1)
  })
})

describe('what a hostile worker leaves', () => {
  const RIGHT_WITH = {
    'a planted .git': `
      printf '#!/bin/sh\\ntouch /tmp/pwned\\n' > .git/hooks/post-checkout; chmod +x .git/hooks/post-checkout
      git config core.fsmonitor 'touch /tmp/pwned'; git config core.hooksPath .git/hooks
      printf 'index.js\\n' > .git/info/exclude; git update-index --assume-unchanged index.js`,
    'a commit of its own': 'git -c user.name=x -c user.email=x@x commit -qam done',
    'no .git at all': 'rm -rf .git',
    'a .gitignore that hides a file': "printf 'hidden.js\\nindex.js\\n' > .gitignore; echo 1 > hidden.js",
    'what base ignores': 'mkdir dist; echo 1 > dist/bundle.js; echo 1 > debug.log',
    'a link inside the tree': 'ln -s index.js main.js',
  }
  const REFUSED = {
    'a repository in a folder': 'git init -q sub; git -C sub commit -q --allow-empty -m x',
    'a .git file': 'mkdir sub; echo "gitdir: ../.git" > sub/.git',
    'a .GIT folder': 'mkdir .GIT; echo 1 > .GIT/config',
    'a link out of the tree': 'ln -s /etc/passwd passwd',
    'a link up and out': 'mkdir d; ln -s ../../../etc d/up',
    'a FIFO': 'mkfifo pipe',
    'a name with a control character': 'touch "$(printf \'a\\033[2Jb\')"',
    'names that collide': 'touch INDEX.js',
  }

  it('never hides a change, and never leaves its tree', async () => {
    const env = {
      GIT_AUTHOR_NAME: 'x',
      GIT_AUTHOR_EMAIL: 'x',
      GIT_COMMITTER_NAME: 'x',
      GIT_COMMITTER_EMAIL: 'x',
    }
    const scripts = [...Object.values(RIGHT_WITH), ...Object.values(REFUSED)]
    const { report, opened, fileOf } = await run(
      'hostile',
      scripts.map((script) => worker(`${FIX}\n${script}`, { env })),
    )
    const names = [...Object.keys(RIGHT_WITH), ...Object.keys(REFUSED)]
    const states = Object.fromEntries(
      report.attempts.map(({ attempt, state }) => [names[attempt - 1], state]),
    )
    const expected = (of: object, state: string) => Object.fromEntries(Object.keys(of).map((n) => [n, state]))
    expect(states).toEqual({ ...expected(RIGHT_WITH, 'verified'), ...expected(REFUSED, 'refused') })

    for (const [index] of Object.keys(RIGHT_WITH).entries()) {
      expect(await fileOf(index + 1, '.git/config')).toBeUndefined()
      expect(await fileOf(index + 1, 'index.js')).toBe(BASE['index.js'].replace('n + 1', 'n * 2'))
    }
    const at = (name: string) => names.indexOf(name) + 1
    expect(await fileOf(at('a .gitignore that hides a file'), 'hidden.js')).toBe('1\n')
    expect(opened(at('what base ignores')).ignored).toEqual(['debug.log', 'dist/'])
    expect(opened(at('what base ignores')).changed).toBe(1)

    const reasonOf = (name: string) => {
      const { gate } = opened(at(name))
      return gate.kind === 'refused' ? gate.refusals[0]?.reason : gate.kind
    }
    expect(Object.fromEntries(Object.keys(REFUSED).map((name) => [name, reasonOf(name)]))).toEqual({
      'a repository in a folder': 'dot-git',
      'a .git file': 'dot-git',
      'a .GIT folder': 'dot-git',
      'a link out of the tree': 'symlink-leaves-tree',
      'a link up and out': 'symlink-leaves-tree',
      'a FIFO': 'unreadable-output',
      'a name with a control character': 'unreadable-output',
      'names that collide': 'name-collision',
    })
  })
})
