import { z } from 'zod'
import { notFound } from '../../kernel/problem.ts'
import { API, listOf, reading } from '../../web/json/endpoint.ts'
import { pageIn, paging } from '../../web/json/paging.ts'
import { count, id, resource, role, time, url } from '../../web/json/resource.ts'
import { questionPath } from '../../web/paths.ts'
import { findLecture } from '../courses/choices.ts'
import { courseFor } from '../courses/find-course.ts'
import { type DeskRow, listDesk } from './queries.ts'
import { DESK_VIEWS } from './views.ts'

const staff = z.object({ id, name: z.string(), role: role.nullable() })

const deskSchema = resource('DeskEntry', {
  question: id,
  title: z.string(),
  lecture: z.int().nullable(),
  votes_count: count,
  is_private: z.boolean(),
  is_overdue: z.boolean(),
  waiting_since: time.nullable(),
  classmates_since: time.nullable(),
  asker_since: time.nullable(),
  replied_since: time.nullable(),
  snoozed_until: time.nullable(),
  assignee: staff.nullable(),
  url,
})

const deskQuery = z.object({
  ...paging,
  view: z.enum(DESK_VIEWS).default('waiting'),
  lecture: z.coerce.number().int().positive().max(999_999).optional(),
})

export const deskEndpoint = reading(
  '/courses/:course/desk',
  listOf(deskSchema),
  { name: 'listDesk', tag: 'desk', scope: 'staff', query: deskQuery },
  async (call) => {
    const { request, query } = call
    const course = await courseFor(request, 'work-desk')
    const { db } = request.server
    const position = query.lecture
    const lecture = position === undefined ? null : await findLecture(db, course.id, String(position))
    if (position !== undefined && lecture === null) throw notFound()
    const viewerId = request.requirePerson().id
    const filter = { courseId: course.id, view: query.view, lectureId: lecture?.id ?? null, viewerId }
    const page = await listDesk(db, filter, pageIn(query.cursor, 'time'), query.limit)
    return { items: page.rows.map(deskItem), next: page.older }
  },
)

function deskItem(row: DeskRow) {
  const { id, assignee_id: assignee, assignee_name: name, assignee_role: role } = row
  return {
    ...{ ...row, question: id, lecture: row.lecture_position, is_overdue: row.is_due },
    assignee: assignee === null || name === null ? null : { id: assignee, name, role },
    links: {
      question: `${API}/questions/${id}`,
      html: questionPath({ id, title: row.title, audience: row.is_private ? 'staff' : 'course' }),
    },
  }
}
