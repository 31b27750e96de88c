import { z } from 'zod'
import { seenAuthor } from '../../forum/authors/byline.ts'
import { findLecture } from '../../forum/courses/choices.ts'
import { readableCourse } from '../../forum/courses/resource.ts'
import { type VersionRow, versionsOf } from '../../forum/history/versions.ts'
import { FIND, findAnswer, findQuestion } from '../../forum/posts/find.ts'
import { POST_TABLES } from '../../forum/posts/kinds.ts'
import { answerRecords, type Parent, POST_SORTS, replyRecords } from '../../forum/posts/records.ts'
import { cursorOf } from '../../forum/reading/list.ts'
import {
  NEWEST,
  type QuestionFilter,
  SORT_COLUMNS,
  SORTS,
  STATUS_FILTERS,
} from '../../forum/reading/list-filter.ts'
import { listQuestionRecords } from '../../forum/reading/records.ts'
import { findTag } from '../../forum/tags/queries.ts'
import { forbidden, NeedsSignIn, notFound } from '../../kernel/problem.ts'
import { tagNameOf } from '../../text/tag-name.ts'
import { API, type Call, type Endpoint, idOf, listOf, oneOf, reading } from '../../web/json/endpoint.ts'
import { cursorIn, cut, paging, textsOfPost } from '../../web/json/paging.ts'
import { snaked } from '../../web/json/resource.ts'
import { translatorFor } from '../../web/language.ts'
import { idParam } from '../../web/params.ts'
import { answerKind, questionItems, questionKind, readPost, replyKind } from './posts.ts'
import { answerSchema, questionSchema, replySchema, versionSchema } from './schemas/posts.ts'

const listQuery = z.object({
  ...paging,
  status: z.enum(STATUS_FILTERS).optional(),
  lecture: z.coerce.number().int().positive().max(999_999).optional(),
  tag: z.string().max(100).optional(),
  mine: z.literal('1').optional(),
  sort: z.enum(SORTS).default('newest'),
})
type ListQuery = z.output<typeof listQuery>

const tag = 'questions'

export const questionEndpoints = [
  reading(
    '/courses/:course/questions',
    listOf(questionSchema),
    { name: 'listQuestions', tag, query: listQuery },
    async (call) => {
      const { request, query } = call
      const course = await readableCourse(call)
      const { db, courses } = request.server
      const after = cursorIn(query.cursor, SORT_COLUMNS[query.sort].kind)
      const filter = await filterOf(call, course.id)
      const readable = await courses.readable(request.person)
      const page = { after, before: null }
      const records = await listQuestionRecords(db, request.person, filter, page, query.limit, readable)
      const { rows, next } = cut(records, query.limit, (row) => cursorOf(row, query.sort), textsOfPost)
      return { items: await questionItems(request, rows), next }
    },
  ),

  reading('/questions/:id', oneOf(questionSchema), { name: 'readQuestion', tag }, (call) =>
    readPost(call, idOf(call), questionKind),
  ),
]

async function filterOf({ request, query }: Call<ListQuery>, courseId: number): Promise<QuestionFilter> {
  const { db } = request.server
  const { lecture: position, tag: name, status = null, sort, mine } = query
  const lecture = position === undefined ? null : await findLecture(db, courseId, String(position))
  if (position !== undefined && lecture === null) throw notFound()
  const found = name === undefined ? null : await findTag(db, request.person, tagNameOf(name))
  const owner = mine === undefined ? null : ownerOf(request, courseId)
  return {
    ...{ ...NEWEST, courseId, status, sort },
    lectureId: lecture?.id ?? null,
    // 0 has no tag: nothing carries one that is not there.
    tagId: name === undefined ? null : (found?.id ?? 0),
    authorId: owner,
    isOwn: owner !== null,
  }
}

/** The person whose own questions are asked for. @throws NeedsSignIn, Problem without a token, or with one for another course */
function ownerOf({ person }: Call['request'], courseId: number): number {
  if (person === null) throw new NeedsSignIn()
  if ((person.onlyCourseId ?? courseId) !== courseId) throw forbidden()
  return person.id
}

