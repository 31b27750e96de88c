import type { ServerResponse } from 'node:http'
import type { Cursor } from '../../database/keyset.ts'
import type { Audience, Database } from '../../database/schema.ts'
import type { ReadableCourses } from '../../kernel/rights/visibility.ts'
import { type Change, touchesEverything } from '../../web/change-feed/change-feed.ts'
import { writeTo } from '../../web/event-stream.ts'
import type { QuestionFilter } from '../reading/list-filter.ts'
import { isNewer, type ListedFacts, newerQuestions } from '../reading/newer-questions.ts'

/**
 * Somebody who has a page open. On a question's page they are told of answers; on a list, whose courses may be many, of questions; at the
 * desk of a course that something on it changed; on any other page ('none') by watching.ts alone.
 */
export interface Reader {
  readonly questionId: number | 'none' | null
  /** Of the question, or of the desk. */
  readonly courseId: number | null
  readonly audience: Audience | null
  readonly list: ListWatch | null
  /** null: a visitor. */
  readonly personId: number | null
  /** Where they are (web/limits/limits.ts). */
  readonly network: string
  readonly response: ServerResponse
}

/** Who has which question or a list open in this process, and tells them how much is new, as events (HTML, 9.2). */
export class Readers {
  /** null: readers of lists, and at desks. */
  private readonly byQuestion = new Map<number | 'none' | null, Set<Reader>>()
  private readonly byNetwork = new Map<string, number>()
  private readonly told = new WeakMap<Reader, number>()
  private readonly toldStates = new WeakMap<Reader, string>()
  private count = 0

  get size(): number {
    return this.count
  }

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

  of(questionId: number): ReadonlySet<Reader> {
    return this.byQuestion.get(questionId) ?? new Set()
  }

  get hasLists(): boolean {
    return this.byQuestion.has(null)
  }

  /** Tells readers of lists what a changed question means for theirs. @param facts undefined: it was deleted */
  tellLists(questionId: number, facts: ListedFacts | undefined): void {
    for (const reader of this.byQuestion.get(null) ?? []) {
      const count = reader.list?.note(questionId, facts) ?? null
      if (count !== null) this.tell(reader, count)
    }
  }

  tellDesks(courseId: number): void {
    for (const reader of this.byQuestion.get(null) ?? []) {
      if (reader.list === null && reader.courseId === courseId)
        this.tell(reader, (this.told.get(reader) ?? 0) + 1)
    }
  }

  /** Says nothing that it said last. @param count of answers, or of new questions */
  tell(reader: Reader, count: number): void {
    if (this.told.get(reader) === count) return
    this.told.set(reader, count)
    writeTo(reader.response, `event: ${eventOf(reader)}\ndata: ${count}\n\n`)
  }

  /** @param state liveStateOf; nothing is said where it was the last one told */
  tellState(reader: Reader, state: string): void {
    if (this.toldStates.get(reader) === state) return
    this.toldStates.set(reader, state)
    writeTo(reader.response, `event: state\ndata: ${state}\n\n`)
  }

  /** Ends the connections of those whose right to read may have ended: they have to ask for it again. */
  hear(change: Change): void {
    const { question, course, person } = change
    if (person !== undefined) this.end((reader) => reader.personId === person)
    else if (question !== undefined) return
    // Lists over many courses may lose one, or get one.
    else if (course !== undefined) this.end(({ courseId }) => courseId === null || courseId === course)
    else if (touchesEverything(change)) this.end(() => true)
  }

  /** A line that says nothing, so that whatever is in between keeps the connection. */
  keepAlive(): void {
    for (const { response } of this.all()) writeTo(response, ':\n\n')
  }

  /** Browsers open the connections again. */
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

function eventOf(reader: Reader): 'answers' | 'questions' | 'desk' {
  if (reader.list !== null) return 'questions'
  return reader.questionId === null ? 'desk' : 'answers'
}

export class ListWatch {
  private readonly filter: QuestionFilter
  private readonly since: Cursor
  /** null: `begin` has not found out yet. */
  private courses: readonly number[] | null = null
  private newer = new Set<number>()
  /** Changed while `begin` was asking: it may have missed them. */
  private readonly early: { readonly id: number; readonly facts: ListedFacts | undefined }[] = []

  /** @param since the newest question on the page */
  constructor(filter: QuestionFilter, since: Cursor) {
    this.filter = filter
    this.since = since
  }

  /** Counts what is there by now. @returns how many are new */
  async begin(db: Database, readable: ReadableCourses): Promise<number> {
    const ids = await newerQuestions(db, this.filter, readable, this.since)
    this.newer = new Set(ids)
    this.courses = readable.ids
    for (const { id, facts } of this.early.splice(0)) this.note(id, facts)
    return this.newer.size
  }

  /**
   * Takes a changed question into account.
   * @param facts undefined: it was deleted
   * @returns how many are new; null: as many as before
   */
  note(id: number, facts: ListedFacts | undefined): number | null {
    const { courses, newer } = this
    if (courses === null) {
      this.early.push({ id, facts })
      return null
    }
    const before = newer.size
    if (facts !== undefined && isNewer(facts, this.filter, courses, this.since)) newer.add(id)
    else newer.delete(id)
    return newer.size === before ? null : newer.size
  }
}
