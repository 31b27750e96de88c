import type { ServerResponse } from 'node:http'
import type { Change } from '../changes/change.ts'

/** Somebody who has a question's page open. */
export interface Reader {
  readonly questionId: number
  readonly courseId: number
  /** null: a visitor. */
  readonly personId: number | null
  /** Where they are (web/network.ts). */
  readonly network: string
  readonly response: ServerResponse
}

/** Bytes that may wait for a reader who takes none: beyond them the connection is ended, and the browser makes another. */
const MOST_WAITING = 16_384

/** Who has which question open in this process, and tells them how many answers it has, as events (HTML, 9.2). */
export class Readers {
  private readonly byQuestion = new Map<number, Set<Reader>>()
  private readonly byNetwork = new Map<string, number>()
  private count = 0

  get size(): number {
    return this.count
  }

  /** How many of them are in one network. */
  countOf(network: string): number {
    return this.byNetwork.get(network) ?? 0
  }

  /** From now on until the connection ends. */
  add(reader: Reader): void {
    const readers = this.byQuestion.get(reader.questionId) ?? new Set()
    this.byQuestion.set(reader.questionId, readers.add(reader))
    reader.response.once('close', () => this.remove(reader))
    reader.response.on('error', () => this.remove(reader))
    this.count += 1
    this.byNetwork.set(reader.network, this.countOf(reader.network) + 1)
  }

  /** Tells one of them how many answers there are. */
  tell({ response }: Reader, count: number): void {
    write(response, answersEvent(count))
  }

  /** Tells readers of new answers. Whose right to read may have ended has to ask for it again. */
  hear(change: Change): void {
    if ('all' in change) {
      this.end(() => true)
    } else if ('question' in change) {
      const readers = this.byQuestion.get(change.question)
      if (change.isDeleted) this.end((reader) => reader.questionId === change.question)
      else if (change.change === 'posts')
        for (const reader of readers ?? []) this.tell(reader, change.answers)
    } else if ('course' in change) {
      if (change.change === 'course') this.end((reader) => reader.courseId === change.course)
    } else if ('person' in change) {
      if (change.change === 'access') this.end((reader) => reader.personId === change.person)
    }
  }

  /** A line that says nothing, so that whatever is in between keeps the connection. */
  keepAlive(): void {
    for (const { response } of this.all()) write(response, ':\n\n')
  }

  /** Ends connections; browsers open them again. */
  end(isMeant: (reader: Reader) => boolean): void {
    for (const reader of [...this.all()].filter(isMeant)) {
      this.remove(reader)
      reader.response.end()
    }
  }

  private remove(reader: Reader): void {
    const readers = this.byQuestion.get(reader.questionId)
    if (readers?.delete(reader) !== true) return
    this.count -= 1
    const others = this.countOf(reader.network) - 1
    if (others > 0) this.byNetwork.set(reader.network, others)
    else this.byNetwork.delete(reader.network)
    if (readers.size === 0) this.byQuestion.delete(reader.questionId)
  }

  private *all(): Generator<Reader> {
    for (const readers of this.byQuestion.values()) yield* readers
  }
}

/** The event for a number of answers. */
function answersEvent(count: number): string {
  return `event: answers\ndata: ${count}\n\n`
}

function write(response: ServerResponse, text: string): void {
  if (response.writableEnded || response.destroyed) return
  if (response.writableLength > MOST_WAITING) response.destroy()
  else response.write(text)
}
