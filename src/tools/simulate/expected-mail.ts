import type { Reason } from '../../database/schema.ts'
import type { Listener } from './listeners.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from './rhythm.ts'

/** A mail as somebody reads it: links of what it tells, and how often it says that an answer is accepted or endorsed. */
export interface ToldMail {
  readonly personId: number
  /** `12` for a question, `12#answer-3`, `12#reply-4`; in alphabetical order. */
  readonly links: readonly string[]
  readonly honours: number
}

/** What waits to be told of one question. Times in milliseconds. */
interface Waiting {
  readonly links: string[]
  honour: 'accepted' | 'endorsed' | null
  since: number
  due: number
  happenedAt: number
}

/** What is bundled: MAIL_SOON_SECONDS after the last, three times as long after the first at most. */
const BUNDLE_MS = 5 * MINUTE_MS
const LONGEST_BUNDLE_MS = 3 * BUNDLE_MS
const MORNING_HOUR = 8

/** The mails that one person must get. */
export class ExpectedMail {
  private readonly listener: Listener
  private readonly waiting = new Map<number, Waiting>()
  readonly mails: ToldMail[] = []

  constructor(listener: Listener) {
    this.listener = listener
  }

  /** Something happened that the person is told of. @param link null: no post, an answer of theirs was honoured */
  hear(question: number, reason: Reason, link: string | null, at: number): void {
    const { rhythm, off } = this.listener
    const known = this.waiting.get(question)
    if (known !== undefined) {
      known.happenedAt = at
      known.since = Math.min(known.since, at)
      known.due = Math.min(known.due, this.dueAt(at))
    }
    if (off.has(reason) || rhythm === 'never') return
    const due = this.dueAt(at)
    const waiting = known ?? { links: [], honour: null, since: at, due, happenedAt: at }
    if (link !== null) waiting.links.push(link)
    // Acceptance is the stronger of the two.
    if (reason === 'accepted' || (reason === 'endorsed' && waiting.honour === null)) waiting.honour = reason
    this.waiting.set(question, waiting)
  }

  /** A post was hidden before a mail told of it. */
  hide(question: number, link: string): void {
    const links = this.waiting.get(question)?.links ?? []
    const index = links.indexOf(link)
    if (index !== -1) links.splice(index, 1)
  }

  /** They read the question, wrote in it or muted it. */
  forget(question: number): void {
    this.waiting.delete(question)
  }

  /** What waits goes by the rhythm that they chose. */
  rhythmChanged(): void {
    if (this.listener.rhythm === 'never') this.waiting.clear()
    for (const waiting of this.waiting.values()) waiting.due = this.dueAt(waiting.since)
  }

  /** Writes the mail if its time has come. */
  write(now: number): void {
    const due = [...this.waiting].filter(([, waiting]) => waiting.due <= now)
    if (due.length === 0) return
    const last = Math.max(...due.map(([, { happenedAt }]) => happenedAt))
    const first = Math.min(...due.map(([, waiting]) => waiting.due))
    if (last > now - BUNDLE_MS && first > now - LONGEST_BUNDLE_MS) return
    for (const [question] of due) this.waiting.delete(question)
    if (due.every(([, { links, honour }]) => links.length === 0 && honour === null)) return
    this.mails.push({
      personId: this.listener.id,
      links: due.flatMap(([, { links }]) => links).toSorted(),
      honours: due.filter(([, { honour }]) => honour !== null).length,
    })
  }

  /** Eight in the morning where the person is, of the next day or the next Monday. */
  private dueAt(at: number): number {
    const { rhythm, offsetHours } = this.listener
    if (rhythm === 'soon' || rhythm === 'never') return at
    // Days begin at eight, the first of them, 1970-01-01, was a Thursday.
    const shift = (offsetHours - MORNING_HOUR) * HOUR_MS
    let day = Math.floor((at + shift) / DAY_MS) + 1
    while (rhythm === 'weekly' && day % 7 !== 4) day += 1
    return day * DAY_MS - shift
  }
}
