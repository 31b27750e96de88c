import { z } from 'zod'
import { MEASURES, REPORT_REASONS } from '../../database/schema.ts'
import { type AuthorRow, personByline, seenAuthor } from '../../forum/authors/byline.ts'
import { caseDecision } from '../../forum/cases/decision.ts'
import {
  type FoundCase,
  findCase,
  type MeasureRow,
  measuresOfCase,
  recordOf,
  reportsOfCase,
  snapshotsOf,
} from '../../forum/cases/find.ts'
import { CASE_VIEWS, casePath, listCases, type QueuedCase } from '../../forum/cases/pages/queue-page.ts'
import { presentOf } from '../../forum/cases/subject.ts'
import { courseFor } from '../../forum/courses/find-course.ts'
import { seesReporters } from '../../forum/handling/handlers.ts'
import {
  API,
  type Call,
  type Endpoint,
  idOf,
  type Links,
  listOf,
  oneOf,
  reading,
  writing,
} from '../../web/json/endpoint.ts'
import { listPage, pageIn, paging } from '../../web/json/paging.ts'
import { count, id, resource, role, snaked, time, url } from '../../web/json/resource.ts'
import { translatorFor } from '../../web/language.ts'

const person = z.object({ id, name: z.string(), role: role.nullable() })
const reason = z.enum(REPORT_REASONS)

/** What staff handle in a list. Of `question`, `answer`, `reply` one is set unless the case is about a person. */
const caseSchema = resource('Case', {
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
})

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

const wholeCaseSchema = resource('WholeCase', {
  ...caseSchema.shape,
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
})

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
      const page = await listCases(request.server.db, filter, pageIn(cursor, 'time'), limit)
      return listPage(
        page,
        ({ at, id }) => ({ value: at.getTime(), id }),
        (row) => queuedItem(request, row, course.slug),
      )
    },
  ),

  reading('/cases/:id', oneOf(wholeCaseSchema), { name: 'readCase', tag, scope: 'staff' }, wholeCase),

  writing({
    ...{ method: 'POST', path: '/cases/:id/decision', name: 'decideCase', tag, isForStaff: true },
    operation: caseDecision,
    isHidden: true,
    body: { fields: caseDecision.input, required: ['decision', 'version'] },
    answer: { kind: 'one', schema: wholeCaseSchema },
    key: idOf,
    pathOf: ({ id }) => `/cases/${id}`,
    done: wholeCase,
  }),
]

function linksOf(id: number, slug: string | null, question: number | null): Links {
  const course = slug === null ? {} : { course: `${API}/courses/${encodeURIComponent(slug)}` }
  const about = question === null ? {} : { question: `${API}/questions/${question}` }
  return { self: `${API}/cases/${id}`, html: casePath(id), ...course, ...about }
}

function queuedItem(request: Call['request'], row: QueuedCase, course: string) {
  return {
    ...snaked(row),
    ...{ question: row.questionId, answer: row.answerId, reply: row.replyId, course },
    author: row.author_id === null ? null : authorOf(request, row, row.courseId),
    claimed_by: staffOf(row.claimedBy, row.claimedName, row.claimedRole),
    links: linksOf(row.id, course, row.questionId),
  }
}

/** A case for those who may handle it. @throws Problem 404 for everyone else */
async function wholeCase({ request }: Pick<Call, 'request'>) {
  const { db } = request.server
  const viewer = request.requirePerson()
  const matter = await findCase(db, viewer, idOf({ request }))
  const { id, person_id: personId, course_id: courseId, course_slug: course, question_id: question } = matter
  const [present, snapshots, reports, measures, record] = await Promise.all([
    presentOf(db, matter),
    snapshotsOf(db, id),
    reportsOfCase(db, id),
    measuresOfCase(db, id),
    personId === null ? null : recordOf(db, personId, courseId),
  ])
  return {
    ...{ ...matter, question, answer: matter.answer_id, reply: matter.reply_id, course },
    author: authorOfCase(request, matter, present?.is_anonymous ?? false),
    claimed_by: staffOf(matter.claimed_by, matter.claimer_name, matter.claimer_role),
    decided_by: matter.decider_name,
    snapshots: snapshots.map((taken) => ({ ...taken, is_redacted: taken.redacted_at !== null })),
    reports: reports.map((report) => reportItem(report, seesReporters(viewer, courseId))),
    measures: measures.map(measureItem),
    record,
    links: linksOf(id, course, question),
  }
}

function authorOfCase(request: Call['request'], matter: FoundCase, isAnonymous: boolean) {
  const { person_id: id, author_name: name, author_role: role, author_left: hasLeft } = matter
  if (id === null || name === null || hasLeft) return null
  const author = { author_id: id, author_name: name, author_role: role, is_anonymous: isAnonymous }
  return authorOf(request, author, matter.course_id)
}

/** Whose it is, as staff see it; null: not known to the one who asks. */
function authorOf(request: Call['request'], row: AuthorRow, courseId: number | null) {
  const t = translatorFor(request)
  const { id, name, role } = seenAuthor({ t, viewer: request.person }, row, courseId ?? 0)
  return id === null ? null : { id, name, role }
}

function staffOf(id: number | null, displayName: string | null, role: AuthorRow['author_role']) {
  if (id === null || displayName === null) return null
  const { text: name } = personByline({ id, displayName, role })
  return { id, name, role }
}

/** @param seesNames who reported it is for instructors and admins */
function reportItem(report: Awaited<ReturnType<typeof reportsOfCase>>[number], seesNames: boolean) {
  const name = report.is_by_visitor ? report.visitor_name : report.display_name
  return { ...report, reporter: seesNames && name !== null ? { id: report.person_id, name } : null }
}

function measureItem(row: MeasureRow) {
  const { kind, objected_at, objected_note: note } = row
  const objection = objected_at === null || note === null ? null : { ...row, objected_at, note }
  return { ...row, measure: kind, objection }
}
