import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { atEnd, type Ending } from '../testing/at-end.ts'

/** Connections by hand, which do what no browser does. */
export class Sockets {
  private readonly all = new Set<Socket>()

  constructor(end: Ending) {
    atEnd(end, async () => this.destroy())
  }

  /** Connections that the server has not ended. */
  get open(): number {
    return [...this.all].filter((socket) => !socket.destroyed && !socket.readableEnded).length
  }

  /** @param text what is sent at once. @throws Error when nobody takes it */
  async connect(port: number, text = ''): Promise<Socket> {
    const socket = connect(port, '127.0.0.1')
    this.all.add(socket)
    // What the server does to it is seen by `open`.
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    socket.on('error', () => undefined)
    if (text !== '') socket.write(text)
    return socket
  }

  destroy(): void {
    for (const socket of this.all) socket.destroy()
    this.all.clear()
  }
}

/** What a server sends, as long as it does, up to so many milliseconds. */
export async function answerOf(socket: Socket, patience: number): Promise<string> {
  const parts: string[] = []
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.setEncoding('latin1').on('data', (text: string) => parts.push(text))
  await Promise.race([ended, sleep(patience, undefined, { ref: false })])
  socket.destroy()
  return parts.join('')
}

/** Sends a text bit by bit until it is through or the other side has ended. */
export async function drip(socket: Socket, text: string, pause: number): Promise<void> {
  for (const character of text) {
    if (socket.destroyed || !socket.writable) return
    socket.write(character)
    await sleep(pause, undefined, { ref: false })
  }
}
