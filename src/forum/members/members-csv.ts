import { sql } from 'kysely'
import type { Database, Role } from '../../database/schema.ts'
import { csvOf } from '../../text/csv.ts'

interface Exported {
  readonly name: string
  readonly email: string
  readonly role: Role
  readonly questions: number
  readonly answers: number
}

/** The members of a course as CSV, which can be pasted as a list again. Index course_members_pkey. */
export async function membersCsv(db: Database, courseId: number): Promise<string> {
  const { rows } = await sql<Exported>`
    select person.display_name as name, coalesce(person.email, '') as email, member.role,
      coalesce(wrote.questions_count, 0) as questions, coalesce(wrote.answers_count, 0) as answers
    from course_members as member join people as person on person.id = member.person_id
    left join course_authors as wrote on wrote.course_id = member.course_id and wrote.person_id = member.person_id
    where member.course_id = ${courseId} order by member.person_id`.execute(db)
  const columns = ['name', 'email', 'role', 'questions', 'answers'] as const
  return csvOf([columns, ...rows.map((row) => columns.map((column) => String(row[column])))])
}
