import type { Database } from '../../database/schema.ts'
import type { Random } from '../generate/random.ts'
import type { Shown, Visit } from './forum.ts'
import { MINUTE_MS } from './rhythm.ts'
import { settle } from './settle.ts'
import type { Subjects } from './subjects.ts'
import type { Thread } from './threads.ts'

/** Seconds that acts take, assumed: see docs/bench/attention.md. */
export const SECONDS = { open: 30, answered: 150, 'asked back': 45, linked: 30, endorsed: 20 } as const
export const SESSION_MINUTES = 30
const RESOLVES = 0.8

export type Act = 'answered' | 'asked back' | 'linked' | 'endorsed'

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
  /** The answer or the reply that was posted, or the answer that was endorsed; null: none. */
  readonly postId: number | null
}

/** Staff at the desk: they see its pages and send its forms, and know nothing else. */
export class Staff {
  private readonly db: Database
  private readonly deskPath: string
  private readonly threads: ReadonlyMap<number, Thread>
  private readonly random: Random
  private readonly subjects: Subjects

  constructor(
    db: Database,
    slug: string,
    threads: ReadonlyMap<number, Thread>,
    random: Random,
    subjects: Subjects,
  ) {
    this.db = db
    this.deskPath = `/courses/${slug}/desk`
    this.threads = threads
    this.random = random
    this.subjects = subjects
  }

  /** Works until half an hour is over or nothing is left: first what waits, longest first, then what classmates answered. */
  async work(visit: Visit, at: number): Promise<{ session: Session; done: Done[] }> {
    const session: Session = { at, minutes: 0, acts: [] }
    const done: Done[] = []
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

  /** The desk opens what has waited longest; null: nothing is there. */
  private async open(visit: Visit, view: 'waiting' | 'classmates'): Promise<Opened | null> {
    const shown = await visit.open(`${this.deskPath}?view=${view}`)
    const id = /action="\/questions\/(\d+)\/desk"/.exec(shown.html)?.[1]
    const thread = this.threads.get(Number(id))
    return thread === undefined ? null : { thread, shown }
  }

  private chosenAct(thread: Thread): Act {
    if (thread.original !== null && thread.original.helpedAt !== null) return 'linked'
    if (rightAnswer(thread) !== null && thread.staffAt === null) return 'endorsed'
    return thread.isVague ? 'asked back' : 'answered'
  }

  private async perform(visit: Visit, { thread, shown }: Opened, act: Act): Promise<void> {
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

  private text(act: Act): string {
    return act === 'asked back' ? this.subjects.reply(this.random) : this.subjects.answer(this.random)
  }

  private async note(thread: Thread, act: Act, at: number): Promise<void> {
    thread.openedAt ??= at
    thread.staffAt ??= at
    if (act !== 'asked back') thread.helpedAt ??= at
    await settle(this.db, thread.id, new Date(at))
  }

  private async postOf(thread: Thread, act: Act): Promise<number | null> {
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
