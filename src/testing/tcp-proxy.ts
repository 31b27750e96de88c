import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { atEnd, type Ending } from './at-end.ts'

/** Selects connections by the first bytes that their client sent. */
export type Which = (opening: string) => boolean

/** A proxy between two processes that can be cut, frozen and slowed down. */
export interface TcpProxy {
  readonly port: number
  /** Stops forwarding without closing: a frozen server, a lost network. New connections freeze too. */
  freeze(which?: Which): void
  /** Forwards again from now on. Data sent while frozen are lost. */
  thaw(): void
  /** Closes connections. */
  cut(which?: Which): void
  /** Closes each connection that is about to send this text, before it is forwarded. */
  cutAt(text: string): void
  /** @param bytesPerSecond per connection and direction; each chunk is delayed by `delay` milliseconds */
  slowDown(bytesPerSecond: number, delay?: number): void
  /** Closes all connections and refuses new ones: a stopped server. */
  close(): Promise<void>
  /** Works normally again, on the same port. Frozen connections are closed. */
  open(): Promise<void>
}

interface Connection {
  readonly near: Socket
  opening: string
}

const EVERY: Which = () => true

export async function startProxy(
  end: Ending,
  target: { readonly host: string; readonly port: number },
): Promise<TcpProxy> {
  const connections = new Set<Connection>()
  let isFrozen: Which = () => false
  let last: string | null = null
  let pace: { readonly bytesPerSecond: number; readonly delay: number } | null = null
  const server = createServer((near) => {
    const far = connect(target.port, target.host)
    const connection: Connection = { near, opening: '' }
    connections.add(connection)
    near.once('data', (data) => {
      connection.opening = data.toString('latin1')
    })
    pass(near, far, connection)
    pass(far, near, connection)
  })
  function pass(from: Socket, to: Socket, connection: Connection): void {
    from.on('data', async (data) => {
      if (last !== null && data.includes(last)) return void from.destroy()
      if (isFrozen(connection.opening)) return
      if (pace !== null) await passSlowly(from, data.length, pace)
      to.write(data)
    })
    from.on('error', () => to.destroy())
    from.on('close', () => {
      connections.delete(connection)
      to.destroy()
    })
  }
  const cut = (which: Which = EVERY) => {
    for (const { near, opening } of connections) if (which(opening)) near.destroy()
  }
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const close = async () => {
    const closed = server.listening ? new Promise((resolve) => server.close(resolve)) : null
    cut()
    await closed
  }
  await listen(0)
  atEnd(end, close)
  const { port } = server.address() as AddressInfo
  return {
    port,
    freeze: (which = EVERY) => {
      isFrozen = which
    },
    thaw: () => {
      isFrozen = () => false
    },
    cut,
    cutAt: (text) => {
      last = text
    },
    slowDown: (bytesPerSecond, delay = 0) => {
      pace = { bytesPerSecond, delay }
    },
    close,
    open: async () => {
      await close()
      isFrozen = () => false
      await listen(port)
    },
  }
}

/** Pauses until this chunk is through. */
async function passSlowly(
  from: Socket,
  bytes: number,
  { bytesPerSecond, delay }: { readonly bytesPerSecond: number; readonly delay: number },
): Promise<void> {
  from.pause()
  await sleep(delay + (bytes / bytesPerSecond) * 1000)
  from.resume()
}

/** The URL of a database through a proxy. */
export function throughProxy(databaseUrl: string, { port }: TcpProxy): string {
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${port}`
  return url.href
}
