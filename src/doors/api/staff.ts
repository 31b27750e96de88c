import { z } from 'zod'
import { answerRecordsOf } from '../../forum/answers/records.ts'
import { findLecture } from '../../forum/courses/choices.ts'
import { courseFor } from '../../forum/courses/find-course.ts'
import type { Course } from '../../forum/courses/queries.ts'
import { type DeskRow, listDesk } from '../../forum/desk/queries.ts'
import { countFigures } from '../../forum/figures/figures.ts'
import { readRange } from '../../forum/figures/range.ts'
import { FIGURES, tableOf } from '../../forum/figures/tables.ts'
import { dayIn } from '../../forum/figures/weeks.ts'
import { listMembers } from '../../forum/members/queries.ts'
import { courseRecordsAfter } from '../../forum/questions/records.ts'
import { replyRecordsOf } from '../../forum/replies/records.ts'
import { notFound } from '../../operations/problem.ts'
import { personPath, questionPath } from '../../web/paths.ts'
import { API, absolute } from './answering.ts'
import { type Call, linesOf, listOf, oneOf, reading } from './endpoint.ts'
import { list, one } from './outcome.ts'
import { cursorIn, cut, paging } from './paging.ts'
import { answerBodies, questionBodies, replyBodies } from './posts.ts'
import { invalidParameter } from './problem.ts'
import { pseudonyms } from './pseudonyms.ts'
import { memberSchema } from './schemas/people.ts'
import { analyticsSchema, deskSchema, deskView, exportSchema } from './schemas/staff.ts'

const tag = 'desk'
const deskQuery = z.object({
  ...paging,
  view: deskView.default('waiting'),
  lecture: z.coerce.number().int().positive().max(999_999).optional(),
})
const rangeQuery = z.object({ from: z.string().max(20).optional(), to: z.string().max(20).optional() })
/** Questions that an export reads at a time. */
const EXPORTED_AT_ONCE = 100

/** Endpoints for the staff of a course. */
export const staffEndpoints = [
  reading(
    '/courses/:course/desk',
    listOf(deskSchema),
    { name: 'listDesk', tag, scope: 'staff', query: deskQuery },
    async (call) => {
      const { request, query } = call
      const course = await courseFor(request, 'work-desk')
      const { db } = request.server
      const position = query.lecture
      const lecture = position === undefined ? null : await findLecture(db, course.id, String(position))
      if (position !== undefined && lecture === null) throw notFound()
      const viewerId = request.requirePerson().id
      const filter = { courseId: course.id, view: query.view, lectureId: lecture?.id ?? null, viewerId }
      const page = { after: cursorIn(query.cursor, 'time'), before: null }
      const { rows, hasOlder } = await listDesk(db, filter, page, query.limit)
      const cursorOf = ({ at, id }: DeskRow) => ({ value: new Date(at).getTime(), id })
      const { next } = cut(hasOlder ? [...rows, ...rows.slice(-1)] : rows, query.limit, cursorOf)
      return list(
        rows.map((row) => deskBody(request, row)),
        next,
      )
    },
  ),

  reading(
    '/courses/:course/members',
    listOf(memberSchema),
    { name: 'listMembers', tag, scope: 'staff', query: z.object(paging) },
    async (call) => {
      const { request, query } = call
      const course = await courseFor(request, 'see-members')
      const page = { after: cursorIn(query.cursor, 'count'), before: null }
      const filter = { show: 'everybody', search: null } as const
      const { rows, hasOlder } = await listMembers(request.server.db, course.id, filter, page, query.limit)
      const last = rows.at(-1)
      const { next } = cut(hasOlder && last ? [...rows, last] : rows, query.limit, ({ id }) => ({
        value: 0,
        id,
      }))
      return list(
        rows.map((member) => ({
          body: {
            id: member.id,
            name: member.displayName,
            email: member.email,
            role: member.role,
            questions_count: member.questionsCount,
            answers_count: member.answersCount,
            last_seen_at: member.lastSeenAt === null ? null : new Date(member.lastSeenAt).toISOString(),
            url: absolute(request, personPath(member)),
          },
          links: { person: `${API}/people/${member.id}`, html: personPath(member) },
        })),
        next,
      )
    },
  ),

  reading(
    '/courses/:course/analytics',
    oneOf(analyticsSchema),
    { name: 'readAnalytics', tag, scope: 'staff', query: rangeQuery },
    async ({ request, query }) => {
      const course = await courseFor(request, 'see-figures')
      const { weeks, errors } = readRange(query, dayIn(new Date(), course.timeZone))
      if (weeks === null) throw invalidParameter(errors[0]?.field ?? 'from')
      const figures = await countFigures(request.server.db, course, weeks)
      const tables = FIGURES.map((name) => {
        const { columns, rows } = tableOf(name, figures)
        return { name, columns: columns.map((column) => ({ ...column })), rows: rows.map((row) => [...row]) }
      })
      const self = `${API}/courses/${encodeURIComponent(course.slug)}/analytics`
      return one({ body: { from: weeks.from, to: weeks.to, period: figures.unit, tables }, links: { self } })
    },
  ),

  reading(
    '/courses/:course/export',
    linesOf(exportSchema),
    {
      name: 'exportCourse',
      tag,
      scope: 'staff',
      limit: 'download',
      query: z.object({ pseudonymous: z.literal('1').optional() }),
    },
    async ({ request, query }) => {
      const course = await courseFor(request, 'see-members')
      return { kind: 'lines', lines: exported(request, course, query.pseudonymous === '1') }
    },
  ),
]

