import { z } from 'zod'
import { MEASURES, REPORT_REASONS } from '../../database/schema.ts'
import { translatorFor } from '../../web/appearance.ts'
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
import { pageIn, paging } from '../../web/json/paging.ts'
import { count, id, resource, role, time, url } from '../../web/json/resource.ts'
import { type AuthorRow, personByline, seenAuthor } from '../authors/byline.ts'
import { courseFor } from '../courses/find-course.ts'
import { seesReporters } from '../handling/handlers.ts'
import { TABLES } from '../posts/kinds.ts'
import { HELD_FOR } from '../posts/text.ts'
import { caseDecision } from './decision.ts'
import {
  accusedOf,
  type CaseRow,
  findCase,
  type MeasureRow,
  measuresOfCase,
  recordOf,
  reportsOfCase,
  snapshotsOf,
} from './find.ts'
import { releaseEndpoints } from './held.ts'
import { type HeldPost, heldPath, listHeld } from './pages/held-list.ts'
import { CASE_VIEWS, casePath, listCases } from './pages/queue-page.ts'

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

const heldSchema = resource('HeldPost', {
  id,
  kind: z.enum(['question', 'answer', 'reply']),
  question: id,
  title: z.string(),
  body: z.string(),
  author: person.nullable(),
  is_anonymous: z.boolean(),
  held_at: time,
  held_for: z.enum(HELD_FOR),
  url,
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
      return { items: page.rows.map((row) => caseItem(request, row, course.slug)), next: page.older }
    },
  ),

  reading(
    '/courses/:course/held',
    listOf(heldSchema),
    { name: 'listHeldPosts', tag, scope: 'staff', query: z.object(paging) },
    async ({ request, query: { cursor, limit } }) => {
      const { id } = await courseFor(request, 'moderate')
      const page = await listHeld(request.server.db, id, pageIn(cursor, 'time'), limit)
      return { items: page.rows.map((row) => heldItem(request, row)), next: page.older }
    },
  ),
  ...releaseEndpoints,

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

/** What a list and a whole case have alike. */
function caseItem(request: Call['request'], row: CaseRow, course: string | null) {
  const { id, question_id: question } = row
  return {
    ...{ ...row, question, answer: row.answer_id, reply: row.reply_id, course },
    author: authorOf(request, row),
    claimed_by: staffOf(row.claimed_by, row.claimer_name, row.claimer_role),
    links: linksOf(id, course, question),
  }
}

function heldItem(request: Call['request'], row: HeldPost) {
  const { id, kind, question_id: question } = row
  const {
    id: authorId,
    name,
    role,
  } = seenAuthor({ t: translatorFor(request), viewer: request.person }, row, row.course_id)
  const self = `${API}/${TABLES[kind]}/${id}`
  return {
    ...{ ...row, question, author: authorId === null ? null : { id: authorId, name, role } },
    links: { self, html: heldPath(row), question: `${API}/questions/${question}` },
  }
}

/** A case for those who may handle it. @throws Problem 404 for everyone else */
async function wholeCase({ request }: Pick<Call, 'request'>) {
  const { db } = request.server
  const viewer = request.requirePerson()
  const matter = await findCase(db, viewer, idOf({ request }))
  const { id, person_id: personId, course_id: courseId } = matter
  const [snapshots, reports, measures, record] = await Promise.all([
    snapshotsOf(db, id),
    reportsOfCase(db, id),
    measuresOfCase(db, id),
    personId === null ? null : recordOf(db, personId, courseId),
  ])
  return {
    ...caseItem(request, matter, matter.course_slug),
    decided_by: matter.decider_name,
    snapshots: snapshots.map((taken) => ({ ...taken, is_redacted: taken.redacted_at !== null })),
    reports: reports.map((report) => reportItem(report, seesReporters(viewer, courseId))),
    measures: measures.map(measureItem),
    record,
  }
}

/** Whose it is, as staff see it; null: not known to the one who asks. */
function authorOf(request: Call['request'], row: CaseRow) {
  const accused = accusedOf(row)
  if (accused === null) return null
  const looking = { t: translatorFor(request), viewer: request.person }
  const { id, name, role } = seenAuthor(looking, accused, row.course_id ?? 0)
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
