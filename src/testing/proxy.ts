import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { atEnd, type Ending } from './at-end.ts'

/** A wire between the forum and its database that can be cut, or go silent. */
export interface Proxy {
  /** The database's address, through the wire. */
  readonly url: string
  /** Nothing passes any more, and nobody is told: a frozen server, a lost network. */
  freeze(): void
  /** Ends what is connected and refuses what comes: a stopped server. */
  close(): Promise<void>
  /** As at first, on the same port. What was frozen is cut. */
  open(): Promise<void>
}

export async function aProxy(test: Ending, databaseUrl: string): Promise<Proxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let isFrozen = false
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    pass(near, far)
    pass(far, near)
  })
  function pass(from: Socket, to: Socket): void {
    sockets.add(from)
    from.on('data', (data) => isFrozen || to.write(data))
    from.on('error', () => to.destroy())
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
  }
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const close = async () => {
    const closed = server.listening ? new Promise((resolve) => server.close(resolve)) : null
    for (const socket of sockets) socket.destroy()
    await closed
  }
  await listen(0)
  atEnd(test, close)
  const { port } = server.address() as AddressInfo
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${port}`
  return {
    url: url.href,
    freeze: () => {
      isFrozen = true
    },
    close,
    open: async () => {
      await close()
      isFrozen = false
      await listen(port)
    },
  }
}
