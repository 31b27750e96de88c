import type { Database } from '../../database/schema.ts'
import type { Random } from '../generate/random.ts'
import type { Shown, Visit } from './forum.ts'
import type { Moderators } from './moderators.ts'
import { MINUTE_MS } from './rhythm.ts'
import { settle } from './settle.ts'
import type { Subjects } from './subjects.ts'
import type { Thread } from './threads.ts'

/** Seconds that acts take: assumed, not measured on people. */
export const SECONDS = {
  open: 30,
  decided: 40,
  answered: 150,
  'asked back': 45,
  linked: 30,
  endorsed: 20,
} as const
export const SESSION_MINUTES = 30
const RESOLVES = 0.8

export type Act = DeskAct | 'decided'
type DeskAct = 'answered' | 'asked back' | 'linked' | 'endorsed'

/** One person's half hour at the desk. */
export interface Session {
  readonly at: number
  minutes: number
  readonly acts: Act[]
}

/** What staff did to a thread, for what learners do next. */
export interface Done {
  readonly thread: Thread
  readonly act: Act
  readonly at: number
  /** The answer or the reply that was posted, or the answer that was endorsed or hidden; null: none. */
  readonly postId: number | null
}

/** Staff at the desk: they see its pages and send its forms, and know nothing else. */
export class Staff {
  private readonly db: Database
  private readonly deskPath: string
  private readonly threads: ReadonlyMap<number, Thread>
  private readonly random: Random
  private readonly subjects: Subjects
  private readonly moderators: Moderators

  constructor(
    db: Database,
    slug: string,
    threads: ReadonlyMap<number, Thread>,
    random: Random,
    subjects: Subjects,
    moderators: Moderators,
  ) {
    this.db = db
    this.deskPath = `/courses/${slug}/desk`
    this.threads = threads
    this.random = random
    this.subjects = subjects
    this.moderators = moderators
  }

  /** Works until half an hour is over or nothing is left: first cases, then what waits, longest first, then what classmates answered. */
  async work(visit: Visit, at: number): Promise<{ session: Session; done: Done[] }> {
    const session: Session = { at, minutes: 0, acts: [] }
    const done = await this.moderate(visit, session)
    while (session.minutes < SESSION_MINUTES) {
      const opened = (await this.open(visit, 'waiting')) ?? (await this.open(visit, 'classmates'))
      if (opened === null) break
      session.minutes += this.minutes('open')
      const act = this.chosenAct(opened.thread)
      session.minutes += this.minutes(act)
      const now = at + session.minutes * MINUTE_MS
      await this.perform(visit, opened, act)
      session.acts.push(act)
      await this.note(opened.thread, act, now)
      done.push({ thread: opened.thread, act, at: now, postId: await this.postOf(opened.thread, act) })
    }
    return { session, done }
  }

  /** Decides cases, the oldest first, as long as there are any. */
  private async moderate(visit: Visit, session: Session): Promise<Done[]> {
    const done: Done[] = []
    while (session.minutes < SESSION_MINUTES) {
      const opened = await this.moderators.open(visit)
      if (opened === null) break
      const { thread, answerId: postId } = opened.offence
      session.minutes += SECONDS.decided / 60
      const now = session.at + session.minutes * MINUTE_MS
      await this.moderators.decide(visit, opened, now)
      session.acts.push('decided')
      done.push({ thread, act: 'decided', at: now, postId })
    }
    return done
  }

  /** The desk opens what has waited longest; null: nothing is there. */
  private async open(visit: Visit, view: 'waiting' | 'classmates'): Promise<Opened | null> {
    const shown = await visit.open(`${this.deskPath}?view=${view}`)
    const id = /action="\/questions\/(\d+)\/desk"/.exec(shown.html)?.[1]
    const thread = this.threads.get(Number(id))
    return thread === undefined ? null : { thread, shown }
  }

  private chosenAct(thread: Thread): DeskAct {
    if (thread.original !== null && thread.original.helpedAt !== null) return 'linked'
    if (rightAnswer(thread) !== null && thread.staffAt === null) return 'endorsed'
    return thread.isVague ? 'asked back' : 'answered'
  }

  private async perform(visit: Visit, { thread, shown }: Opened, act: DeskAct): Promise<void> {
    if (act === 'endorsed') {
      await visit.submit(shown, `/answers/${rightAnswer(thread)}/endorsement`, { value: '1' })
      return
    }
    if (act === 'linked') {
      // The form is on the question's own page, which the desk links to.
      const page = await visit.open(`/questions/${thread.id}`)
      await visit.submit(page, `/questions/${thread.id}/duplicate`, { of: String(thread.original?.id) })
      thread.isResolved = true
      return
    }
    const isResolved = act === 'answered' && this.random.chance(RESOLVES)
    const button = act === 'asked back' ? 'ask' : isResolved ? 'resolve' : 'answer'
    await visit.submit(shown, `/questions/${thread.id}/desk`, { act: button, body: this.text(act) })
    if (isResolved) thread.isResolved = true
  }

  private text(act: DeskAct): string {
    return act === 'asked back' ? this.subjects.reply(this.random) : this.subjects.answer(this.random)
  }

  private async note(thread: Thread, act: DeskAct, at: number): Promise<void> {
    thread.openedAt ??= at
    thread.staffAt ??= at
    if (act !== 'asked back') thread.helpedAt ??= at
    await settle(this.db, thread.id, new Date(at))
  }

  private async postOf(thread: Thread, act: DeskAct): Promise<number | null> {
    if (act === 'linked') return null
    if (act === 'endorsed') return rightAnswer(thread)
    const { id } = await this.db
      .selectFrom(act === 'answered' ? 'answers' : 'replies')
      .select('id')
      .where('question_id', '=', thread.id)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
    return id
  }

  /** Half of the acts take less than the usual, a few several times as long. */
  private minutes(what: keyof typeof SECONDS): number {
    return (
      (SECONDS[what] * (0.5 + this.random.next() + (this.random.chance(0.1) ? 2 * this.random.next() : 0))) /
      60
    )
  }
}

interface Opened {
  readonly thread: Thread
  readonly shown: Shown
}

/** The id of a classmate's right answer; null: there is none. */
function rightAnswer({ classmates }: Thread): number | null {
  return [...classmates].find(([, isRight]) => isRight)?.[0] ?? null
}
