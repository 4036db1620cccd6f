/**
 * A program that tries to get out of its box, and to see what is none of its business: as the source of a CommonJS
 * module that exports one asynchronous function. What it gives is what it saw; it never throws.
 * @param secrets words that only other boxes hold.
 */
export const lookAround = (secrets: readonly string[]): string => `
const fs = require('node:fs'), net = require('node:net'), dns = require('node:dns'), os = require('node:os')
const { spawnSync } = require('node:child_process')
const tried = (work) => { try { work(); return 'done' } catch (error) { return error.code ?? String(error) } }
const connect = (options) => new Promise((resolve) => {
  const socket = net.connect({ timeout: 3000, ...options })
  const end = (what) => { socket.destroy(); resolve(what) }
  socket.on('connect', () => end('connected')).on('error', ({ code }) => end(code)).on('timeout', () => end('timeout'))
})
const read = (path) => { try { return fs.readFileSync(path, 'latin1') } catch { return '' } }
const list = (path) => { try { return fs.readdirSync(path) } catch { return [] } }
const run = (argv) => { const { status, error } = spawnSync(argv[0], argv.slice(1), { stdio: 'ignore' }); return error?.code ?? (status === 0 ? 'done' : 'refused') }
/** Everything that can be read of every process, and of the places where things are left. */
const all = () => [
  ...list('/proc').filter((name) => /^\\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => ['cmdline', 'environ', 'comm'].map((file) => read('/proc/' + pid + '/' + file))),
  ...['/tmp', '/dev/shm', '/dev/mqueue', '/var/tmp', '/run', '/mnt', '/media'].flatMap((folder) => [folder, ...list(folder), ...list(folder).map((name) => read(folder + '/' + name))]),
  read('/proc/net/unix'), read('/proc/net/tcp'),
].join(' ')
module.exports = async () => ({
  network: {
    bridge: await connect({ host: '172.17.0.1', port: 22 }),
    metadata: await connect({ host: '169.254.169.254', port: 80 }),
    internet: await connect({ host: '1.1.1.1', port: 443 }),
    otherBox: await connect({ host: '127.0.0.1', port: 7777 }),
    abstract: await connect({ path: '\\0other-box' }),
    name: await dns.promises.lookup('example.com').then(() => 'found', () => 'unknown'),
    interfaces: Object.keys(os.networkInterfaces()),
  },
  engine: ['/var/run/docker.sock', '/run/docker.sock', '/var/lib/docker', '/run/containerd', '/host'].filter((path) => fs.existsSync(path)),
  secrets: ${JSON.stringify(secrets)}.filter((secret) => all().includes(secret)),
  privileges: {
    uid: process.getuid() === 0 ? 'root' : 'none',
    capabilities: /CapEff:\\s*0+\\n/.test(read('/proc/self/status')) && /CapBnd:\\s*0+\\n/.test(read('/proc/self/status')) ? 'none' : 'some',
    newPrivileges: /NoNewPrivs:\\s*1/.test(read('/proc/self/status')) ? 'never' : 'possible',
    become: tried(() => process.setuid(0)),
    namespace: run(['unshare', '-Ur', 'true']),
    mount: run(['mount', '-t', 'tmpfs', 'none', '/mnt']),
    device: run(['mknod', '/tmp/device', 'b', '7', '0']),
    kernel: tried(() => fs.writeFileSync('/proc/sys/kernel/core_pattern', 'x')),
    cgroup: tried(() => fs.mkdirSync('/sys/fs/cgroup/x')) === 'done' ? 'done' : 'refused',
    root: tried(() => fs.writeFileSync('/x', '')),
    first: tried(() => process.kill(1, 'SIGKILL')),
  },
})
`

/** What {@link lookAround} sees in a box, whichever kind it is. */
export const NOTHING = {
  network: {
    bridge: 'ENETUNREACH',
    metadata: 'ENETUNREACH',
    internet: 'ENETUNREACH',
    otherBox: 'ECONNREFUSED',
    abstract: 'ECONNREFUSED',
    name: 'unknown',
    interfaces: ['lo'],
  },
  engine: [],
  secrets: [],
  privileges: {
    uid: 'none',
    capabilities: 'none',
    newPrivileges: 'never',
    become: 'EPERM',
    namespace: 'refused',
    mount: 'refused',
    device: 'refused',
    kernel: 'EROFS',
    cgroup: 'refused',
    root: 'EROFS',
    first: 'EPERM',
  },
} as const
