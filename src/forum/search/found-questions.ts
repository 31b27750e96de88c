import type { Database } from '../../database/schema.ts'
import { plainText } from '../../text/plain.ts'
import { SearchableText } from '../../text/searchable-text.ts'
import type { ChangeFeed } from '../../web/change-feed/change-feed.ts'
import { type Loaded, ScopedCache } from '../../web/scoped-cache/scoped-cache.ts'
import { findHits, type HitRow } from './hits.ts'
import type { SnippetSource } from './snippet.ts'

/** A found question. */
export interface FoundQuestion extends Omit<HitRow, 'body_html' | 'answers' | 'replies'> {
  readonly searchableTitle: SearchableText
  /** Where a snippet may come from, the best places first: accepted answer, question, other answers, replies. */
  readonly posts: readonly Post[]
}

/** Bytes. */
const MAX_SIZE = 12 * 2 ** 20
/** Characters of each post in which words are looked for, and that may be shown after them. */
const LOOKED_AT = 12_000
const KEPT = LOOKED_AT + 400

/** Found questions with the texts of their threads: read once, until one of them changes. */
export class FoundQuestions {
  private readonly db: Database
  private readonly cache: ScopedCache<FoundQuestion | null>

  constructor(db: Database, changes: ChangeFeed | null) {
    this.db = db
    this.cache = new ScopedCache(changes, { maxSize: MAX_SIZE, sizeOf })
  }

  /** Those that are there, in the order of their ids. One query for all that are not known. */
  async find(ids: readonly number[]): Promise<FoundQuestion[]> {
    const unknown = ids.filter((id) => !this.cache.has(String(id)))
    const rows = this.read(unknown)
    const load = async (id: number) => loaded((await rows).get(id) ?? (await this.read([id])).get(id))
    const found = await Promise.all(ids.map((id) => this.cache.find(String(id), () => load(id))))
    return found.filter((question) => question !== null)
  }

  private async read(ids: readonly number[]): Promise<Map<number, HitRow>> {
    return new Map((await findHits(this.db, ids)).map((row) => [row.id, row]))
  }
}

function loaded(row: HitRow | undefined): Loaded<FoundQuestion | null> {
  if (row === undefined) return { value: null, scopes: null }
  const { body_html, answers, replies, ...question } = row
  const [accepted, others] = [
    answers.filter((one) => one.is_accepted),
    answers.filter((one) => !one.is_accepted),
  ]
  const posts = [
    ...accepted.map((answer) => new Post(answer.body_html, answer.id)),
    new Post(body_html, null),
    ...others.map((answer) => new Post(answer.body_html, answer.id)),
    ...replies.map((reply) => new Post(reply.body_html, reply.answer_id)),
  ]
  const value = { ...question, searchableTitle: new SearchableText(row.title), posts }
  return { value, scopes: [`question:${row.id}`, `person:${row.author_id}`] }
}

/** Understood when words are looked for in it: most snippets are from the first post. */
class Post implements SnippetSource {
  readonly answerId: number | null
  readonly length: number
  private source: string | SearchableText

  constructor(html: string, answerId: number | null) {
    this.source = html
    this.length = html.length
    this.answerId = answerId
  }

  get text(): SearchableText {
    if (typeof this.source === 'string')
      this.source = new SearchableText(oneLine(this.source).slice(0, KEPT), LOOKED_AT)
    return this.source
  }
}

function oneLine(html: string): string {
  // A blank alone stays as it is: replacing each of them takes four times as long.
  return plainText(html)
    .replace(/[^\S ]\s*| \s+/g, ' ')
    .trim()
}

/** About as many bytes as it takes: each text has a copy in lower case. */
function sizeOf(question: FoundQuestion | null): number {
  const posts = question?.posts ?? []
  return posts.reduce((sum, post) => sum + 3 * Math.min(post.length, KEPT), 0)
}
