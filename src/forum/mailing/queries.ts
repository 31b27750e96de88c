import { sql } from 'kysely'
import type { Database, Language, Rhythm } from '../../database/schema.ts'

export interface MailSettings {
  readonly email: string | null
  readonly isConfirmed: boolean
  readonly isStopped: boolean
  /** Of a course at least. */
  readonly isStaff: boolean
  readonly rhythm: Rhythm
  readonly mailsOff: readonly string[]
  readonly courses: readonly {
    readonly id: number
    readonly slug: string
    readonly title: string
    readonly language: Language
    /** null: as the person's. */
    readonly rhythm: Rhythm | null
  }[]
}

/** How often mail comes to a person, and of what. */
export async function findMailSettings(db: Database, personId: number): Promise<MailSettings> {
  const person = await db
    .selectFrom('people')
    .select(['email', 'mail_rhythm as rhythm', 'mails_off as mailsOff'])
    .select(sql<boolean>`email_confirmed_at is not null`.as('isConfirmed'))
    .select(sql<boolean>`coalesce(mail_stopped_for = email, false)`.as('isStopped'))
    .select(
      sql<boolean>`exists (select from course_members where person_id = people.id and role <> 'learner')`.as(
        'isStaff',
      ),
    )
    .where('id', '=', personId)
    .executeTakeFirstOrThrow()
  const courses = await db
    .selectFrom('course_members as member')
    .innerJoin('courses as course', 'course.id', 'member.course_id')
    .select(['course.id', 'course.slug', 'course.title', 'course.language', 'member.mail_rhythm as rhythm'])
    .where('member.person_id', '=', personId)
    .orderBy(sql`lower(course.title)`)
    .orderBy('course.id')
    .limit(30)
    .execute()
  return { ...person, courses }
}
