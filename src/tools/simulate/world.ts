import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { addMember, createCourse, setLectures } from '../../forum/courses/commands.ts'
import { LECTURES } from '../generate/course-titles.ts'
import { DAY_MS, WEEK_MS } from './rhythm.ts'

/** What to simulate. */
export interface Scenario {
  readonly weeks: number
  readonly learners: number
  readonly staff: number
  readonly seed: number
}

/** A course and its people, as they are when it begins. */
export interface World {
  readonly courseId: number
  readonly slug: string
  readonly lectureIds: readonly number[]
  readonly learnerIds: readonly number[]
  readonly staffIds: readonly number[]
  /** The Monday on which it begins, UTC. */
  readonly beginsAt: number
}

/** Accounts, a public course in UTC with lectures, and who teaches it. */
export async function foundWorld(
  db: Database,
  { weeks, learners, staff }: Scenario,
  now: Date,
): Promise<World> {
  return db.transaction().execute(async (write) => {
    const course = await createCourse(write, { title: 'Simulated course', language: 'en', timeZone: 'UTC' })
    await setLectures(
      write,
      course.id,
      LECTURES.map((title, index) => ({ position: index + 1, title })),
    )
    const lectures = await write
      .selectFrom('lectures')
      .select('id')
      .where('course_id', '=', course.id)
      .orderBy('position')
      .execute()
    const people = await sql<{ id: number }>`
      insert into people (display_name, email, email_confirmed_at)
      select 'Simulated ' || number, 'simulated-' || number || '@example.org', now()
      from generate_series(1, ${learners + staff}) as number returning id`.execute(write)
    const [staffIds, learnerIds] = [people.rows.slice(0, staff), people.rows.slice(staff)].map((rows) =>
      rows.map(({ id }) => id),
    )
    for (const [index, id] of (staffIds ?? []).entries())
      await addMember(write, course.id, id, index === 0 ? 'instructor' : 'assistant')
    await sql`
      insert into course_members (course_id, person_id, role)
      select ${course.id}, id, 'learner' from unnest(${learnerIds ?? []}::bigint[]) as id`.execute(write)
    return {
      courseId: course.id,
      slug: course.slug,
      lectureIds: lectures.map(({ id }) => id),
      learnerIds: learnerIds ?? [],
      staffIds: staffIds ?? [],
      beginsAt: mondayBefore(now, weeks),
    }
  })
}

function mondayBefore(now: Date, weeks: number): number {
  // 1970-01-01 was a Thursday, four days before the first Monday.
  const firstMonday = 4 * DAY_MS
  return Math.floor((now.getTime() - firstMonday) / WEEK_MS) * WEEK_MS + firstMonday - weeks * WEEK_MS
}
