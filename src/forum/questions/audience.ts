import { type RawBuilder, sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import type { Person } from '../../kernel/rights/person.ts'
import { isNamedAsStaff } from '../../kernel/rights/rights.ts'
import { lockQuestion } from '../posts/lock.ts'
import { hideMentionsOfAsker } from '../posts/rewritten-text.ts'
import { indexQuestions } from '../search/index-question.ts'

export function mayHide(person: Person, course: { readonly id: number; readonly allowsAnonymous: boolean }) {
  return course.allowsAnonymous && !isNamedAsStaff(person, course.id)
}

/** Keeps a question and everything under it to its asker and the staff. Twice is once. */
export async function withdrawQuestion(write: Write, id: number): Promise<void> {
  await lockQuestion(write, id)
  await write.updateTable('questions').set({ audience: 'staff' }).where('id', '=', id).execute()
  await indexQuestions(write, [id])
}

/**
 * Opens a private question to the course; one that is open stays as it is.
 * @param isAnonymous whether classmates see the asker's name on the question and on all that the asker wrote under it;
 *   null: as each post is
 */
export async function openQuestion(write: Write, id: number, isAnonymous: boolean | null): Promise<void> {
  await lockQuestion(write, id)
  const opened = await write
    .updateTable('questions')
    .set({ audience: 'course' })
    .where('id', '=', id)
    .where('audience', '=', 'staff')
    .returning('author_id')
    .executeTakeFirst()
  if (opened === undefined) return
  if (isAnonymous !== null) {
    const asker = opened.author_id
    const own = { is_anonymous: isAnonymous }
    await write.updateTable('questions').set(own).where('id', '=', id).execute()
    for (const table of ['answers', 'replies'] as const) {
      const posts = write.updateTable(table).set(own).where('question_id', '=', id)
      await posts.where('author_id', '=', asker).execute()
    }
  }
  await hideMentionsOfAsker(write, id)
  await write.updateTable('questions').set({ was_open: true }).where('id', '=', id).execute()
  await indexQuestions(write, [id])
}

/** What decides how a question may be opened, or kept: the course's switches, and whether classmates ever saw it. */
export async function findOpenness(db: Database, id: number) {
  return db
    .selectFrom('questions as q')
    .innerJoin('courses as course', 'course.id', 'q.course_id')
    .select(['q.audience', 'q.is_anonymous as isAnonymous', 'q.was_open as wasOpen'])
    .select(['course.allows_private as allowsPrivate', 'course.allows_anonymous as allowsAnonymous'])
    .where('q.id', '=', id)
    .executeTakeFirstOrThrow()
}

/** Whether staff decided that a question stays private: its asker may share it when that is over. */
export async function isKeptPrivate(write: Write, id: number): Promise<boolean> {
  const { rows } = await sql<{ isKept: boolean }>`
    select ${keptPrivate(sql`${id}::bigint`)} as "isKept"`.execute(write)
  return rows[0]?.isKept === true
}

export const keptPrivate = (id: RawBuilder<unknown>): RawBuilder<boolean> => sql<boolean>`exists (
  select from cases as matter
  join measures on measures.case_id = matter.id and measures.kind = 'private' and measures.ended_at is null
  where matter.question_id = ${id} or matter.answer_id in (select id from answers where question_id = ${id})
    or matter.reply_id in (select id from replies where question_id = ${id}))`
