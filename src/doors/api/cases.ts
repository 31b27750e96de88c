import { z } from 'zod'
import { MEASURES, REPORT_REASONS } from '../../database/schema.ts'
import { type AuthorRow, personByline, seenAuthor } from '../../forum/authors/byline.ts'
import {
  type FoundCase,
  findCase,
  type MeasureRow,
  measuresOfCase,
  recordOf,
  reportsOfCase,
  snapshotsOf,
} from '../../forum/cases/find.ts'
import { caseDecision } from '../../forum/cases/operations.ts'
import { CASE_VIEWS, casePath, listCases, type QueuedCase } from '../../forum/cases/pages/queue-page.ts'
import { presentOf } from '../../forum/cases/subject.ts'
import { courseFor } from '../../forum/courses/find-course.ts'
import { seesReporters } from '../../forum/handling/handlers.ts'
import { translatorFor } from '../../web/language.ts'
import { API, absolute, type Linked, list, one } from './answering.ts'
import { type Call, type Endpoint, listOf, oneOf, reading } from './endpoint.ts'
import { cursorIn, cut, paging } from './paging.ts'
import { count, id, named, role, time, url } from './schemas/registry.ts'
import { idOf, writing } from './writing.ts'

const person = z.object({ id, name: z.string(), role: role.nullable() })
const reason = z.enum(REPORT_REASONS)

/** What staff handle in a list. Of `question`, `answer`, `reply` one is set unless the case is about a person. */
const caseSchema = named(
  'Case',
  z.object({
    id,
    about: z.enum(['question', 'answer', 'reply', 'person']),
    question: id.nullable(),
    answer: id.nullable(),
    reply: id.nullable(),
    author: person.nullable(),
    course: z.string().nullable(),
    reason,
    state: z.enum(['open', 'upheld', 'declined']),
    reports_count: count,
    claimed_by: person.nullable(),
    opened_at: time,
    decided_at: time.nullable(),
    url,
  }),
)
type CaseBody = z.input<typeof caseSchema>

const snapshot = z.object({
  title: z.string().nullable(),
  body: z.string().nullable(),
  taken_at: time,
  is_redacted: z.boolean(),
})

const report = z.object({
  reason,
  note: z.string(),
  reporter: z.object({ id: id.nullable(), name: z.string() }).nullable(),
  is_by_visitor: z.boolean(),
  reported_at: time,
})

const objection = z.object({
  note: z.string(),
  objected_at: time,
  outcome: z.enum(['keep', 'lift']).nullable(),
  answer: z.string().nullable(),
  answered_at: time.nullable(),
})

const measure = z.object({
  id,
  measure: z.enum(MEASURES),
  is_everywhere: z.boolean(),
  starts_at: time,
  ends_at: time.nullable(),
  ended_at: time.nullable(),
  objection: objection.nullable(),
})

const wholeCaseSchema = named(
  'WholeCase',
  caseSchema.extend({
    version: z.int(),
    rule: z.string(),
    note: z.string(),
    reporter_note: z.string(),
    staff_note: z.string(),
    decided_by: z.string().nullable(),
    snapshots: z.array(snapshot),
    reports: z.array(report),
    measures: z.array(measure),
    record: z.object({ upheld: count, declined: count, measures: count, objections: count }).nullable(),
  }),
)
type WholeCaseBody = z.input<typeof wholeCaseSchema>

const tag = 'cases'
const listQuery = z.object({ ...paging, view: z.enum(CASE_VIEWS).default('open') })

export const caseEndpoints: readonly Endpoint[] = [
  reading(
    '/courses/:course/cases',
    listOf(caseSchema),
    { name: 'listCases', tag, scope: 'staff', query: listQuery },
    async ({ request, query: { view, cursor, limit } }) => {
      const course = await courseFor(request, 'moderate')
      const filter = { viewer: request.requirePerson(), courseId: course.id, view }
      const page = { after: cursorIn(cursor, 'time'), before: null }
      const { rows, hasOlder } = await listCases(request.server.db, filter, page, limit)
      const { next } = cut(hasOlder ? [...rows, ...rows.slice(-1)] : rows, limit, ({ at, id }) => ({
        value: at.getTime(),
        id,
      }))
      return list(
        rows.map((row) => linked(queuedBody(request, row, course.slug))),
        next,
      )
    },
  ),

  reading(
    '/cases/:id',
    oneOf(wholeCaseSchema),
    { name: 'readCase', tag, scope: 'staff' },
    async ({ request }) => {
      const { body, version } = await wholeCase(request, idOf({ request }))
      return one(linked(body), { version })
    },
  ),

  writing({
    ...{ method: 'POST', path: '/cases/:id/decision', name: 'decideCase', tag, isForStaff: true },
    operation: caseDecision,
    isHidden: true,
    body: { fields: caseDecision.input, required: ['decision', 'version'] },
    answer: { kind: 'one', schema: wholeCaseSchema },
    key: idOf,
    pathOf: ({ id }) => `/cases/${id}`,
    async done({ request }) {
      const { body, version } = await wholeCase(request, idOf({ request }))
      return one(linked(body), { version })
    },
  }),
]

