import { createHash } from 'node:crypto'
import { isBlank } from '../../text/characters.ts'
import { FORMAT, type Written } from '../exchange/format.ts'
import { batches } from '../foreign/bulk.ts'
import { cleanLine, cleanText } from '../foreign/clean-text.ts'
import { isReserved } from '../foreign/display-name.ts'
import { importedTag } from '../foreign/imported-tag.ts'
import { commentMarkdown } from './comment-markdown.ts'
import type { DumpFolder, DumpRow } from './dump.ts'
import { duplicatesIn, hostsOf, ownPost } from './dump-links.ts'
import type { DumpHistory } from './dump-sources.ts'
import { withLinks } from './foreign-markdown.ts'
import { importedBody } from './post-markdown.ts'
import type { Conversion as Whole } from './source.ts'

/** PostTypeId. */
const [QUESTION, ANSWER] = [1, 2]
const OTHER_POSTS = new Map([
  [3, 'tag wiki without a tag'],
  [4, 'tag wiki excerpt'],
  [5, 'tag wiki'],
  [6, 'moderator nomination'],
  [7, 'wiki placeholder'],
  [8, 'privilege wiki'],
])

/** Numbers of the reasons for which a site closes questions, old ones too, as ours; the others are off-topic. */
const REASONS: Readonly<Record<number, 'solved-elsewhere' | 'unclear'>> = {
  ...{ 1: 'solved-elsewhere', 10: 'solved-elsewhere', 101: 'solved-elsewhere' },
  ...{ 4: 'unclear', 103: 'unclear', 104: 'unclear' },
}

/** A removed user whose name the dump doesn't hold either, or whose name an account may not have. */
const NAMELESS = 'Former member'

interface Conversion extends Pick<Whole, 'writer' | 'tally' | 'course' | 'picture'> {
  readonly dump: DumpFolder
  readonly history: DumpHistory
  readonly origin: string
}

/** What a dump was made of: how many users it has, and the ids of authors that are none of them. */
export interface Converted {
  readonly users: number
  readonly former: ReadonlySet<string>
}

/** Writes a dump as an export, and tallies what of it is left out. */
export async function convertDump(conversion: Conversion): Promise<Converted> {
  const { writer, course, origin } = conversion
  await writer.course({
    ...{ format: FORMAT.name, version: FORMAT.version, ...course },
    source: { name: 'stackexchange', origin },
    ...{ language: 'en', time_zone: 'UTC', is_public: true, asking: 'everybody' },
  })
  return new DumpConverter(conversion, await placesOf(conversion)).run()
}

/** Which posts a dump has. There are numbers alone: a dump may exceed the memory. */
interface Places {
  readonly questions: ReadonlySet<number>
  /** Answer → its question. */
  readonly answers: ReadonlyMap<number, number>
  /** What is neither, and answers without their question. */
  readonly others: ReadonlySet<number>
}

async function placesOf({ dump, tally }: Conversion): Promise<Places> {
  const questions = new Set<number>()
  const answers = new Map<number, number>()
  const others = new Set<number>()
  for await (const row of dump.rows('posts')) {
    const [id, type] = [row.id('Id'), row.id('PostTypeId')]
    if (type === QUESTION) questions.add(id)
    else if (type === ANSWER) answers.set(id, row.id('ParentId'))
    else {
      others.add(id)
      tally.skipped('other posts', OTHER_POSTS.get(type) ?? `post of type ${type}`)
    }
  }
  for (const [id, parent] of answers)
    if (!questions.has(parent)) {
      answers.delete(id)
      others.add(id)
    }
  return { questions, answers, others }
}

class DumpConverter {
  readonly #conversion: Conversion
  readonly #places: Places
  readonly #hosts: readonly string[]
  /** Authors that are not among the users yet: id → their name, if a post says it, and when they wrote first. */
  readonly #authors = new Map<string, { name: string | null; wroteAt: string }>()

  constructor(conversion: Conversion, places: Places) {
    this.#conversion = conversion
    this.#places = places
    this.#hosts = hostsOf(conversion.origin)
  }

  async run(): Promise<Converted> {
    await this.#posts(await duplicatesIn(this.#conversion.dump))
    await this.#comments()
    return this.#people()
  }

