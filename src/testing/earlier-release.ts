import { sql } from 'kysely'
import pg from 'pg'
import { migrate } from '../database/migrate.ts'
import { statementsOf } from '../database/migrations/apply.ts'
import { baseline, functionFiles } from '../database/migrations/files.ts'
import type { Database } from '../database/schema.ts'

const UNDEFINED_TABLE = '42P01'

/** What functions that 0.3.0 had as well say of columns that came later. */
const LATER_COLUMNS = /,? (?:and )?(?:old|new)\.closing_reason(?: is null)?/g

/** Its triggers, on tables of 0.3.0, write to one that came later. */
const LATER_FILE = 'events'

/** Gives an empty database the tables of 0.3.0 with functions and triggers, but for those of later tables, and nothing that records these. */
export async function becomeEarlier(db: Database): Promise<void> {
  await migrate(db, { only: (await baseline()).map(({ name }) => name) })
  for (const { text } of (await functionFiles()).filter(({ name }) => name !== LATER_FILE))
    for (const statement of statementsOf(text.replace(LATER_COLUMNS, '')))
      await unlessLater(sql.raw(statement).execute(db))
  await sql`drop table schema_files`.execute(db)
}

async function unlessLater(creation: Promise<unknown>): Promise<void> {
  await creation.catch((error: unknown) => {
    if (!(error instanceof pg.DatabaseError && error.code === UNDEFINED_TABLE)) throw error
  })
}

/** A question with an answer, on the tables of 0.3.0: what builds other tests' posts writes to today's. */
export async function anEarlierTalk(db: Database) {
  const { rows } = await sql<{ courseId: number; authorId: number; questionId: number }>`
    with author as (insert into people (display_name) values ('Mara') returning id),
    course as (insert into courses (slug, title) values ('rest', 'REST') returning id),
    category as (
      insert into categories (course_id, slug, name) select id, 'questions-and-answers', 'Questions' from course returning id),
    question as (
      insert into questions (course_id, category_id, author_id, title, body, body_html, renderer_version)
      select course.id, category.id, author.id, 'What is a hypermedia control?', 'I wonder.', '<p>I wonder.</p>', 1
      from author, course, category returning id, course_id, author_id)
    select id as "questionId", course_id as "courseId", author_id as "authorId" from question`.execute(db)
  const [talk] = rows
  if (talk === undefined) throw new Error('no question was made')
  await sql`
    insert into answers (question_id, author_id, body, body_html, renderer_version)
    values (${talk.questionId}, ${talk.authorId}, 'A link.', '<p>A link.</p>', 1)`.execute(db)
  return talk
}
