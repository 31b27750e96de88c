import type { Random } from '../../generate/random.ts'
import { Zipf } from '../../generate/zipf.ts'
import type { SignedIn } from '../speed/people.ts'
import { answerText, formOf } from '../speed/posting.ts'

export type Kind = 'list' | 'question' | 'search' | 'similar' | 'answer'

/** A request as it is sent. */
export interface Asked {
  readonly kind: Kind
  readonly path: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

const LISTS = ['/', '/questions?status=unanswered', '/questions?sort=active', '/questions?status=unresolved']
const WORDS = ['json', 'server', 'error', 'index', 'thread']

/** Questions that people read, the popular ones more often. */
const POPULAR = 400

/** Requests of people in an exam's night: 40 % lists, 50 % questions, 5 % searches, 5 % similar questions. */
export class Mix {
  private readonly random: Random
  private readonly people: readonly SignedIn[]
  private readonly questions: readonly string[]
  private readonly popular: Zipf
  private count = 0

  /** @param questions their paths, the most popular first */
  constructor(random: Random, people: readonly SignedIn[], questions: readonly string[]) {
    this.random = random
    this.people = people
    this.questions = questions
    this.popular = new Zipf(Math.min(questions.length, POPULAR))
  }

  person(): SignedIn {
    return this.random.pick(this.people)
  }

  question(): string {
    return this.questions[this.popular.draw(this.random)] ?? '/'
  }

  page(): Asked {
    const chance = this.random.next()
    this.count += 1
    if (chance < 0.4) return this.get('list', this.random.pick(LISTS))
    if (chance < 0.9) return this.get('question', this.question())
    if (chance < 0.95) return this.get('search', `/search?q=${this.random.pick(WORDS)}`)
    return this.get('similar', `/questions/similar?title=How+do+I+parse+json+from+a+server+${this.count}`)
  }

  /** To all questions alike: in 90 minutes the most popular one would get some 2,400 answers, which no course has. */
  answer(): Asked {
    const path = `${/^\/questions\/\d+/.exec(this.random.pick(this.questions))?.[0]}/answers`
    return { kind: 'answer', ...formOf(this.person(), path, { body: answerText() }) }
  }

  private get(kind: Kind, path: string): Asked {
    return { kind, path, method: 'GET', headers: { cookie: this.person().cookie }, body: null }
  }
}
