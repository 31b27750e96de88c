import type { ExchangeWriter } from '../exchange/folder-writer.ts'
import { type Author, isOfStaff, type Written } from '../exchange/format.ts'
import type { ImportTally } from '../exchange/import-tally.ts'
import { batches } from '../foreign/bulk.ts'
import { cleanLine, cut } from '../foreign/clean-text.ts'
import { placed, type Tree } from './discussion-tree.ts'
import { ForeignCourse } from './foreign-course.ts'
import type { Conversion } from './source.ts'

/** Somebody, as the files name them. */
export interface Writer {
  readonly id: string
  readonly name: string
  readonly email?: string | null
  /** There and then. */
  readonly role?: 'learner' | 'assistant' | 'instructor' | null
}

/** Who wrote a post, and who may know. */
export type Hand =
  | { readonly openly: Writer }
  /** Staff alone know. */
  | { readonly forStaff: Writer }
  /** No one knows. `key` tells two of a topic apart, and is not written; null: nobody can tell. */
  | { readonly nobody: string | null }
  /** The files don't have the account any more. */
  | 'gone'

interface Post {
  readonly id: string
  readonly hand: Hand
  readonly at: Date
  readonly edited?: { readonly at: Date; readonly by: Writer | null } | null
  readonly votes: number
  readonly isDeleted: boolean
  /** Markdown, as an export has it. */
  body(): Promise<string>
}

/** A post below a topic, wherever it is. */
export interface Entry extends Post, Tree {
  readonly isEndorsed: boolean
}

/** What starts a discussion, with all that is below it. */
export interface Topic extends Post {
  readonly title: string
  readonly tags: readonly string[]
  readonly category: string | null
  readonly isPrivate: boolean
  /** It waits for review here. */
  readonly isHeld: boolean
  readonly views: number
  readonly acceptedAnswer: string | null
  readonly duplicateOf: string | null
  readonly entries: readonly Entry[]
}

interface Lines {
  readonly question: Written<'questions'>
  readonly answers: readonly Written<'answers'>[]
  readonly replies: readonly Written<'replies'>[]
}

const MAX_LINE = 4_000

/** Writes discussions that are trees of posts as an export: questions, answers at their top, and replies, which have one level. */
export class Discussions {
  readonly #writer: ExchangeWriter
  readonly #tally: ImportTally
  readonly #people = new Map<string, Written<'people'>>()
  readonly #course = new ForeignCourse()
  readonly #conversion: Conversion

  constructor(conversion: Conversion) {
    this.#conversion = conversion
    this.#writer = conversion.writer
    this.#tally = conversion.tally
  }