const belowQuery = z.object({ ...paging, sort: z.enum(POST_SORTS).default('oldest') })
type ListCall = Call<z.output<typeof belowQuery>>

const placeOf = ({ id, written_at }: { readonly id: number; readonly written_at: Date }) => ({
  value: written_at.getTime(),
  id,
})

export const belowEndpoints = [
  reading(
    '/questions/:id/answers',
    listOf(answerSchema),
    { name: 'listAnswers', tag: 'answers', query: belowQuery },
    async (call) => {
      const { request } = call
      const records = await answerRecords.list(
        request.server.db,
        request.person,
        { answersOf: idOf(call) },
        pageOf(call),
      )
      await dependOnQuestion(call, records)
      const { rows, next } = cut(records, call.query.limit, placeOf, textsOfPost)
      return { items: await answerKind.items(request, rows), next }
    },
  ),

  reading('/answers/:id', oneOf(answerSchema), { name: 'readAnswer', tag: 'answers' }, (call) =>
    readPost(call, idOf(call), answerKind),
  ),

  reading(
    '/questions/:id/replies',
    listOf(replySchema),
    { name: 'listRepliesToQuestion', tag: 'replies', query: belowQuery },
    (call) => replies(call, { repliesToQuestion: idOf(call) }, dependOnQuestion),
  ),

  reading(
    '/answers/:id/replies',
    listOf(replySchema),
    { name: 'listReplies', tag: 'replies', query: belowQuery },
    (call) => replies(call, { repliesToAnswer: idOf(call) }, dependOnAnswer),
  ),

  reading('/replies/:id', oneOf(replySchema), { name: 'readReply', tag: 'replies' }, (call) =>
    readPost(call, idOf(call), replyKind),
  ),
]

const pageOf = ({ query }: ListCall) => ({
  ...query,
  after: cursorIn(query.cursor, 'time'),
  size: query.limit,
})

async function replies(call: ListCall, to: Parent, depend: typeof dependOnQuestion) {
  const { request, query } = call
  const records = await replyRecords.list(request.server.db, request.person, to, pageOf(call))
  await depend(call, records)
  const { rows, next } = cut(records, query.limit, placeOf, textsOfPost)
  return { items: await replyKind.items(request, rows), next }
}

/** None are told apart from none that may be read only where there are none. */
async function dependOnQuestion(call: ListCall, { length }: readonly unknown[]): Promise<void> {
  const { server, person, rendering } = call.request
  const id = idOf(call)
  if (length === 0) await findQuestion(server.db, person, id, 'read')
  rendering?.dependsOn(`question:${id}`)
}

async function dependOnAnswer(call: ListCall, { length }: readonly unknown[]): Promise<void> {
  const { server, person, rendering } = call.request
  if (length > 0) return
  const answer = await findAnswer(server.db, person, idOf(call), 'read')
  rendering?.dependsOn(`question:${answer.questionId}`)
}

const NAMES = {
  questions: 'listQuestionVersions',
  answers: 'listAnswerVersions',
  replies: 'listReplyVersions',
} as const

export const historyEndpoints: readonly Endpoint[] = POST_TABLES.map((table) =>
  reading(
    `/${table}/:id/history`,
    listOf(versionSchema),
    { name: NAMES[table], tag: 'history', isPublic: false, query: z.object({ cursor: paging.cursor }) },
    async ({ request, query }) => {
      const { db } = request.server
      const person = request.requirePerson()
      const post = await FIND[table](db, person, idParam(request, 'id'), 'see-history')
      const t = translatorFor(request)
      const after = cursorIn(query.cursor, 'count')
      const versions = await versionsOf(db, { ...post, table }, 'all')
      const rows = versions.filter(({ version }) => after === null || version < after.id)
      const cursorOf = ({ version }: VersionRow) => ({ value: 0, id: version })
      const page = cut(rows, rows.length, cursorOf, ({ body }) => [body ?? ''])
      const items = page.rows.map((row) => ({
        ...{ ...row, author: snaked(seenAuthor({ t, viewer: person }, row, post.courseId)) },
        links: { post: `${API}/${table}/${post.id}` },
      }))
      return { items, next: page.next }
    },
  ),
)
