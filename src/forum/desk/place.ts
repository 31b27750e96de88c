import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { notFound } from '../../kernel/problem.ts'
import type { Reach } from '../../kernel/rights/rights.ts'
import type { PageContext } from '../../web/page.ts'
import { choiceParam, queryParam } from '../../web/params.ts'
import { deskPath, pathWith } from '../../web/paths.ts'
import { findLecture, type Lecture } from '../courses/choices.ts'
import { MAX_COUNTED } from '../courses/course-bar.ts'
import type { Course } from '../courses/queries.ts'
import { DESK_VIEWS, type DeskViewName } from './views.ts'

export interface DeskPlace {
  readonly view: DeskViewName
  readonly lecture: Lecture | null
}

/** @throws Problem 404 for a lecture that the course has not */
export async function deskPlace(
  { query, server }: Pick<PageContext, 'query' | 'server'>,
  course: Course,
): Promise<DeskPlace> {
  const position = queryParam({ query }, 'lecture')
  const lecture = position === null ? null : await findLecture(server.db, course.id, position)
  if (position !== null && lecture === null) throw notFound()
  return { view: choiceParam({ query }, 'view', DESK_VIEWS, 'waiting'), lecture }
}

export function placePath(
  slug: string,
  { view, lecture }: { readonly view: DeskViewName; readonly lecture: Pick<Lecture, 'position'> | null },
  others: Readonly<Record<string, string | number | null>> = {},
): string {
  return pathWith(deskPath(slug), {
    view: view === 'waiting' ? null : view,
    lecture: lecture?.position ?? null,
    ...others,
  })
}

/** How a draft of a question's answer names its form: it is one on the desk and on the question's page. */
export const draftPlace = (questionId: number) => `/questions/${questionId}/answers`

const MAX_SHOWN = 200

/** The courses whose desk somebody works at, those where most waits first; archived ones wait for nobody. There are few courses. */
export async function deskCourses(db: Database, { isAll, courseIds }: Reach) {
  const { rows } = await sql<{ slug: string; title: string; isArchived: boolean; waitingCount: number }>`
    select course.slug, course.title, course.archived_at is not null as "isArchived", (select count(*) from (
      select from question_desk as desk where desk.course_id = course.id and course.archived_at is null and desk.waiting_since is not null
        and (desk.snoozed_until is null or desk.snoozed_until <= now()) limit ${sql.lit(MAX_COUNTED)}) as waiting
    )::integer as "waitingCount"
    from courses as course where ${isAll ? sql`true` : sql`course.id = any(${courseIds})`}
    order by "isArchived", "waitingCount" desc, course.title, course.id
    limit ${sql.lit(MAX_SHOWN)}`.execute(db)
  return rows
}
