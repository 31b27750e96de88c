import { sql } from 'kysely'
import { numbersOf } from '../../database/merged-accounts.ts'
import type { Database, Language, Write } from '../../database/schema.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { withoutMention } from '../../text/mentions.ts'
import { KINDS, ofEveryKind, type PostKey, questionIdOf } from './kinds.ts'
import { renderedBody } from './text.ts'

/** Has rendered what a change will make of a post: before its transaction, which finds it rendered unless the text changes meanwhile. */
export async function prepareRewriting(
  db: Database,
  { table, id }: PostKey,
  change: (source: string) => string,
): Promise<void> {
  const post = await db
    .selectFrom(table as 'answers')
    .select('body')
    .where('id', '=', id)
    .executeTakeFirst()
  if (post !== undefined) await prepareMarkdown([change(post.body)])
}

/**
 * Changes a post's text and its earlier ones, of a locked question. It is no edit: no history notes it, nobody is told, and the caller
 * indexes the question again.
 */
export async function rewriteText(write: Write, { table, id }: PostKey, change: (source: string) => string) {
  const { body } = await write
    .selectFrom(table as 'answers')
    .select('body')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const changed = change(body)
  if (changed !== body) {
    const [rendered] = await prepareMarkdown([changed])
    await write
      .updateTable(table as 'answers')
      .set(renderedBody(rendered))
      .where('id', '=', id)
      .execute()
  }
  const column = KINDS[table].column
  const versions = await write
    .selectFrom('post_versions')
    .select(['version', 'body'])
    .where(column, '=', id)
    .where('body', 'is not', null)
    .execute()
  for (const { version, body: earlier } of versions)
    await write
      .updateTable('post_versions')
      .set({ body: change(earlier ?? '') })
      .where(column, '=', id)
      .where('version', '=', version)
      .execute()
}

/**
 * Writes the stand-in name wherever staff or the asker mention the asker, in the texts themselves: so that pages, mails, feeds, search
 * and earlier versions have the name nowhere. For a private question that opens anonymously, in its transaction, before it is indexed.
 * A mention by a classmate, of a time when the question was open before, stays: whoever typed it didn't know, and replacing it would
 * say that they were right.
 */
export async function hideMentionsOfAsker(write: Write, questionId: number): Promise<void> {
  const { rows } = await sql<{ askerId: number; number: number; language: Language; posts: PostKey[] }>`
    select q.author_id as "askerId", stand_in.number, course.language,
      (select coalesce(jsonb_agg(jsonb_build_object('table', post.kind, 'id', post.id)), '[]') from (
        ${ofEveryKind(
          (table) => sql`
          select ${sql.lit(table)} as kind, post.id, post.author_id
          from ${sql.table(table)} as post where ${questionIdOf(table)} = q.id`,
        )}) as post
      join people as writer on writer.id = post.author_id
      left join course_members as member on member.course_id = q.course_id and member.person_id = writer.id
      where post.author_id = q.author_id or member.role <> 'learner' or writer.is_admin or not q.was_open) as posts
    from questions as q join courses as course on course.id = q.course_id
    join stand_ins as stand_in on stand_in.question_id = q.id and stand_in.person_id = q.author_id
    where q.id = ${questionId} and q.is_anonymous`.execute(write)
  const [asked] = rows
  if (asked === undefined) return
  const name = translatorOf(asked.language)('authors.anonymousNumber', { number: asked.number })
  const numbers = await numbersOf(write, asked.askerId)
  for (const post of asked.posts)
    await rewriteText(write, post, (source) =>
      numbers.reduce((text, number) => withoutMention(text, number, name), source),
    )
}
