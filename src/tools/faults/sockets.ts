import { readdir, readlink } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { atEnd, type Ending } from '../../testing/at-end.ts'
import { CannotRun } from './fault.ts'

/** Raw connections, for what no browser does. */
export class Sockets {
  private readonly all = new Set<Socket>()

  constructor(end: Ending) {
    atEnd(end, async () => this.destroy())
  }

  /**
   * @param text sent at once.
   * @throws Error when the connection is refused
   */
  async connect(port: number, text = ''): Promise<Socket> {
    const socket = connect(port, '127.0.0.1')
    this.all.add(socket)
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

/** What a server sends until it closes the connection or the timeout in milliseconds, and whether it closed it. */
export async function answerOf(
  socket: Socket,
  timeoutMs: number,
): Promise<{ readonly text: string; readonly isOver: boolean }> {
  const parts: string[] = []
  const ended = new Promise<true>((resolve) => socket.once('close', () => resolve(true)))
  socket.setEncoding('latin1').on('data', (text: string) => parts.push(text))
  const isOver = await Promise.race([ended, sleep(timeoutMs, false, { ref: false })])
  socket.destroy()
  return { text: parts.join(''), isOver }
}

/** Sends a text in small pieces until the end, or until the other side closes. */
export async function drip(socket: Socket, text: string, pause: number): Promise<void> {
  for (const character of text) {
    if (socket.destroyed || !socket.writable) return
    socket.write(character)
    await sleep(pause, undefined, { ref: false })
  }
}

/**
 * Number of connections of a process.
 * @throws CannotRun where the system does not tell
 */
export async function connectionsOf(pid: number): Promise<number> {
  const folder = `/proc/${pid}/fd`
  const names = await readdir(folder).catch(() => {
    throw new CannotRun('connections of a process can be counted on Linux only')
  })
  const targets = await Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => '')))
  return targets.filter((target) => target.startsWith('socket:')).length
}