  async write(topics: AsyncIterable<Topic>): Promise<void> {
    const lengthOf = ({ question, answers, replies }: Lines) =>
      [question, ...answers, ...replies].reduce((sum, { body }) => sum + body.length + 500, 0)
    for await (const batch of batches(this.#linesOf(topics), lengthOf)) {
      await this.#writer.lines(
        'questions',
        batch.map(({ question }) => question),
      )
      await this.#writer.lines(
        'answers',
        batch.flatMap(({ answers }) => answers),
      )
      await this.#writer.lines(
        'replies',
        batch.flatMap(({ replies }) => replies),
      )
    }
  }

  async announce(line: Omit<Written<'announcements'>, 'author'>, by: Writer): Promise<void> {
    await this.#writer.lines('announcements', [
      { ...line, title: cut(cleanLine(line.title), MAX_LINE), author: this.#openly(by) },
    ])
  }

  /** Who wrote openly or is known to staff, and the course: members alone read it. */
  async end(source: string, origin: string): Promise<void> {
    await this.#writer.lines('people', [...this.#people.values()])
    await this.#course.write(this.#conversion, source, origin)
  }

  async *#linesOf(topics: AsyncIterable<Topic>): AsyncGenerator<Lines> {
    for await (const topic of topics) {
      const lines = await this.#topic(topic)
      if (lines !== null) yield lines
    }
  }

  async #topic(topic: Topic): Promise<Lines | null> {
    const { answers, replies } = placed(topic, this.#tally)
    if (topic.isDeleted) return null
    const entries = [...answers, ...replies.map(({ entry }) => entry)]
    const numbers = numbersOf(topic, entries)
    const post = (one: Post) => this.#post(one, numbers)
    const resolving = answers.filter((answer) => resolves(answer, topic)).map(({ at }) => at)
    this.#course.hasPrivate ||= topic.isPrivate
    const title = cut(cleanLine(topic.title), MAX_LINE)
    this.#course.read(title)
    const question: Written<'questions'> = {
      ...(await post(topic)),
      title,
      tags: [...new Set(topic.tags.map((tag) => cut(cleanLine(tag), MAX_LINE)))].filter((tag) => tag !== ''),
      category: topic.category,
      visibility: topic.isPrivate ? 'private(source)' : 'course',
      was_public: !topic.isPrivate,
      state: topic.isHeld ? 'held(source)' : 'shown',
      active_at: entries.reduce((last, { at }) => (at > last ? at : last), topic.at).toISOString(),
      status: resolving.length > 0 ? 'resolved' : 'unresolved',
      resolved_at:
        resolving
          .reduce<Date | null>((first, at) => (first === null || at < first ? at : first), null)
          ?.toISOString() ?? null,
      accepted_answer: answers.find(({ id }) => id === topic.acceptedAnswer)?.id ?? null,
      duplicate: topic.duplicateOf === null ? null : { of: topic.duplicateOf },
      votes: topic.votes,
      views: Math.max(0, topic.views),
    }
    const lines = { question, answers: [] as Written<'answers'>[], replies: [] as Written<'replies'>[] }
    for (const answer of answers)
      lines.answers.push({
        ...(await post(answer)),
        question: topic.id,
        votes: answer.votes,
        endorsement: answer.isEndorsed ? { at: answer.at.toISOString() } : null,
      })
    for (const { entry, answer } of replies)
      lines.replies.push({ ...(await post(entry)), question: topic.id, answer })
    this.#tally.note(
      'replies that had votes, which replies here have not',
      replies.filter(({ entry }) => entry.votes > 0).length,
    )
    return lines
  }

  async #post(post: Post, numbers: ReadonlyMap<string, number>) {
    const body = post.isDeleted ? '' : await post.body()
    this.#course.read(body)
    const editor = post.edited?.by ?? null
    return {
      id: post.id,
      author: this.#author(post.isDeleted ? 'gone' : post.hand, numbers),
      body,
      written_at: post.at.toISOString(),
      edited_at: post.edited?.at.toISOString() ?? null,
      // The editor of an anonymous post is its author as a rule.
      editor: editor !== null && post.hand !== 'gone' && 'openly' in post.hand ? this.#openly(editor) : null,
    }
  }

  #author(hand: Hand, numbers: ReadonlyMap<string, number>): Author {
    if (hand === 'gone') return { former: '' }
    if ('openly' in hand) return this.#openly(hand.openly)
    this.#course.hasAnonymous = true
    if ('forStaff' in hand)
      return { person: this.#openly(hand.forStaff).person, anonymous: 'classmates', number: null }
    return { anonymous: 'everyone', number: hand.nobody === null ? null : (numbers.get(hand.nobody) ?? null) }
  }

  #openly({ id, name, email = null, role = null }: Writer): { person: string } {
    const known = this.#people.get(id)
    if (known === undefined)
      this.#people.set(id, {
        id,
        name: cut(cleanLine(name), MAX_LINE),
        email: email === null ? null : cut(cleanLine(email), MAX_LINE) || null,
        role,
      })
    return { person: id }
  }
}

/** An accepted, endorsed or staff answer. Who answered anonymously stays unknown. */
function resolves({ id, isEndorsed, isDeleted, hand }: Entry, { acceptedAnswer }: Topic): boolean {
  if (isDeleted) return false
  return (
    id === acceptedAnswer ||
    isEndorsed ||
    (hand !== 'gone' && 'openly' in hand && isOfStaff(hand.openly.role))
  )
}

/**
 * The numbers by which two posts of one whom no one knows stay those of one, within the topic alone: who asked, then by time, so that a
 * later export gives the same.
 */
function numbersOf(topic: Topic, entries: readonly Entry[]): Map<string, number> {
  const numbers = new Map<string, number>()
  const byTime = [...entries].sort((one, other) => one.at.getTime() - other.at.getTime())
  for (const { hand } of [topic, ...byTime])
    if (hand !== 'gone' && 'nobody' in hand && hand.nobody !== null && !numbers.has(hand.nobody))
      numbers.set(hand.nobody, numbers.size + 1)
  return numbers
}
