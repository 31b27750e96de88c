import { sql } from 'kysely'
import type { Language, Write } from '../../database/schema.ts'
import { owesSecondFactor } from '../../kernel/rights/person.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { type Asked, type Notified, newsOf } from '../notifications/queries.ts'
import type { FreshPost } from '../telling/fresh.ts'

export interface Reader {
  readonly id: number
  readonly email: string
  readonly isAdmin: boolean
  readonly owesSecondFactor: boolean
  readonly language: Language | null
  readonly timeZone: string | null
}

/** A question with what is new in it, or an announcement, as its reader may know it now. */
export type News = Notified<NewPost>

export interface NewPost extends FreshPost {
  readonly body: string
  readonly html: string
  readonly writtenAt: string
}

/** Those of these people who get mail, by their ids: not where the address is not confirmed, came back three times, or is gone. */
export async function readersOf(write: Write, people: readonly number[]) {
  const { rows } = await sql<Reader>`
    select id, email, is_admin as "isAdmin", language, time_zone as "timeZone",
      ${owesSecondFactor} as "owesSecondFactor"
    from people as person
    where id = any(${[...people]}::bigint[]) and email is not null and email_confirmed_at is not null and left_at is null
      and mail_stopped_for is distinct from email`.execute(write)
  return new Map(rows.map((reader) => [reader.id, reader]))
}

/** What is new in these, announcements first, by mail: one that is not among them has nothing to tell. */
export async function newsByMail(
  write: Write,
  asked: readonly Asked[],
): Promise<ReadonlyMap<number, readonly News[]>> {
  const rows = await newsOf<NewPost>(write, 'email', asked, {
    post: sql`'body', post.body, 'html', post.body_html, 'writtenAt', post.written_at`,
    news: sql`'body', news.body, 'writtenAt', news.published_at`,
  })
  const html = await announcedHtml(rows)
  const news = rows.map((row) =>
    row.announcementId === null
      ? row
      : { ...row, posts: row.posts.map((post) => ({ ...post, html: html.get(post.body) ?? '' })) },
  )
  news.sort(
    (one, other) =>
      Number(one.announcementId === null) - Number(other.announcementId === null) ||
      one.since.getTime() - other.since.getTime() ||
      one.id - other.id,
  )
  return Map.groupBy(news, ({ mail }) => mail)
}

/** By their Markdown: the same announcement goes to many. */
async function announcedHtml(news: readonly News[]): Promise<ReadonlyMap<string, string>> {
  const bodies = news.flatMap(({ announcementId, posts }) =>
    announcementId === null ? [] : posts.map(({ body }) => body),
  )
  const texts = await prepareMarkdown([...new Set(bodies)])
  return new Map(texts.map(({ source, html }) => [source, html]))
}
