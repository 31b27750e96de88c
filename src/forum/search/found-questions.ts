import { sql } from 'kysely'
import { idsOfAnyNumber } from '../../database/compiled.ts'
import type { Database, Language } from '../../database/schema.ts'
import { plainText } from '../../text/plain.ts'
import { type Occurrence, type OccurrenceFinder, SearchableText } from '../../text/words/occurrences.ts'
import { isPair } from '../../text/words/terms.ts'
import type { ChangeFeed } from '../../web/change-feed/change-feed.ts'
import { type Loaded, ScopedCache } from '../../web/scoped-cache/scoped-cache.ts'
import type { AuthorRow } from '../authors/byline.ts'
import { sealedName } from '../authors/sealed-name.ts'

interface HitRow extends AuthorRow {
  readonly id: number
  readonly title: string
  readonly status: 'resolved' | 'unresolved'
  readonly answers_count: number
  readonly votes_count: number
  readonly views_count: number
  readonly written_at: string
  readonly course_slug: string
  readonly course_title: string
  readonly time_zone: string
  readonly language: Language
  readonly course_id: number
  readonly tags: readonly string[]
  readonly body_html: string
  readonly is_endorsed: boolean
  readonly was_staff: boolean
  readonly answers: readonly {
    readonly id: number
    readonly body_html: string
    readonly is_accepted: boolean
  }[]
  readonly replies: readonly { readonly answer_id: number | null; readonly body_html: string }[]
}

const ANSWERS = 10
const REPLIES = 20

export async function findHits(db: Database, ids: readonly number[]): Promise<HitRow[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<HitRow>`
    select q.id, q.title, q.status, q.answers_count, q.votes_count, q.views_count, to_json(q.written_at)#>>'{}' as written_at,
      course.slug as course_slug, course.title as course_title, course.time_zone, course.language,
      course.id as course_id, q.is_anonymous, q.was_staff, author.id as author_id,
      ${sealedName('author.display_name')} as author_name, member.role as author_role, left(q.body_html, 20000) as body_html,
      array(select (select name from tags where tags.id = own.tag_id) from question_tags as own
        where own.question_id = q.id order by own.position) as tags,
      exists (select from answers where question_id = q.id and endorsed_at is not null and is_shown) as is_endorsed,
      (select coalesce(json_agg(a), '[]') from (
        select id, left(body_html, 20000) as body_html, id is not distinct from q.accepted_answer_id as is_accepted
        from answers where question_id = q.id and is_shown
        order by id is not distinct from q.accepted_answer_id desc, votes_count desc, id limit ${ANSWERS}) as a) as answers,
      (select coalesce(json_agg(r), '[]') from (
        select answer_id, left(body_html, 5000) as body_html from replies
        where question_id = q.id and is_shown order by id limit ${REPLIES}) as r) as replies
    from questions as q
    join courses as course on course.id = q.course_id
    join people as author on author.id = q.author_id
    left join course_members as member on member.course_id = q.course_id and member.person_id = q.author_id
    where q.id = any(${idsOfAnyNumber(ids)}) and q.is_listed`.execute(db)
  return rows
}

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
  const accepted = answers.filter((one) => one.is_accepted)
  const others = answers.filter((one) => !one.is_accepted)
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

/** A stretch of a post around the words that were searched for, as parts to show one after another. */
export interface Snippet {
  readonly parts: readonly { readonly text: string; readonly isMarked: boolean }[]
  readonly answerId: number | null
}

export interface SnippetSource {
  readonly text: SearchableText
  readonly answerId: number | null
}

/** How long a snippet is, in UTF-16 units. */
const LENGTH = 220
/**
 * The plain stretch with the most different words; an earlier text wins a tie, the first with all words ends it.
 * @param wordsCount how many different words (lexemes) `find` looks for
 */
export function snippetOf(sources: Iterable<SnippetSource>, find: OccurrenceFinder, wordsCount: number) {
  let best: { source: SnippetSource; window: Window } | null = null
  for (const source of sources) {
    const window = bestWindow(find(source.text), wordsCount)
    if (best === null || window.words > best.window.words) best = { source, window }
    if (window.words >= wordsCount) break
  }
  if (best === null) return { parts: [], answerId: null }
  return { parts: partsOf(best.source.text.text, best.window), answerId: best.source.answerId }
}

export function markedText(text: SearchableText, find: OccurrenceFinder): Snippet['parts'] {
  return cutParts(text.text, 0, text.text.length, withoutFragments([...find(text)]))
}

type Window = { readonly start: number; readonly words: number; readonly marked: readonly Occurrence[] }

/** Slides over what matches, as far as the first place with all the words: each occurrence enters and leaves once. */
function bestWindow(found: Iterable<Occurrence>, wordsCount: number): Window {
  const occurrences: Occurrence[] = []
  const inside = new Map<string, number>()
  let best: Window = { start: 0, words: 0, marked: [] }
  let first = 0
  for (const occurrence of found) {
    occurrences.push(occurrence)
    for (const word of occurrence.lexemes) inside.set(word, (inside.get(word) ?? 0) + 1)
    while ((occurrences[first]?.start ?? 0) < occurrence.end - LENGTH && first < occurrences.length - 1) {
      for (const word of occurrences[first]?.lexemes ?? []) leave(inside, word)
      first += 1
    }
    if (inside.size > best.words) {
      const start = occurrences[first]?.start ?? 0
      best = { start, words: inside.size, marked: occurrences.slice(first) }
    }
    if (best.words >= wordsCount) break
  }
  return best
}

function leave(inside: Map<string, number>, word: string): void {
  const count = (inside.get(word) ?? 1) - 1
  if (count === 0) inside.delete(word)
  else inside.set(word, count)
}

/** The window with a little before it, from a word's beginning to a word's end, with … where it was cut. */
function partsOf(text: string, window: Window): Snippet['parts'] {
  const lead = Math.max(0, window.start - 50)
  const start = lead === 0 ? 0 : text.indexOf(' ', lead) + 1 || window.start
  const from = Math.min(start, window.start)
  const limit = from + LENGTH
  const space = text.lastIndexOf(' ', limit)
  const end = limit >= text.length ? text.length : space > from ? space : limit
  const parts = cutParts(text, from, end, withoutFragments(window.marked))
  const before = from > 0 ? [{ text: '… ', isMarked: false }] : []
  const after = end < text.length ? [{ text: ' …', isMarked: false }] : []
  return [...before, ...parts, ...after]
}

/** Where a whole word matched, its end in another one is left out, beside 테스트 the 스트 of 컨텍스트, and so are beginnings of longer words. */
function withoutFragments(found: readonly Occurrence[]): Occurrence[] {
  const whole = new Set(found.filter(({ lexemes }) => lexemes.length > 1).flatMap(({ lexemes }) => lexemes))
  const isBegunAlone = found.every(({ isBeginning }) => isBeginning)
  return found.filter(({ lexemes, isBeginning }) => {
    if (isBeginning) return isBegunAlone
    const [only = '', ...more] = lexemes
    return more.length > 0 || !isPair(only) || !whole.has(only)
  })
}

function cutParts(text: string, start: number, end: number, marked: readonly Occurrence[]): Snippet['parts'] {
  const parts: { text: string; isMarked: boolean }[] = []
  let at = start
  for (const piece of marked) {
    if (piece.start < at || piece.end > end) continue
    if (piece.start > at) parts.push({ text: text.slice(at, piece.start), isMarked: false })
    parts.push({ text: text.slice(piece.start, piece.end), isMarked: true })
    at = piece.end
  }
  if (at < end) parts.push({ text: text.slice(at, end), isMarked: false })
  return parts
}
