import type { Reason } from '../../database/schema.ts'
import { ExpectedMail, type ToldMail } from './expected-mail.ts'
import type { Listeners } from './listeners.ts'

/** One entry of somebody's page of notifications. */
export interface ToldEntry {
  readonly personId: number
  readonly questionId: number
  reason: Reason
  count: number
  isSeen: boolean
}

/** What is known of a question beside the forum. */
interface Talk {
  readonly id: number
  readonly askerId: number
  readonly levels: Map<number, 'follow' | 'mute'>
  /** Authors by answer. */
  readonly answers: Map<number, number>
  /** Who replied under the question. */
  readonly repliers: Set<number>
}

/** Strongest first. */
const STRENGTH: readonly Reason[] = ['answered', 'accepted', 'endorsed', 'reply', 'followed', 'question']

/**
 * What everybody must have been told, by what was done, who follows what and how they want to be told: written down beside the
 * forum as a course is played, with nothing of the code that tells.
 */
export class Expected {
  private readonly listeners: Listeners
  private readonly talks = new Map<number, Talk>()
  private readonly told = new Map<string, ToldEntry>()
  private readonly mailOf: ReadonlyMap<number, ExpectedMail>

  constructor(listeners: Listeners) {
    this.listeners = listeners
    this.mailOf = new Map([...listeners.people].map(([id, listener]) => [id, new ExpectedMail(listener)]))
  }

  get entries(): ToldEntry[] {
    return [...this.told.values()]
  }

  get mails(): ToldMail[] {
    return [...this.mailOf.values()].flatMap(({ mails }) => mails)
  }

  /** @returns who is told */
  asked(question: number, askerId: number, lectureId: number | null, at: number): number[] {
    const { staffIds, courseFollowers, lectureFollowers } = this.listeners
    const talk: Talk = {
      ...{ id: question, askerId, levels: new Map([[askerId, 'follow'] as const]) },
      ...{ answers: new Map(), repliers: new Set() },
    }
    this.talks.set(question, talk)
    const ofLecture = lectureId === null ? [] : (lectureFollowers.get(lectureId) ?? [])
    const people = new Set([...staffIds, ...courseFollowers, ...ofLecture])
    return this.tell(talk, reasonFor(people, 'question'), askerId, String(question), at)
  }

  answered(question: number, answerId: number, authorId: number, at: number): number[] {
    const talk = this.talk(question)
    const reasons = reasonFor(followersOf(talk), 'followed')
    if (reasons.has(talk.askerId)) reasons.set(talk.askerId, 'answered')
    talk.answers.set(answerId, authorId)
    this.joins(talk, authorId)
    return this.tell(talk, reasons, authorId, `${question}#answer-${answerId}`, at)
  }

  /** A reply under the question. */
  replied(question: number, replyId: number, authorId: number, at: number): number[] {
    const talk = this.talk(question)
    const reasons = reasonFor(followersOf(talk), 'followed')
    for (const id of [talk.askerId, ...talk.repliers]) if (reasons.has(id)) reasons.set(id, 'reply')
    talk.repliers.add(authorId)
    this.joins(talk, authorId)
    return this.tell(talk, reasons, authorId, `${question}#reply-${replyId}`, at)
  }

  /** An answer was accepted or endorsed. */
  honoured(
    question: number,
    answerId: number,
    reason: 'accepted' | 'endorsed',
    actorId: number,
    at: number,
  ): number[] {
    const talk = this.talk(question)
    const author = talk.answers.get(answerId)
    return author === undefined ? [] : this.tell(talk, new Map([[author, reason]]), actorId, null, at)
  }

  /** Staff linked a question to the one that it repeats. */
  linked(question: number, original: number): void {
    const [talk, other] = [this.talk(question), this.talk(original)]
    for (const id of [...followersOf(talk), talk.askerId])
      if (!other.levels.has(id)) other.levels.set(id, 'follow')
  }

  /** Staff hid an answer: mails that are still to come don't tell of it. */
  hidden(question: number, answerId: number): void {
    for (const mail of this.mailOf.values()) mail.hide(question, `${question}#answer-${answerId}`)
  }

  /** Somebody read all of a question. */
  read(question: number, personId: number): void {
    const entry = this.told.get(`${personId} ${question}`)
    if (entry !== undefined) entry.isSeen = true
    this.mailOf.get(personId)?.forget(question)
  }

  muted(question: number, personId: number): void {
    this.talk(question).levels.set(personId, 'mute')
    this.mailOf.get(personId)?.forget(question)
  }

  rhythmChanged(personId: number): void {
    this.mailOf.get(personId)?.rhythmChanged()
  }

  /** Mails are written whose time has come. */
  mail(now: number): void {
    for (const mail of this.mailOf.values()) mail.write(now)
  }

  private joins({ id, levels }: Talk, personId: number): void {
    if (!levels.has(personId)) levels.set(personId, 'follow')
    this.read(id, personId)
  }

  private tell(
    talk: Talk,
    reasons: ReadonlyMap<number, Reason>,
    actorId: number,
    link: string | null,
    at: number,
  ): number[] {
    const people = [...reasons].filter(([id]) => id !== actorId && talk.levels.get(id) !== 'mute')
    for (const [personId, reason] of people) {
      const key = `${personId} ${talk.id}`
      const known = this.told.get(key)
      if (known === undefined || known.isSeen)
        this.told.set(key, { personId, questionId: talk.id, reason, count: 1, isSeen: false })
      else {
        known.count += 1
        if (STRENGTH.indexOf(reason) < STRENGTH.indexOf(known.reason)) known.reason = reason
      }
      this.mailOf.get(personId)?.hear(talk.id, reason, link, at)
    }
    return people.map(([id]) => id)
  }

  private talk(question: number): Talk {
    const talk = this.talks.get(question)
    if (talk === undefined) throw new Error(`question ${question} was never asked`)
    return talk
  }
}

function reasonFor(people: Iterable<number>, reason: Reason): Map<number, Reason> {
  return new Map([...people].map((id) => [id, reason]))
}

function followersOf({ levels }: Talk): number[] {
  return [...levels].filter(([, level]) => level === 'follow').map(([id]) => id)
}
