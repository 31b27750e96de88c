import type { Database } from '../../database/schema.ts'
import { setAcceptance } from '../../forum/answers/acceptance.ts'
import { insertAnswer } from '../../forum/answers/commands.ts'
import { insertQuestion } from '../../forum/questions/commands.ts'
import { setResolution } from '../../forum/questions/resolution.ts'
import { insertReply } from '../../forum/replies/commands.ts'
import type { Random } from '../generate/random.ts'
import { settle } from './settle.ts'
import type { Subject, Subjects } from './subjects.ts'
import { type Thread, threadOf } from './threads.ts'
import type { World } from './world.ts'

/** Shares of how learners are, assumed: see docs/bench/attention.md. */
export const HABITS = {
  /** Of questions that were asked before: found while asking, so that nothing is posted. */
  findsIt: 0.4,
  vague: 0.12,
  /** Questions that a classmate answers, and right answers among those. */
  helped: 0.5,
  right: 0.75,
  /** Askers who come back to a right answer, or to a wrong one, or to say more. */
  resolves: 0.6,
  asksAgain: 0.5,
  saysMore: 0.8,
} as const

interface Answered {
  readonly id: number
  readonly authorId: number
  readonly isRight: boolean
}

/** What learners do, by the same commands as their forms: fifty thousand pages would take hours. */
export class Learners {
  private readonly db: Database
  private readonly world: World
  private readonly random: Random
  private readonly subjects: Subjects
  private readonly originals = new Map<Subject, Thread>()

  constructor(db: Database, world: World, random: Random, subjects: Subjects) {
    this.db = db
    this.world = world
    this.random = random
    this.subjects = subjects
  }

  /** Asks; null: the question was there already, and the learner found it. */
  async ask(subject: Subject, at: number): Promise<Thread | null> {
    const original = this.originals.get(subject) ?? null
    if (original !== null && this.random.chance(HABITS.findsIt)) return null
    const { courseId, categoryId, lectureIds, learnerIds } = this.world
    const askerId = this.random.pick(learnerIds)
    const { title, body } = subject
    const content = {
      title,
      body,
      tags: [],
      courseId,
      categoryId,
      lectureId: lectureIds[subject.lecture] ?? null,
    }
    const id = await this.db
      .transaction()
      .execute((write) => insertQuestion(write, { ...content, authorId: askerId }))
    await settle(this.db, id, new Date(at))
    const thread = threadOf({
      id,
      subject,
      askerId,
      askedAt: at,
      original,
      isVague: this.random.chance(HABITS.vague),
    })
    if (original === null) this.originals.set(subject, thread)
    return thread
  }

  /** A classmate answers. */
  async answer(thread: Thread, at: number): Promise<Answered> {
    const { learnerIds } = this.world
    const classmates = learnerIds.filter((id) => id !== thread.askerId)
    const body = this.subjects.answer(this.random)
    const authorId = this.random.pick(classmates)
    const answer = { questionId: thread.id, authorId, body }
    const id = await this.db.transaction().execute((write) => insertAnswer(write, answer))
    await settle(this.db, thread.id, new Date(at))
    const isRight = this.random.chance(HABITS.right)
    thread.classmates.set(id, isRight)
    thread.helpedAt ??= at
    return { id, authorId, isRight }
  }

  /** The asker marks an answer, or that all is clear. @returns whether it was not by then */
  async resolve(thread: Thread, answerId: number | null, at: number): Promise<boolean> {
    if (thread.isResolved) return false
    await this.db.transaction().execute(async (write) => {
      if (answerId === null) await setResolution(write, thread.id, 'resolved')
      else await setAcceptance(write, thread.id, answerId, true, thread.askerId)
    })
    thread.isResolved = true
    await settle(this.db, thread.id, new Date(at))
    return true
  }

  /** The asker says more, or that it did not help: it is staff's turn once more. @returns the reply's id; null: all is clear by now */
  async say(thread: Thread, at: number): Promise<number | null> {
    if (thread.isResolved) return null
    const reply = { questionId: thread.id, answerId: null, authorId: thread.askerId }
    const body = this.subjects.reply(this.random)
    const id = await this.db.transaction().execute((write) => insertReply(write, { ...reply, body }))
    thread.isVague = false
    await settle(this.db, thread.id, new Date(at))
    return id
  }
}
