import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { setFollowing } from '../../forum/follows/following.ts'
import { saveMailChoices } from '../../forum/mailing/choices.ts'
import type { NotifierOptions } from '../../forum/mailing/notifier.ts'
import { markRead } from '../../forum/telling/read.ts'
import type { Random } from '../generate/random.ts'
import { Expected } from './expected.ts'
import type { Listeners } from './listeners.ts'
import { mailAt } from './mail-clock.ts'
import { DAY_MS, HOUR_MS, later, MINUTE_MS } from './rhythm.ts'
import type { Done } from './staff.ts'
import type { Thread } from './threads.ts'

/** What happens beside posts: mails are written, somebody reads or mutes what they were told of, or chooses another rhythm. */
export type Heard =
  | { readonly what: 'mail' }
  | { readonly what: 'read' | 'mute'; readonly personId: number; readonly questionId: number }
  | { readonly what: 'rhythm'; readonly personId: number }

/** Shares of those who were told, and the median of what they wait: assumed. */
const READS = 0.4
const MUTES = 0.02
const READS_AFTER = 2 * HOUR_MS
/** Of learners: who changes how often mail comes, in a course. */
const CHANGES = 0.05
/** Eight o'clock where people are, as hours of UTC. */
const MORNINGS = [8, 23] as const
const BUNDLE_MS = 5 * MINUTE_MS

/** Tells people of a simulated course, has them read it, and keeps beside the forum what they must have been told. */
export class Hearing {
  readonly expected: Expected
  private readonly app: FastifyInstance
  private readonly listeners: Listeners
  private readonly random: Random
  private readonly enter: (at: number, heard: Heard) => void
  private readonly mailing: NotifierOptions
  /** Staff act up to this time in one go: whoever reads or mails meanwhile does so afterwards. */
  private busyUntil = 0

  constructor(
    app: FastifyInstance,
    listeners: Listeners,
    random: Random,
    enter: (at: number, heard: Heard) => void,
  ) {
    this.app = app
    this.listeners = listeners
    this.random = random
    this.enter = enter
    this.expected = new Expected(listeners)
    this.mailing = {
      ...{ baseUrl: app.config.baseUrl, secret: 'simulated', replyAddress: null },
      ...{ soonSeconds: BUNDLE_MS / 1000, isSent: false },
    }
  }

  /** Enters what happens whatever is posted. */
  begin(beginsAt: number, end: number): void {
    for (let day = beginsAt; day < end; day += DAY_MS)
      for (const hour of MORNINGS) this.enter(day + hour * HOUR_MS, { what: 'mail' })
    for (const personId of this.listeners.people.keys())
      if (this.random.chance(CHANGES))
        this.enter(beginsAt + this.random.next() * (end - beginsAt), { what: 'rhythm', personId })
  }

  asked(thread: Thread, lectureId: number | null, at: number): void {
    this.told(thread, this.expected.asked(thread.id, thread.askerId, lectureId, millisecond(at)), at)
  }

  answered(thread: Thread, answerId: number, authorId: number, at: number): void {
    this.told(thread, this.expected.answered(thread.id, answerId, authorId, millisecond(at)), at)
  }

  replied(thread: Thread, replyId: number, authorId: number, at: number): void {
    this.told(thread, this.expected.replied(thread.id, replyId, authorId, millisecond(at)), at)
  }

  accepted(thread: Thread, answerId: number, at: number): void {
    const { id, askerId } = thread
    this.told(thread, this.expected.honoured(id, answerId, 'accepted', askerId, millisecond(at)), at)
  }

  /** What one of the staff did at the desk. */
  staffActed({ thread, act, at, postId }: Done, staffId: number): void {
    this.busyUntil = Math.max(this.busyUntil, at + 1)
    if (act === 'linked') this.expected.linked(thread.id, thread.original?.id ?? 0)
    if (postId === null) return
    if (act === 'decided') this.expected.hidden(thread.id, postId)
    if (act === 'answered') this.answered(thread, postId, staffId, at)
    if (act === 'asked back') this.replied(thread, postId, staffId, at)
    if (act === 'endorsed')
      this.told(thread, this.expected.honoured(thread.id, postId, 'endorsed', staffId, millisecond(at)), at)
  }

  async happen(at: number, heard: Heard): Promise<void> {
    const { db } = this.app
    if (at < this.busyUntil) return this.enter(this.busyUntil, heard)
    const now = millisecond(at)
    if (heard.what === 'mail') {
      this.expected.mail(now)
      await mailAt(db, now, this.mailing)
    } else if (heard.what === 'rhythm') {
      const listener = this.listeners.people.get(heard.personId)
      if (listener === undefined) return
      listener.rhythm = this.random.pick(['soon', 'daily', 'weekly', 'never'] as const)
      this.expected.rhythmChanged(listener.id)
      const chosen = { rhythm: listener.rhythm, courses: new Map(), isResumed: false }
      await db.transaction().execute((write) => saveMailChoices(write, listener.id, chosen))
    } else if (heard.what === 'read') {
      this.expected.read(heard.questionId, heard.personId)
      const until = sql<Date>`${new Date(now)}`
      await db.transaction().execute((write) => markRead(write, heard.questionId, heard.personId, until))
    } else {
      this.expected.muted(heard.questionId, heard.personId)
      await db.transaction().execute((write) => setFollowing(write, heard.questionId, heard.personId, 'mute'))
    }
  }

  /** Some of them read it; all are mailed soon, or when they want. */
  private told(thread: Thread, people: readonly number[], at: number): void {
    for (const personId of people) {
      if (this.listeners.staffIds.includes(personId)) continue
      const about = { personId, questionId: thread.id }
      const when = later(this.random, at, READS_AFTER)
      if (this.random.chance(READS)) this.enter(when, { what: 'read', ...about })
      else if (this.random.chance(MUTES)) this.enter(when, { what: 'mute', ...about })
    }
    // Times are kept in whole milliseconds.
    if (people.length > 0) this.enter(millisecond(at) + BUNDLE_MS, { what: 'mail' })
  }
}

function millisecond(at: number): number {
  return Math.floor(at)
}
