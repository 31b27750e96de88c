import { z } from 'zod'
import { findLecture } from '../../forum/courses/choices.ts'
import { courseFor } from '../../forum/courses/find-course.ts'
import type { Course } from '../../forum/courses/queries.ts'
import { type DeskRow, listDesk } from '../../forum/desk/queries.ts'
import { DESK_VIEWS } from '../../forum/desk/views.ts'
import { countFigures } from '../../forum/figures/figures.ts'
import { dayIn, readRange, UNITS } from '../../forum/figures/periods.ts'
import { FIGURES, tableOf } from '../../forum/figures/tables.ts'
import { listMembers } from '../../forum/members/queries.ts'
import { answerRecords, replyRecords } from '../../forum/posts/records.ts'
import { courseRecordsAfter } from '../../forum/reading/records.ts'
import { notFound } from '../../kernel/problem.ts'
import { renamedMentions } from '../../text/mentions.ts'
import { personPath, questionPath } from '../../web/paths.ts'
import { API, absolute, list, one } from './answering.ts'
import { type Call, linesOf, listOf, oneOf, reading } from './endpoint.ts'
import { cursorIn, cut, paging } from './paging.ts'
import { answerKind, questionBodies, replyKind } from './posts.ts'
import { invalidParameter } from './problem.ts'
import { memberSchema } from './schemas/people.ts'
import {
  type AnswerBody,
  answerSchema,
  type QuestionBody,
  questionSchema,
  type ReplyBody,
  replySchema,
} from './schemas/posts.ts'
import { count, day, id, named, role, time, url } from './schemas/registry.ts'

const staff = z.object({ id, name: z.string(), role: role.nullable() })

const deskView = z.enum(DESK_VIEWS)

const deskSchema = named(
  'DeskEntry',
  z.object({
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
  }),
)

/** null: none. `few`: behaviour of fewer than five people, so that nothing is said; counts are always numbers. */
const cell = z.union([z.number(), z.literal('few'), z.string(), z.null()])

const analyticsSchema = named(
  'Analytics',
  z.object({
    from: day,
    to: day,
    period: z.enum(UNITS),
    tables: z.array(
      z.object({
        name: z.enum(FIGURES),
        columns: z.array(z.object({ name: z.string(), kind: z.string() })),
        rows: z.array(z.array(cell)),
      }),
    ),
  }),
)

/** A line of the export: a question with all below it. */
const exportSchema = named(
  'ExportedQuestion',
  questionSchema.extend({
    answers: z.array(answerSchema.extend({ replies: z.array(replySchema) })),
    replies: z.array(replySchema),
  }),
)

const tag = 'desk'
const deskQuery = z.object({
  ...paging,
  view: deskView.default('waiting'),
  lecture: z.coerce.number().int().positive().max(999_999).optional(),
})
const rangeQuery = z.object({ from: z.string().max(20).optional(), to: z.string().max(20).optional() })
/** Questions that an export reads at a time. */
const EXPORTED_AT_ONCE = 100

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
      answerRecords.ofQuestions(server.db, person, ids).then((rows) => answerKind.bodies(request, rows)),
      replyRecords.ofQuestions(server.db, person, ids).then((rows) => replyKind.bodies(request, rows)),
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

type Below = ReplyBody | (AnswerBody & { readonly replies: readonly ReplyBody[] })
type Exported = QuestionBody & { readonly answers: readonly Below[]; readonly replies: readonly ReplyBody[] }

/** A mention as pages show it. */
const SHOWN = /<a class="mention" href="\/people\/([1-9]\d{0,14})\/[^"]*">@[^<]*<\/a>/g

/**
 * Replaces people by numbers, the same for each of them within one export: authors, and whom posts mention. A name that somebody
 * typed as text stays.
 */
function pseudonyms(): (question: Exported) => object {
  const known = new Map<number, string>()
  const nameOf = (id: number) => {
    const name = known.get(id) ?? `Person ${known.size + 1}`
    known.set(id, name)
    return name
  }
  const hidden = <Post extends QuestionBody | AnswerBody | ReplyBody>(post: Post): Post => ({
    ...post,
    body: renamedMentions(post.body, nameOf),
    body_html: post.body_html.replace(SHOWN, (_link, id: string) => `@${nameOf(Number(id))}`),
    author: {
      ...post.author,
      id: null,
      name: post.author.id === null ? post.author.name : nameOf(post.author.id),
      questions_count: null,
    },
  })
  return (question) => ({
    ...hidden(question),
    answers: question.answers.map((answer) => ({
      ...hidden(answer),
      ...('replies' in answer && { replies: answer.replies.map(hidden) }),
    })),
    replies: question.replies.map(hidden),
  })
}
