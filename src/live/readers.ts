import type { ServerResponse } from 'node:http'
import type { Change } from '../changes/change.ts'

/** Somebody who has a question's page open. */
export interface Reader {
  readonly questionId: number
  readonly courseId: number
  /** null: a visitor. */
  readonly personId: number | null
  readonly response: ServerResponse
}

/** Bytes that may wait for a reader who takes none: beyond them the connection is ended, and the browser makes another. */
const MOST_WAITING = 16_384

/** Who has which question open in this process, and tells them how many answers it has, as events (HTML, 9.2). */
export class Readers {
  private readonly byQuestion = new Map<number, Set<Reader>>()
  private count = 0

  get size(): number {
    return this.count
  }

  /** From now on until the connection ends. */
  add(reader: Reader): void {
    const readers = this.byQuestion.get(reader.questionId) ?? new Set()
    this.byQuestion.set(reader.questionId, readers.add(reader))
    this.count += 1
    reader.response.once('close', () => {
      this.count -= 1
      readers.delete(reader)
      if (readers.size === 0) this.byQuestion.delete(reader.questionId)
    })
  }

  /** Tells readers of new answers. Whose right to read may have ended has to ask for it again. */
  hear(change: Change): void {
    if ('all' in change) {
      this.end(() => true)
    } else if ('question' in change) {
      const readers = this.byQuestion.get(change.question)
      if (readers !== undefined && change.change === 'posts') tell(readers, change.answers)
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
    for (const reader of [...this.all()]) if (isMeant(reader)) reader.response.end()
  }

  private *all(): Generator<Reader> {
    for (const readers of this.byQuestion.values()) yield* readers
  }
}

/** The event for a number of answers. */
export function answersEvent(count: number): string {
  return `event: answers\ndata: ${count}\n\n`
}

function tell(readers: ReadonlySet<Reader>, count: number): void {
  const event = answersEvent(count)
  for (const { response } of readers) write(response, event)
}

function write(response: ServerResponse, text: string): void {
  if (response.writableLength > MOST_WAITING) response.destroy()
  else response.write(text)
}
