import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { IS_GVISOR, skipWithoutRuntime } from '../../engine/sandbox/test-runtime.ts'
import { testExaminer, type TestExaminer } from './test-examiner.ts'

let host: TestExaminer
beforeEach(skipWithoutRuntime)
beforeAll(async () => {
  host = await testExaminer()
}, 600_000)
afterAll(async () => {
  expect(await host.close()).toEqual({ boxes: 0, volumes: 0, networks: 0 })
})

describe('a command check', () => {
  const cat = { 'bin/cat.js': `process.stdin.pipe(process.stdout); process.stderr.write('done\\n')` }

  it('shows exit code, output and the files that it observes', async () => {
    const tree = {
      'bin/make.js': `const fs = require('fs'); fs.mkdirSync('out'); fs.writeFileSync('out/a', fs.readFileSync('in') + process.env.MORE)
        fs.symlinkSync('/etc/passwd', 'link'); fs.writeFileSync('bytes', Buffer.from([255])); process.exit(3)`,
    }
    const observation = await host.observeOne(tree, {
      command: {
        argv: ['node', '{tree}/bin/make.js'],
        env: { MORE: ' at {tmp}' },
        files: { in: 'read' },
        observe: ['out/a', 'out', 'link', 'bytes', 'none', 'link/x', '../../../etc/passwd'],
      },
    })
    expect(observation).toEqual({
      outcome: 'exited',
      code: 3,
      signal: null,
      stdout: { text: '' },
      stderr: { text: '' },
      files: {
        'out/a': { kind: 'file', content: { text: 'read at /tmp/run/tmp' }, mode: 0o644 },
        out: { kind: 'directory', entries: ['a'] },
        link: { kind: 'link', target: '/etc/passwd' },
        bytes: { kind: 'file', content: { base64: '/w==' }, mode: 0o644 },
        none: { kind: 'absent' },
        'link/x': { kind: 'other' },
        '../../../etc/passwd': { kind: 'other' },
      },
      steps: [],
    })
  })

  const reach = (tries: readonly string[]) => ({
    'bin/reach.js': `const fs = require('fs'); const up = '/proc/' + process.ppid
      const tried = (work) => { try { work(); return 'done' } catch (error) { return error.code } }
      console.log([${tries.map((one) => `tried(() => ${one})`).join(', ')}].join())`,
  })

  it('is run by a host whose memory it cannot look into', async () => {
    const observation = await host.observeOne(
      reach([`fs.openSync(up + '/mem', 'r')`, `fs.openSync(up + '/mem', 'r+')`]),
      { command: { argv: ['node', '{tree}/bin/reach.js'] } },
    )
    expect(observation).toMatchObject({ outcome: 'exited', stdout: { text: 'EACCES,EACCES\n' } })
  })

  it('cannot write for its host: it cannot reach the channel, or is found out', async () => {
    const { observed, findings } = await host.observe(
      reach([`fs.readFileSync(up + '/maps')`, `fs.writeFileSync(up + '/fd/3', 'forged\\n')`]),
      [{ command: { argv: ['node', '{tree}/bin/reach.js'] } }],
    )
    // The kernel of gVisor shows whose descriptors they are, and lets any process of the same user open them.
    const [text, kinds] = IS_GVISOR ? ['done,done\n', ['forged-frame']] : ['EACCES,EACCES\n', []]
    expect(observed).toMatchObject([{ observation: { outcome: 'exited', stdout: { text } } }])
    expect(findings.map(({ kind }) => kind)).toEqual(kinds)
  })

  it('is not believed when it killed its host', async () => {
    const observation = await host.observeOne(
      { 'bin/kill.js': `process.kill(process.ppid, 'SIGKILL')` },
      { command: { argv: ['node', '{tree}/bin/kill.js'] } },
    )
    expect(observation).toMatchObject({ outcome: 'crashed', signal: 'SIGKILL' })
  })

  it('gives input, and its end', async () => {
    const observation = await host.observeOne(cat, {
      command: { argv: ['node', '{tree}/bin/cat.js'], stdin: 'a\nb' },
    })
    expect(observation).toMatchObject({ code: 0, stdout: { text: 'a\nb' }, stderr: { text: 'done\n' } })
  })

  it('ends what the program left behind before files are read', async () => {
    const tree = {
      'bin/late.sh': `#!/bin/sh\n(sleep 0.4; echo late >late) &\necho now\n`,
    }
    const observation = await host.observeOne(tree, {
      command: { argv: ['{tree}/bin/late.sh'], observe: ['late'] },
    })
    expect(observation).toMatchObject({
      code: 0,
      stdout: { text: 'now\n' },
      files: { late: { kind: 'absent' } },
    })
  })

  it.each([
    ['never ends', ['sleep', '60'], { outcome: 'timeout' }],
    ['floods its output', ['sh', '-c', 'yes'], { outcome: 'limit', limit: 'output' }],
    ['kills itself', ['sh', '-c', 'kill -TERM $$'], { outcome: 'exited', code: null, signal: 'SIGTERM' }],
    ['is not there', ['{tree}/bin/none'], { outcome: 'unreachable' }],
  ])('that %s', async (_name, argv, expected) => {
    expect(await host.observeOne(cat, { command: { argv }, timeoutMs: 800 })).toMatchObject(expected)
  })

  it('writes into a copy of the tree, and no other probe sees it', async () => {
    const write = {
      command: { argv: ['sh', '-c', 'cd {tree}; echo *; echo x >new'], observe: ['{tree}/new'] },
      writable: true,
    }
    const { observed, findings } = await host.observe({ f: '' }, [
      { row: 'one', ...write },
      { row: 'two', ...write },
    ])
    expect(findings).toEqual([])
    for (const { observation } of observed) {
      expect(observation).toMatchObject({
        code: 0,
        stdout: { text: 'f\n' },
        files: { '{tree}/new': { kind: 'file', content: { text: 'x\n' } } },
      })
    }
  })
})

