import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { canSignIn } from '../../rights/can-sign-in.ts'
import { deleteDrafts, releaseDuplicates } from './delete-posts.ts'

/** What goes with a course, itself not counted. */
export interface CourseParts {
  readonly members: number
  readonly questions: number
  readonly answers: number
  readonly replies: number
  readonly announcements: number
  readonly pictures: number
}

/** What deleting a course would delete. */
export async function findCourseParts(db: Database, courseId: number): Promise<CourseParts> {
  const inCourse = (table: 'answers' | 'replies') => sql`
    (select count(*) from ${sql.table(table)} as post join questions as q on q.id = post.question_id
      where q.course_id = ${courseId})::integer`
  const { rows } = await sql<CourseParts>`
    select (select count(*) from course_members where course_id = ${courseId})::integer as members,
      (select count(*) from questions where course_id = ${courseId})::integer as questions,
      ${inCourse('answers')} as answers, ${inCourse('replies')} as replies,
      (select count(*) from announcements where course_id = ${courseId})::integer as announcements,
      (select count(distinct image_id) from post_images as shown
        left join answers as a on a.id = shown.answer_id left join replies as r on r.id = shown.reply_id
        left join announcements as news on news.id = shown.announcement_id
        left join questions as q on q.id = coalesce(shown.question_id, a.question_id, r.question_id)
        where coalesce(q.course_id, news.course_id) = ${courseId})::integer as pictures`.execute(db)
  const [parts] = rows
  if (parts === undefined) throw new Error('a count gave no row')
  return parts
}

/** Questions of one step, so that nobody waits long for it. */
const BATCH = 100

/**
 * Deletes a course for good with everything in it, and the people who only came with its imports. First it is closed to everybody
 * but its members, then its questions go in steps, and the course itself last: a kill leaves a smaller course, to be deleted again.
 * Pictures are taken by sweepPictures.
 * @param onStep gets how many questions went
 */
export async function deleteCourse(
  db: Database,
  courseId: number,
  onStep: (questions: number) => void = () => {},
): Promise<void> {
  const now = sql<Date>`coalesce(archived_at, now())`
  const closed = { is_public: false, archived_at: now }
  await db.updateTable('courses').set(closed).where('id', '=', courseId).execute()
  for (;;) {
    const deleted = await deleteSome(db, courseId)
    onStep(deleted)
    if (deleted < BATCH) break
  }
  await db.transaction().execute(async (write) => {
    const { rows: people } = await sql<{ id: number }>`
      select person_id as id from imported_people where course_id = ${courseId}`.execute(write)
    await sql`delete from drafts using courses as course where course.id = ${courseId}
      and (place like '/courses/' || course.slug || '/%' or fields ->> 'course' = course.slug)`.execute(write)
    await write.deleteFrom('courses').where('id', '=', courseId).execute()
    await deleteImported(
      write,
      people.map(({ id }) => id),
    )
  })
}

function deleteSome(db: Database, courseId: number): Promise<number> {
  return db.transaction().execute(async (write) => {
    const questions = await write
      .selectFrom('questions')
      .select('id')
      .where('course_id', '=', courseId)
      .orderBy('id')
      .limit(BATCH)
      .forUpdate()
      .execute()
    for (const { id } of questions) await deleteDrafts(write, { table: 'questions', id })
    const ids = questions.map(({ id }) => id)
    await releaseDuplicates(write, ids)
    await sql`delete from questions where id = any(${ids}::bigint[])`.execute(write)
    return ids.length
  })
}

/** People in whose accounts no one can sign in, and of whom nothing is left elsewhere. */
async function deleteImported(
  write: Parameters<typeof deleteDrafts>[0],
  ids: readonly number[],
): Promise<void> {
  await sql`
    delete from people as person
    where id = any(${ids}::bigint[]) and left_at is null and not ${canSignIn()}
      and not exists (select from imported_people where person_id = person.id)
      and not exists (select from course_members where person_id = person.id)
      and not exists (select from questions where author_id = person.id)
      and not exists (select from answers where author_id = person.id)
      and not exists (select from replies where author_id = person.id)`.execute(write)
}
