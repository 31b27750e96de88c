import { answersBefore, type Plan, type PlannedCourse, repliesBefore, timeAt } from './plan.ts'
import { Random } from './random.ts'
import { shareOut } from './shares.ts'
import type { Word } from './words.ts'
import { type Body, Writer } from './writer.ts'
import { Zipf } from './zipf.ts'

export interface Post {
  id: number
  readonly authorId: number
  readonly body: Body
  /** Milliseconds. */
  readonly at: number
}

export interface ThreadAnswer extends Post {
  readonly votes: number
}

export interface ThreadReply extends Post {
  /** null: a reply to the question. */
  readonly answer: ThreadAnswer | null
}

export interface Thread extends Post {
  readonly course: PlannedCourse
  readonly lectureId: number | null
  readonly title: string
  readonly tags: Plan['tags']
  readonly views: number
  readonly votes: number
  readonly isResolved: boolean
  readonly accepted: ThreadAnswer | null
  readonly answers: readonly ThreadAnswer[]
  readonly replies: readonly ThreadReply[]
}

const KOREAN_SHARE = 1 / 3
const MINUTE_MS = 60_000

/**
 * Generates the threads of a plan. Each chunk has a random stream of its own, so the result does not depend on which
 * worker generates it.
 */
export class ThreadMaker {
  private readonly plan: Plan
  private readonly writers: Readonly<Record<'en' | 'ko', Writer>>
  private readonly people: Zipf
  private readonly courses: Zipf
  private readonly tags: Zipf

  /** @param samples of code, of renderedSamples */
  constructor(plan: Plan, samples: readonly Word[]) {
    this.plan = plan
    this.writers = { en: new Writer('en', samples), ko: new Writer('ko', samples) }
    this.people = new Zipf(plan.people, 0.8, 10)
    this.courses = new Zipf(plan.courses.length, 0.9)
    this.tags = new Zipf(plan.tags.length, 1)
  }

  /** The questions from number `from` to below `to`, by time; the ids of each kind are in the order of time. */
  make(from: number, to: number): Thread[] {
    const { first, seed, questions } = this.plan
    const random = new Random(seed, from)
    const answers = shareOut(answersBefore(to) - answersBefore(from), to - from, 0.12, random)
    const replies = shareOut(repliesBefore(to) - repliesBefore(from), to - from, 0.45, random)
    const end = timeAt(to / questions)
    const threads = answers.map((count, index) => {
      const at = timeAt((from + index + random.next()) / questions)
      const numbers = { answers: count, replies: replies[index] ?? 0 }
      return this.thread(first.question + from + index, at, end, numbers, random)
    })
    number(
      threads.flatMap((thread) => thread.answers),
      first.answer + answersBefore(from),
    )
    number(
      threads.flatMap((thread) => thread.replies),
      first.reply + repliesBefore(from),
    )
    return threads
  }

  private thread(
    id: number,
    at: number,
    end: number,
    count: { answers: number; replies: number },
    random: Random,
  ): Thread {
    const writer = random.chance(KOREAN_SHARE) ? this.writers.ko : this.writers.en
    const topic = writer.topic(random)
    const course = this.plan.courses[this.courses.draw(random)] ?? random.pick(this.plan.courses)
    const authorId = this.person(random)
    const popularity = random.heavy(1.1)
    const answers = Array.from(
      { length: count.answers },
      (): ThreadAnswer => ({
        id: 0,
        authorId: random.chance(0.35) ? random.pick(course.staff) : this.person(random),
        body: writer.answer(topic, random),
        at: later(at, end, random),
        votes: Math.floor(random.heavy(1.4) * popularity ** 0.5 - 1),
      }),
    )
    const replies = Array.from({ length: count.replies }, (): ThreadReply => {
      const answer = answers.length > 0 && random.chance(0.8) ? random.pick(answers) : null
      const isAsker = random.chance(0.5)
      return {
        id: 0,
        answer,
        authorId: isAsker ? authorId : this.person(random),
        body: writer.reply(topic, random),
        at: later(answer?.at ?? at, end, random),
      }
    })
    const accepted = answers.length > 0 && random.chance(0.5) ? best(answers) : null
    return {
      ...{ id, authorId, at, course, accepted, answers, replies },
      ...{ title: writer.title(topic, random), body: writer.question(topic, random) },
      lectureId: random.chance(0.75) && course.lectureIds.length > 0 ? random.pick(course.lectureIds) : null,
      tags: this.tagsOf(random),
      views: Math.min(5_000_000, Math.floor(4 + 14 * popularity * (0.5 + random.next()))),
      votes: Math.floor(popularity ** 0.8 * random.heavy(2) - 1),
      isResolved: accepted !== null || random.chance(answers.length > 0 ? 0.12 : 0.02),
    }
  }

  private person(random: Random): number {
    return this.plan.first.person + this.people.draw(random)
  }

  private tagsOf(random: Random): Plan['tags'] {
    const wanted = 1 + random.below(3) + random.below(3)
    const drawn = Array.from({ length: wanted }, () => this.plan.tags[this.tags.draw(random)])
    return [...new Set(drawn)].filter((tag) => tag !== undefined)
  }
}

/** Delays are mostly minutes or hours, sometimes weeks, but end before `end`, so that ids follow the times. */
function later(at: number, end: number, random: Random): number {
  const after = at + Math.floor(2 * MINUTE_MS * random.heavy(0.4))
  return after < end ? after : at + Math.floor((end - at) * random.next())
}

/** Assigns ids in the order of the times. */
function number(posts: readonly Post[], first: number): void {
  const ordered = posts.toSorted((one, other) => one.at - other.at)
  for (const [index, post] of ordered.entries()) post.id = first + index
}

/** The answer with most votes, which askers usually accept. */
function best(answers: readonly ThreadAnswer[]): ThreadAnswer | null {
  return answers.toSorted((one, other) => other.votes - one.votes)[0] ?? null
}
