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
import { API, type Call, InvalidParameter, linesOf, listOf, oneOf, reading } from '../../web/json/endpoint.ts'
import { listPage, pageIn, paging } from '../../web/json/paging.ts'
import { count, day, id, resource, role, snaked, time, url } from '../../web/json/resource.ts'
import { personPath, questionPath } from '../../web/paths.ts'
import { answerKind, questionItems, replyKind } from './posts.ts'
import { answerSchema, questionSchema, replySchema } from './schemas/posts.ts'

const memberSchema = resource('Member', {
  id,
  name: z.string(),
  email: z.string().nullable(),
  role,
  questions_count: count,
  answers_count: count,
  last_seen_at: time.nullable(),
  url,
})

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

/** null: none. `few`: behaviour of fewer than five people, so that nothing is said; counts are always numbers. */
const cell = z.union([z.number(), z.literal('few'), z.string(), z.null()])
const table = z.object({
  name: z.enum(FIGURES),
  columns: z.array(z.object({ name: z.string(), kind: z.string() })),
  rows: z.array(z.array(cell)),
})
const analyticsSchema = resource('Analytics', {
  from: day,
  to: day,
  period: z.enum(UNITS),
  tables: z.array(table),
})

/** A line of the export: a question with all below it. */
const exportSchema = resource('ExportedQuestion', {
  ...questionSchema.shape,
  answers: z.array(answerSchema.extend({ replies: z.array(replySchema) })),
  replies: z.array(replySchema),
})

const tag = 'desk'
const deskQuery = z.object({
  ...paging,
  view: z.enum(DESK_VIEWS).default('waiting'),
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
      const page = await listDesk(db, filter, pageIn(query.cursor, 'time'), query.limit)
      return listPage(page, ({ at, id }) => ({ value: new Date(at).getTime(), id }), deskItem)
    },
  ),

  reading(
    '/courses/:course/members',
    listOf(memberSchema),
    { name: 'listMembers', tag, scope: 'staff', query: z.object(paging) },
    async (call) => {
      const { request, query } = call
      const course = await courseFor(request, 'see-members')
      const filter = { show: 'everybody', search: null } as const
      const asked = pageIn(query.cursor, 'count')
      const page = await listMembers(request.server.db, course.id, filter, asked, query.limit)
      return listPage(
        page,
        ({ id }) => ({ value: 0, id }),
        (member) => ({
          ...{ ...snaked(member), name: member.displayName },
          links: { person: `${API}/people/${member.id}`, html: personPath(member) },
        }),
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
      if (weeks === null) throw new InvalidParameter(errors[0]?.field ?? 'from')
      const figures = await countFigures(request.server.db, course, weeks)
      const tables = FIGURES.map((name) => {
        const { columns, rows } = tableOf(name, figures)
        return { name, columns: columns.map((column) => ({ ...column })), rows: rows.map((row) => [...row]) }
      })
      const self = `${API}/courses/${encodeURIComponent(course.slug)}/analytics`
      return { ...weeks, period: figures.unit, tables, links: { self } }
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
      return exported(request, course, query.pseudonymous === '1')
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
      questionItems(request, records),
      answerRecords.ofQuestions(server.db, person, ids).then((rows) => answerKind.items(request, rows)),
      replyRecords.ofQuestions(server.db, person, ids).then((rows) => replyKind.items(request, rows)),
    ])
    for (const question of questions) {
      const below = replies.filter((reply) => reply.question === question.id)
      const line = {
        ...question,
        answers: answers
          .filter((answer) => answer.question === question.id)
          .map((answer) => ({ ...answer, replies: below.filter((reply) => reply.answer === answer.id) })),
        replies: below.filter(({ answer }) => answer === null),
      }
      yield hide === null ? line : hide(line)
    }
    after = ids.at(-1) ?? after
  }
}

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

/** A mention as pages show it. */
const SHOWN = /<a class="mention" href="\/people\/([1-9]\d{0,14})\/[^"]*">@[^<]*<\/a>/g

interface Hideable extends Pick<z.input<typeof replySchema>, 'author' | 'body' | 'body_html'> {}
type Answered = Hideable & { readonly replies: readonly Hideable[] }

/**
 * Replaces people by numbers, the same for each of them within one export: authors, and whom posts mention. A name that somebody
 * typed as text stays.
 */
function pseudonyms() {
  const known = new Map<number, string>()
  const nameOf = (id: number) => {
    const name = known.get(id) ?? `Person ${known.size + 1}`
    known.set(id, name)
    return name
  }
  const hidden = <Post extends Hideable>(post: Post): Post => ({
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
  return <Line extends Answered & { answers: readonly Answered[] }>(question: Line) => ({
    ...hidden(question),
    answers: question.answers.map((answer) => ({ ...hidden(answer), replies: answer.replies.map(hidden) })),
    replies: question.replies.map(hidden),
  })
}
