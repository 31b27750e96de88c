import type { FastifyInstance } from 'fastify'
import { answerAcceptance } from '../../forum/answers/acceptance.ts'
import { postAnswer } from '../../forum/answers/operations.ts'
import { questionResolution } from '../../forum/posts/resolution.ts'
import { askQuestion } from '../../forum/questions/operations.ts'
import { replyToQuestion } from '../../forum/replies/operations.ts'
import type { Random } from '../generate/random.ts'
import { act } from './act.ts'
import { settle } from './settle.ts'
import type { Subject, Subjects } from './subjects.ts'
import { type Thread, threadOf } from './threads.ts'
import type { World } from './world.ts'

/** Shares of how learners are: assumed, not measured on people. */
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

/** The acts of learners, by the operations of their forms. */
export class Learners {
  private readonly app: FastifyInstance
  private readonly world: World
  private readonly random: Random
  private readonly subjects: Subjects
  private readonly originals = new Map<Subject, Thread>()

  constructor(app: FastifyInstance, world: World, random: Random, subjects: Subjects) {
    this.app = app
    this.world = world
    this.random = random
    this.subjects = subjects
  }

  /** Asks; null: the question was there already, and the learner found it. */
  async ask(subject: Subject, at: number): Promise<Thread | null> {
    const original = this.originals.get(subject) ?? null
    if (original !== null && this.random.chance(HABITS.findsIt)) return null
    const askerId = this.random.pick(this.world.learnerIds)
    const { title, body, lecture } = subject
    const content = { title, body, lecture: lecture + 1 }
    const { id } = await act(this.app, askerId, askQuestion, this.world.slug, content)
    await settle(this.app.db, id, new Date(at))
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
    const { id } = await act(this.app, authorId, postAnswer, thread.id, { body })
    await settle(this.app.db, thread.id, new Date(at))
    const isRight = this.random.chance(HABITS.right)
    thread.classmates.set(id, isRight)
    thread.helpedAt ??= at
    return { id, authorId, isRight }
  }

  /** The asker marks an answer, or that all is clear. @returns whether it was not by then */
  async resolve(thread: Thread, answerId: number | null, at: number): Promise<boolean> {
    if (thread.isResolved) return false
    const { id, askerId } = thread
    if (answerId === null) await act(this.app, askerId, questionResolution, id, { status: 'resolved' })
    else await act(this.app, askerId, answerAcceptance, answerId, { value: true })
    thread.isResolved = true
    await settle(this.app.db, id, new Date(at))
    return true
  }

  /** The asker says more, or that it did not help: it is staff's turn once more. @returns the reply's id; null: all is clear by now */
  async say(thread: Thread, at: number): Promise<number | null> {
    if (thread.isResolved) return null
    const body = this.subjects.reply(this.random)
    const { id } = await act(this.app, thread.askerId, replyToQuestion, thread.id, { body })
    thread.isVague = false
    await settle(this.app.db, thread.id, new Date(at))
    return id
  }
}