/** The questions of a course, oldest first, some at a time: constant memory, whatever the course holds. */
async function* exported(request: Call['request'], course: Course, isPseudonymous: boolean) {
  const { person, server } = request
  const hide = isPseudonymous ? pseudonyms() : null
  for (let after = 0; ; ) {
    const records = await courseRecordsAfter(server.db, person, course.id, after, EXPORTED_AT_ONCE)
    const ids = records.map(({ id }) => id)
    if (ids.length === 0) return
    const [questions, answers, replies] = await Promise.all([
      questionBodies(request, records),
      answerRecordsOf(server.db, person, ids).then((rows) => answerBodies(request, rows)),
      replyRecordsOf(server.db, person, ids).then((rows) => replyBodies(request, rows)),
    ])
    for (const { body: question } of questions) {
      const below = replies.filter(({ body }) => body.question === question.id).map(({ body }) => body)
      const line = {
        ...question,
        answers: answers
          .filter(({ body }) => body.question === question.id)
          .map(({ body }) => ({ ...body, replies: below.filter(({ answer }) => answer === body.id) })),
        replies: below.filter(({ answer }) => answer === null),
      }
      yield hide === null ? line : hide(line)
    }
    after = ids.at(-1) ?? after
  }
}

function deskBody(request: Call['request'], row: DeskRow) {
  const at = (moment: Date | null) => (moment === null ? null : new Date(moment).toISOString())
  const path = questionPath({ id: row.id, title: row.title, audience: row.is_private ? 'staff' : 'course' })
  const body = {
    question: row.id,
    title: row.title,
    lecture: row.lecture_position,
    votes_count: row.votes_count,
    is_private: row.is_private,
    is_overdue: row.is_due,
    waiting_since: at(row.waiting_since),
    classmates_since: at(row.classmates_since),
    asker_since: at(row.asker_since),
    replied_since: at(row.replied_since),
    snoozed_until: at(row.snoozed_until),
    assignee:
      row.assignee_id === null || row.assignee_name === null
        ? null
        : { id: row.assignee_id, name: row.assignee_name, role: row.assignee_role },
    url: absolute(request, path),
  }
  return { body, links: { question: `${API}/questions/${row.id}`, html: path } }
}