describe('a check that gets a copy of its tree', () => {
  it('ends in the limit of the disk when the copy does not fit: nobody else is to blame', async () => {
    const scenarios = {
      'scenarios/one.mjs': 'export default () => 1',
      'scenarios/one.py': 'def scenario(ctx):\n    return 1\n',
    }
    const probes = Object.keys(scenarios).map((scenario) => ({ row: scenario, scenario, writable: true }))
    const tree = { large: 'x'.repeat(6 * 2 ** 20) }
    const limits = { tmpBytes: 4 * 2 ** 20 }
    const { observed, findings } = await host.observe(tree, probes, { scenarios, limits })
    expect(findings).toEqual([])
    expect(observed.map(({ observation }) => observation)).toEqual(
      probes.map(() => ({ outcome: 'limit', limit: 'disk', steps: [] })),
    )
  })
})

describe('a service check', () => {
  const server = {
    'server.js': `require('http').createServer((request, response) => {
      if (request.url === '/die') process.exit(1)
      response.end(request.url)
    }).listen(8080, '127.0.0.1')`,
    'server.py': `import http.server
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(self.path.encode())
http.server.HTTPServer(('127.0.0.1', 8080), H).serve_forever()
`,
  }
  const ready = { port: 8080, path: '/', timeoutMs: 5000 }
  const ask = `export default async ({ service, input }) => (await fetch(service.url + input)).text()`

  it('is driven by a scenario of its own process', async () => {
    const service = { argv: ['node', '{tree}/server.js'], cwd: 'tmp' as const, ready }
    expect(await host.observeOne(server, { service, input: '/a' }, ask)).toEqual({
      outcome: 'returned',
      value: '/a',
      steps: [],
    })
  })

  it('is driven by a scenario in Python', async () => {
    const service = { argv: ['python3', '{tree}/server.py'], cwd: 'tmp' as const, ready }
    const scenario = `import urllib.request
def scenario(ctx):
    return urllib.request.urlopen(ctx.service.url + ctx.input).read()
`
    expect(
      await host.observeOne(server, { service, input: '/b', scenario: 'scenarios/one.py' }, scenario),
    ).toMatchObject({ outcome: 'returned', value: { $t: 'bytes', base64: 'L2I=' } })
  })

  it('does not hang when the server dies', async () => {
    const service = { argv: ['node', '{tree}/server.js'], cwd: 'tmp' as const, ready }
    expect(await host.observeOne(server, { service, input: '/die' }, ask)).toMatchObject({
      outcome: 'threw',
      error: { name: 'TypeError', message: 'fetch failed' },
    })
  })

  it.each([
    ['ends before it is ready', ['node', '-e', '1']],
    ['never listens', ['sleep', '60']],
  ])('is unreachable when the server %s', async (_name, argv) => {
    const service = { argv, cwd: 'tmp' as const, ready: { ...ready, timeoutMs: 400 } }
    expect((await host.observeOne(server, { service, input: '/' }, ask)).outcome).toBe('unreachable')
  })

  it('leaves its port free for the next', async () => {
    const service = { argv: ['node', '{tree}/server.js'], cwd: 'tmp' as const, ready }
    const probes = ['one', 'two', 'three'].map((row) => ({
      row,
      service,
      scenario: 'scenarios/a.mjs',
      input: `/${row}`,
    }))
    const { observed, findings } = await host.observe(server, probes, {
      scenarios: { 'scenarios/a.mjs': ask },
    })
    expect(findings).toEqual([])
    expect(observed.map(({ observation }) => (observation as { value?: unknown }).value)).toEqual([
      '/one',
      '/two',
      '/three',
    ])
  })
})