function linked<Body extends CaseBody>(body: Body): Linked<Body> {
  const course = body.course === null ? {} : { course: `${API}/courses/${encodeURIComponent(body.course)}` }
  const about = body.question === null ? {} : { question: `${API}/questions/${body.question}` }
  return { body, links: { self: `${API}/cases/${body.id}`, html: casePath(body.id), ...course, ...about } }
}

function queuedBody(request: Call['request'], row: QueuedCase, course: string): CaseBody {
  return {
    ...{ id: row.id, about: row.about, question: row.questionId, answer: row.answerId, reply: row.replyId },
    author: row.author_id === null ? null : authorOf(request, row, row.courseId),
    ...{ course, reason: row.reason, state: row.state, reports_count: row.reportsCount },
    claimed_by: staffOf(row.claimedBy, row.claimedName, row.claimedRole),
    opened_at: row.openedAt.toISOString(),
    decided_at: moment(row.decidedAt),
    url: absolute(request, casePath(row.id)),
  }
}

/** A case for those who may handle it. @throws Problem 404 for everyone else */
async function wholeCase(request: Call['request'], caseId: number) {
  const { db } = request.server
  const viewer = request.requirePerson()
  const matter = await findCase(db, viewer, caseId)
  const { person_id: personId, course_id: courseId } = matter
  const [present, snapshots, reports, measures, record] = await Promise.all([
    presentOf(db, matter),
    snapshotsOf(db, caseId),
    reportsOfCase(db, caseId),
    measuresOfCase(db, caseId),
    personId === null ? null : recordOf(db, personId, courseId),
  ])
  const body: WholeCaseBody = {
    ...headOf(request, matter, present?.is_anonymous ?? false),
    ...{ version: matter.version, rule: matter.rule, note: matter.note },
    ...{ reporter_note: matter.reporter_note, staff_note: matter.staff_note },
    decided_by: matter.decider_name,
    snapshots: snapshots.map(({ title, body: text, taken_at: taken, redacted_at: redacted }) => ({
      ...{ title, body: text, taken_at: taken.toISOString(), is_redacted: redacted !== null },
    })),
    reports: reports.map((report) => reportBody(report, seesReporters(viewer, courseId))),
    measures: measures.map(measureBody),
    record: record && { ...record },
  }
  return { body, version: matter.version }
}

function headOf(request: Call['request'], matter: FoundCase, isAnonymous: boolean): CaseBody {
  const { person_id: id, author_name: name, author_role: role, author_left: hasLeft } = matter
  const author =
    id === null || name === null || hasLeft
      ? null
      : { author_id: id, author_name: name, author_role: role, is_anonymous: isAnonymous }
  return {
    ...{ id: matter.id, about: matter.about, question: matter.question_id },
    ...{ answer: matter.answer_id, reply: matter.reply_id },
    author: author && authorOf(request, author, matter.course_id),
    ...{ course: matter.course_slug, reason: matter.reason, state: matter.state },
    reports_count: matter.reports_count,
    claimed_by: staffOf(matter.claimed_by, matter.claimer_name, matter.claimer_role),
    opened_at: matter.opened_at.toISOString(),
    decided_at: moment(matter.decided_at),
    url: absolute(request, casePath(matter.id)),
  }
}

/** Whose it is, as staff see it; null: not known to the one who asks. */
function authorOf(request: Call['request'], row: AuthorRow, courseId: number | null): CaseBody['author'] {
  const t = translatorFor(request)
  const { id, name, role } = seenAuthor({ t, viewer: request.person }, row, courseId ?? 0)
  return id === null ? null : { id, name, role }
}

function staffOf(
  id: number | null,
  displayName: string | null,
  role: AuthorRow['author_role'],
): CaseBody['claimed_by'] {
  if (id === null || displayName === null) return null
  const { text: name } = personByline({ id, displayName, role })
  return { id, name, role }
}

/** @param seesNames who reported it is for instructors and admins */
function reportBody(
  report: Awaited<ReturnType<typeof reportsOfCase>>[number],
  seesNames: boolean,
): WholeCaseBody['reports'][number] {
  const { person_id: id, is_by_visitor: isByVisitor, display_name: displayName } = report
  const name = isByVisitor ? report.visitor_name : displayName
  return {
    ...{ reason: report.reason, note: report.note, is_by_visitor: isByVisitor },
    reporter: seesNames && name !== null ? { id, name } : null,
    reported_at: report.reported_at.toISOString(),
  }
}

function measureBody(row: MeasureRow): WholeCaseBody['measures'][number] {
  const { objected_at: objectedAt, objected_note: note, outcome, answer, answered_at: answeredAt } = row
  return {
    ...{ id: row.id, measure: row.kind, is_everywhere: row.is_everywhere },
    starts_at: row.starts_at.toISOString(),
    ends_at: moment(row.ends_at),
    ended_at: moment(row.ended_at),
    objection:
      objectedAt === null || note === null
        ? null
        : {
            ...{ note, objected_at: objectedAt.toISOString(), outcome, answer },
            answered_at: moment(answeredAt),
          },
  }
}

const moment = (at: Date | null) => at?.toISOString() ?? null
