import { rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { once } from 'node:events'

/** A unix socket that leads to another until it is cut. */
export interface SocketProxy {
  readonly address: string
  /** Ends every connection, and takes no more until it is mended. */
  cut(): void
  /** Takes connections again. */
  mend(): Promise<void>
}

export async function proxySocket(path: string, target: string): Promise<SocketProxy> {
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(target)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket)
      socket.on('error', () => other.destroy()).on('close', () => open.delete(socket))
      socket.pipe(other)
    }
  })
  const listen = async () => {
    server.listen(path)
    await once(server, 'listening')
  }
  await listen()
  return {
    mend: listen,
    address: `unix://${path}`,
    cut: () => {
      server.close()
      for (const socket of open) socket.destroy()
      rmSync(path, { force: true })
    },
  }
}