  async #posts(duplicates: ReadonlyMap<number, number>): Promise<void> {
    const { dump, writer, tally } = this.#conversion
    const seen = new Set<number>()
    for await (const batch of batches(dump.rows('posts'), (row) => row.text('Body')?.length ?? 0)) {
      const questions: Written<'questions'>[] = []
      const answers: Written<'answers'>[] = []
      for (const row of batch) {
        const [id, type] = [row.id('Id'), row.id('PostTypeId')]
        if (type !== QUESTION && type !== ANSWER) continue
        const kind = type === QUESTION ? 'questions' : 'answers'
        if (seen.has(id)) tally.skipped(kind, 'twice in the dump')
        else if (type === QUESTION) questions.push(await this.#question(row, duplicates.get(id) ?? null))
        else if (this.#places.answers.has(id)) answers.push(await this.#answer(row))
        else tally.skipped('answers', 'its question is not in the dump')
        seen.add(id)
      }
      await writer.lines('questions', questions)
      await writer.lines('answers', answers)
    }
  }

  async #question(row: DumpRow, original: number | null): Promise<Written<'questions'>> {
    const { history, tally } = this.#conversion
    const [id, accepted, closedAt] = [
      row.id('Id'),
      row.optionalId('AcceptedAnswerId'),
      row.optionalTime('ClosedDate'),
    ]
    const isAccepted = accepted !== null && this.#places.answers.get(accepted) === id
    if (accepted !== null && !isAccepted)
      tally.note('questions unresolved here, as their accepted answer is not in the dump')
    const isDuplicate = original !== null && original !== id && this.#places.questions.has(original)
    const isClosed = closedAt !== null && !isDuplicate
    return {
      ...(await this.#post(row)),
      visibility: 'course',
      title: row.text('Title') ?? '',
      tags: tagsOf(row.text('Tags') ?? ''),
      active_at: row.optionalTime('LastActivityDate')?.toISOString() ?? null,
      accepted_answer: isAccepted ? String(accepted) : null,
      duplicate: isDuplicate ? { of: String(original) } : null,
      closed: isClosed
        ? { at: closedAt.toISOString(), reason: REASONS[history.closedFor(id) ?? 0] ?? 'off-topic' }
        : null,
      votes: row.count('Score'),
      views: Math.max(0, row.count('ViewCount')),
    }
  }

  async #answer(row: DumpRow): Promise<Written<'answers'>> {
    return { ...(await this.#post(row)), question: String(row.id('ParentId')), votes: row.count('Score') }
  }

  async #post(row: DumpRow) {
    const { history, tally } = this.#conversion
    const id = row.id('Id')
    const body = await importedBody(row.text('Body') ?? '', await history.sourceOf(id), tally)
    const writtenAt = row.time('CreationDate').toISOString()
    return {
      id: String(id),
      author: this.#author(row, 'Owner', writtenAt),
      body: this.#linked(body),
      written_at: writtenAt,
      edited_at: row.optionalTime('LastEditDate')?.toISOString() ?? null,
    }
  }

  #linked(markdown: string): string {
    const { questions, answers } = this.#places
    const kindOf = (id: number) => (questions.has(id) ? 'question' : answers.has(id) ? 'answer' : null)
    return withLinks(markdown, (address, isPicture) =>
      isPicture ? this.#conversion.picture(address) : (ownPost(address, this.#hosts, kindOf) ?? address),
    )
  }

  /** The author of a post (`Owner…`) or of a comment (`User…`): a user, perhaps one whom Users.xml lacks, or the name of a removed one. */
  #author(row: DumpRow, prefix: 'Owner' | '', wroteAt: string) {
    const user = row.optionalId(`${prefix}UserId`)
    const name = row.text(prefix === '' ? 'UserDisplayName' : 'OwnerDisplayName') ?? NAMELESS
    if (user === null && isReserved(name)) return { former: NAMELESS }
    const id = user === null ? formerId(name) : String(user)
    if (!this.#authors.has(id)) this.#authors.set(id, { name: user === null ? name : null, wroteAt })
    return { person: id }
  }

  async #comments(): Promise<void> {
    const { dump, writer, tally } = this.#conversion
    const seen = new Set<number>()
    for await (const batch of batches(dump.rows('comments'), (row) => row.text('Text')?.length ?? 0)) {
      const replies: Written<'replies'>[] = []
      for (const row of batch) {
        const [id, postId] = [row.id('Id'), row.id('PostId')]
        const text = cleanText(row.text('Text') ?? '').trim()
        const question = this.#places.questions.has(postId) ? postId : this.#places.answers.get(postId)
        const why = seen.has(id) ? 'twice in the dump' : this.#leftOut(postId, question, text)
        seen.add(id)
        if (why !== null || question === undefined)
          tally.skipped('replies', why ?? 'its post is not in the dump')
        else replies.push(this.#reply(row, question, text))
      }
      await writer.lines('replies', replies)
    }
  }

  #leftOut(postId: number, question: number | undefined, text: string): string | null {
    if (this.#places.others.has(postId)) return 'its post was not imported'
    if (question === undefined) return 'its post is not in the dump'
    return isBlank(text) ? 'without text' : null
  }

  #reply(row: DumpRow, question: number, text: string): Written<'replies'> {
    const postId = row.id('PostId')
    const writtenAt = row.time('CreationDate').toISOString()
    if (row.count('Score') > 0)
      this.#conversion.tally.note('replies that had votes, which replies here have not')
    return {
      id: String(row.id('Id')),
      question: String(question),
      answer: postId === question ? null : String(postId),
      author: this.#author(row, '', writtenAt),
      body: this.#linked(commentMarkdown(text)),
      written_at: writtenAt,
    }
  }

  /** Only who wrote something comes along. */
  async #people(): Promise<Converted> {
    const { dump, writer } = this.#conversion
    let users = 0
    for await (const batch of batches(dump.rows('users'), () => 100)) {
      const people: Written<'people'>[] = []
      for (const row of batch) {
        users += 1
        const [id, name, joinedAt] = [
          String(row.id('Id')),
          row.requiredText('DisplayName'),
          row.time('CreationDate'),
        ]
        if (this.#authors.delete(id)) people.push({ id, name, joined_at: joinedAt.toISOString() })
      }
      await writer.lines('people', people)
    }
    for (const [id, { name, wroteAt }] of this.#authors)
      await writer.lines('people', [{ id, name: name ?? `user${id}`, joined_at: wroteAt }])
    return { users, former: new Set(this.#authors.keys()) }
  }
}

/**
 * A removed user has no id, so one is derived from the name: below the format's own ids (its only negative one is -1, the site's own user),
 * 48 bits of SHA-256. Two names do not collide, and a second import finds the same person.
 */
function formerId(name: string): string {
  return String(-2 - createHash('sha256').update(name).digest().readUIntBE(0, 6))
}

/** Converts a dump's tags, `<java><c#>` or `|java|c#|`, to tags of the forum, without duplicates. */
export function tagsOf(text: string): string[] {
  const names = cleanLine(text)
    .split(/[<>|]+/)
    .map(importedTag)
    .filter((name) => name !== '')
  return [...new Set(names)]
}
