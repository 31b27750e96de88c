import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { ReportReason } from '../../database/schema.ts'
import { postAnswer } from '../../forum/answers/operations.ts'
import { reporting } from '../../forum/cases/report.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Random } from '../generate/random.ts'
import { act } from './act.ts'
import { HOUR_MS, later } from './rhythm.ts'
import { settle, settleCase } from './settle.ts'
import type { Thread } from './threads.ts'
import type { World } from './world.ts'

/** Accounts that break rules, one of each a week: what they post, how often, and how long they wait between two posts. Assumed. */
export const OFFENDERS = [
  { reason: 'spam', posts: 5, wait: 3 * HOUR_MS, text: 'Every solution of this course, cheap: write to me.' },
  {
    reason: 'rude',
    posts: 3,
    wait: 12 * HOUR_MS,
    text: 'Read the slides before you ask. This is embarrassing.',
  },
] as const satisfies readonly { reason: ReportReason; posts: number; wait: number; text: string }[]

/** Readers who report such a post, at least one, and the median of when they do. Assumed. */
const REPORTERS = { most: 3, after: HOUR_MS } as const
/** Threads that such posts go to: the newest. */
const NEWEST = 20

export type Offender = (typeof OFFENDERS)[number] & { readonly personId: number }

/** A post that breaks a rule. Times in milliseconds. */
export interface Offence {
  readonly reason: ReportReason
  readonly answerId: number
  readonly thread: Thread
  readonly postedAt: number
  /** null: everyone can still read it. */
  hiddenAt: number | null
}

/** Spammers and rude people, and those who report them: by the operations of their forms. */
export class Offenders {
  private readonly app: FastifyInstance
  private readonly world: World
  private readonly random: Random
  readonly offences = new Map<number, Offence>()
  accounts = 0
  reports = 0
  /** Posts that the forum refused, after a suspension. */
  refused = 0

  constructor(app: FastifyInstance, world: World, random: Random) {
    this.app = app
    this.world = world
    this.random = random
  }

  /** A new account joins the course. */
  async join(kind: (typeof OFFENDERS)[number], at: number): Promise<Offender> {
    this.accounts += 1
    const name = `Simulated ${kind.reason} ${this.accounts}`
    const { rows } = await sql<{ id: number }>`
      with made as (
        insert into people (display_name, email, email_confirmed_at, joined_at, mail_rhythm)
        values (${name}, ${`${kind.reason}-${this.accounts}@example.org`}, ${new Date(at)}, ${new Date(at)}, 'never') returning id)
      insert into course_members (course_id, person_id, role) select ${this.world.courseId}, id, 'learner' from made
      returning person_id as id`.execute(this.app.db)
    return { ...kind, personId: rows[0]?.id ?? 0 }
  }

  /** Answers one of the newest questions. @returns null: the forum refused it */
  async post({ personId, reason, text }: Offender, threads: readonly Thread[], at: number) {
    const thread = this.random.pick(threads.slice(-NEWEST))
    try {
      const { id: answerId } = await act(this.app, personId, postAnswer, thread.id, { body: text })
      await settle(this.app.db, thread.id, new Date(at))
      const offence: Offence = { reason, answerId, thread, postedAt: at, hiddenAt: null }
      this.offences.set(answerId, offence)
      return offence
    } catch (error) {
      if (!(error instanceof Problem) || error.key !== 'suspended') throw error
      this.refused += 1
      return null
    }
  }

  /** When an account posts again. */
  next({ wait }: Offender, at: number): number {
    return later(this.random, at, wait)
  }

  /** When, and by whom, an offence will be reported. */
  reportersOf({ postedAt }: Offence): { readonly personId: number; readonly at: number }[] {
    const count = 1 + this.random.below(REPORTERS.most)
    return Array.from({ length: count }, () => ({
      personId: this.random.pick(this.world.learnerIds),
      at: later(this.random, postedAt, REPORTERS.after),
    }))
  }

  /** Someone who reads it reports it, unless staff were faster. */
  async report({ answerId, reason, hiddenAt }: Offence, personId: number, at: number): Promise<void> {
    if (hiddenAt !== null) return
    const input = { reason, note: '', name: '', email: '', language: 'en' }
    const subject = { about: 'answer', id: answerId } as const
    const { outcome } = await act(this.app, personId, reporting, subject, input)
    if (outcome === 'sent') this.reports += 1
    await settleCase(this.app.db, answerId, new Date(at))
  }
}
