import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { findSiteSettings } from '../../kernel/rights/site-settings.ts'
import { proseText } from '../../text/plain.ts'
import { ofEveryKind, type PostKey, type PostTable, withQuestion } from './kinds.ts'
import type { HeldFor } from './text.ts'

/** A text that is looked at: `title` and `tags` of a question; `html` as it is rendered. */
export interface LookedAt {
  readonly title?: string
  readonly tags?: readonly string[]
  readonly html: string
  /** The post that it replaces a text of. */
  readonly except?: PostKey
}

interface Writing {
  readonly courseId: number
  readonly authorId: number
  /** The forum's address: links that begin with it are its own. */
  readonly baseUrl: string
}

/** What is noticed of a stranger's text; null: nothing. No machine decides for good: it only waits for a person. */
export async function signalIn(write: Write, writing: Writing, post: LookedAt): Promise<HeldFor | null> {
  if (await leadsToUnknownHosts(write, writing, post)) return 'hosts'
  return (await isPostedBefore(write, writing, post)) ? 'same-text' : null
}

/** A course where people have linked to what they use: fewer posts say little about that. */
const POSTS_THAT_TELL = 200
const HOSTS_BEFORE = 5

/** Whether a post links to more hosts than a stranger's may that no shown post of the course links to. */
async function leadsToUnknownHosts(write: Write, { courseId, baseUrl }: Writing, { html, except }: LookedAt) {
  const hosts = hostsIn(html, baseUrl)
  const { firstDayHosts } = await findSiteSettings(write)
  if (hosts.length <= Math.min(firstDayHosts, HOSTS_BEFORE)) return false
  const links = ofEveryKind(
    (table) => sql`
    select post.body_html as html from ${withQuestion(table)}
    where q.course_id = ${courseId} and q.is_shown and post.is_shown and post.body_html like '%<a href="http%'
      and ${isAnother(table, except)}`,
  )
  const { rows } = await sql<{ unknown: number; posts: number }>`
    select (select count(*)::integer from unnest(${hosts}::text[]) as host where not exists (
      select from (${links}) as linking
      where position('://' || host || '/' in html) > 0 or position('://' || host || '"' in html) > 0)) as unknown,
      (select coalesce(sum(questions_count + answers_count), 0)::integer from course_authors where course_id = ${courseId}) as posts`.execute(
    write,
  )
  const [found] = rows
  if (found === undefined) return false
  return found.unknown > (found.posts < POSTS_THAT_TELL ? HOSTS_BEFORE : firstDayHosts)
}

/** Of alias `post`, in a table. */
const isAnother = (table: PostTable, except: PostKey | undefined) =>
  except?.table === table ? sql`post.id <> ${except.id}` : sql`true`

/** The hosts that a post links to, each once; not those in code, and not our own. */
export function hostsIn(html: string, baseUrl: string): string[] {
  const own = new URL(baseUrl).host
  const hosts = linksIn(html).flatMap((address) => (URL.canParse(address) ? [new URL(address).host] : []))
  return [...new Set(hosts)].filter((host) => host !== own)
}

/** The addresses that a rendered text links to. */
export const linksIn = (html: string) =>
  [...html.matchAll(/<a href="(https?:[^"]*)"/gi)].map(([, address = '']) => address.replaceAll('&amp;', '&'))

/** Letters of a text that are compared: fewer say nothing, and no more are looked at. */
const FEWEST_LETTERS = 60
const MOST_LETTERS = 3000
const PIECE = 5
/** How much of the shorter of two texts is in the other where they are nearly the same. */
const NEARLY = 0.78
/** The first copies pass: who misses their post may send it again. */
const COPIES = 2
const MOST_COMPARED = 200

/** Whether the same stranger posted nearly the same in the course, or other strangers did within a day, COPIES times. */
async function isPostedBefore(write: Write, writing: Writing, { title = '', html, except }: LookedAt) {
  const { rows } = await sql<{ template: string }>`
    select question_template as template from courses where id = ${writing.courseId}`.execute(write)
  const template = rows[0]?.template ?? ''
  const pieces = piecesOf(title, html, template)
  if (pieces === null) return false
  let copies = 0
  for (const other of await textsBefore(write, writing, except)) {
    const compared = piecesOf(other.title ?? '', other.html, template)
    if (compared !== null && likeness(pieces, compared) >= NEARLY) copies += 1
  }
  return copies >= COPIES
}

/** Public posts of strangers in the course: their own, and those of the last day. Indexes: questions_of_author, questions_written. */
async function textsBefore(write: Write, { courseId, authorId }: Writing, except: PostKey | undefined) {
  const posts = ofEveryKind(
    (table) => sql`(
    select ${table === 'questions' ? sql`post.title` : sql`null::text`} as title, left(post.body_html, 20000) as html, post.written_at
    from ${withQuestion(table)} join people as author on author.id = post.author_id
    where q.course_id = ${courseId} and q.is_listed and post.is_shown and author.new_until is not null
      and (post.author_id = ${authorId} or q.active_at > now() - interval '1 day' and post.written_at > now() - interval '1 day')
      and ${isAnother(table, except)}
    order by post.written_at desc limit ${sql.lit(MOST_COMPARED)})`,
  )
  const { rows } = await sql<{ title: string | null; html: string }>`
    select title, html from (${posts}) as posted order by written_at desc limit ${sql.lit(MOST_COMPARED)}`.execute(
    write,
  )
  return rows
}

/** Quotes, and addresses that are their own text: copies differ in these. */
const NOT_THEIR_WORDS = /<blockquote>[\s\S]*?<\/blockquote>|<a href="[^"]*"[^>]*>https?:[^<]*<\/a>/g

/** The pieces of PIECE letters of what somebody wrote themselves, without code, quotes, addresses and the course's template; null: too short. */
function piecesOf(title: string, html: string, template: string): ReadonlySet<string> | null {
  const own = proseText(html.replace(NOT_THEIR_WORDS, ' '))
  const lines = new Set(template.split('\n').map(lettersOf))
  const letters = [title, ...own.split('\n')]
    .map(lettersOf)
    .filter((line) => !lines.has(line))
    .join('')
    .slice(0, MOST_LETTERS)
  if (letters.length < FEWEST_LETTERS) return null
  return new Set(Array.from({ length: letters.length - PIECE + 1 }, (_, at) => letters.slice(at, at + PIECE)))
}

const lettersOf = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')

/** What two texts have in common, of the shorter one: 0 to 1. */
function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let common = 0
  for (const piece of one) if (other.has(piece)) common += 1
  return common / Math.min(one.size, other.size)
}
