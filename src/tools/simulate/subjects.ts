import type { Random } from '../generate/random.ts'
import type { Word } from '../generate/words.ts'
import { Writer } from '../generate/writer.ts'
import { Zipf } from '../generate/zipf.ts'

/** Something that learners do not understand. */
export interface Subject {
  readonly lecture: number
  readonly title: string
  readonly body: string
}

/** How many different things there are to ask about a lecture. */
const PER_LECTURE = 150

/** What is asked about lectures: the same few things again and again, many others once. */
export class Subjects {
  private readonly writer: Writer
  private readonly subjects = new Map<string, Subject>()
  private readonly popularity = new Zipf(PER_LECTURE, 0.9)

  /** @param samples of code, of renderedSamples */
  constructor(samples: readonly Word[]) {
    this.writer = new Writer('en', samples)
  }

  draw(lecture: number, random: Random): Subject {
    const key = `${lecture} ${this.popularity.draw(random)}`
    const known = this.subjects.get(key)
    if (known !== undefined) return known
    const topic = this.writer.topic(random)
    const body = this.writer.question(topic, random).markdown
    const subject = { lecture, title: this.writer.title(topic, random), body }
    this.subjects.set(key, subject)
    return subject
  }

  answer(random: Random): string {
    return this.writer.answer(this.writer.topic(random), random).markdown
  }

  reply(random: Random): string {
    return this.writer.reply(this.writer.topic(random), random).markdown
  }
}