describe('judges', () => {
  const { signal } = new AbortController()
  const judgeAll = (source: string, values: readonly number[]) =>
    host.examiner.judge({
      rules: new Map(
        values.map((value) => [
          `row-${value}`,
          {
            row: `row-${value}`,
            check: 'c',
            role: 'behaviour',
            split: 'feedback',
            judge: 'judges/j.mjs',
            seed: 5,
            input: value,
          },
        ]),
      ),
      files: new Map([
        ['judges/j.mjs', Buffer.from(source)],
        ['judges/lib/even.mjs', Buffer.from('export const isEven = (n) => n % 2 === 0')],
      ]),
      observed: values.map((value) => ({
        row: `row-${value}`,
        observation: { outcome: 'returned', value, steps: [] },
      })),
      base: new Map(),
      signal,
    })

  it('answer for each row, with a reason', async () => {
    const judge = `import { isEven } from './lib/even.mjs'
      export default ([observation], { seed, input }) => isEven(observation.value) ? { pass: true } : { pass: false, reason: input + ' is odd, seed ' + seed }`
    expect(await judgeAll(judge, [1, 2])).toEqual([
      { row: 'row-1', pass: false, mismatch: 'judge: 1 is odd, seed 5' },
      { row: 'row-2', pass: true },
    ])
  })

  it('say nothing about a row at which they hang or end, and answer about those after it', async () => {
    const judge = `export default ([{ value }]) => {
      if (value === 1) for (;;);
      if (value === 3) process.exit(0)
      return { pass: true }
    }`
    const silent = { pass: false, unanswered: true, mismatch: 'the judge did not answer in time' }
    expect(await judgeAll(judge, [0, 1, 2, 3, 4])).toEqual([
      { row: 'row-0', pass: true },
      { row: 'row-1', ...silent },
      { row: 'row-2', pass: true },
      { row: 'row-3', ...silent },
      { row: 'row-4', pass: true },
    ])
  })

  it('are not asked about the rest after three rows at which they were silent', async () => {
    const said = (await judgeAll('export default () => process.exit(0)', [0, 1, 2, 3, 4])).map(
      ({ unanswered, mismatch }) => (unanswered === true ? mismatch : 'an answer'),
    )
    expect(said).toEqual([
      ...Array<string>(3).fill('the judge did not answer in time'),
      ...Array<string>(2).fill('not asked: the judge was silent about 3 rows before'),
    ])
  })

  it.each([
    ['throws', `export default () => { throw new Error('no') }`, 'the judge threw: no'],
    [
      'answers something else',
      'export default () => true',
      'the judge did not answer {pass: boolean, reason?: string}',
    ],
    [
      'answers 1 for true',
      'export default () => ({ pass: 1 })',
      'the judge did not answer {pass: boolean, reason?: string}',
    ],
    [
      'answers by inheritance',
      'Object.prototype.pass = true; export default () => ({})',
      'the judge did not answer {pass: boolean, reason?: string}',
    ],
    ['does not load', 'export default (', expect.stringContaining('the judge could not be loaded')],
    ['ends its process', 'export default () => process.exit(0)', 'the judge did not answer in time'],
  ])('give no answer when one %s', async (_name, source, mismatch) => {
    expect(await judgeAll(source, [1])).toEqual([{ row: 'row-1', pass: false, unanswered: true, mismatch }])
  })
})
