import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { metaOf } from '../../kernel/fields.ts'
import { forbidden, NeedsSignIn, notFound } from '../../kernel/problem.ts'
import { countsIn, seesNames } from '../../kernel/rights/rights.ts'
import { tagNameOf } from '../../text/tag-name.ts'
import { API, type Call, type Endpoint, idOf, listOf, reading, writing } from '../../web/json/endpoint.ts'
import { cursorIn, cut, paging, textsOfPost } from '../../web/json/paging.ts'
import { count, id, resource, time } from '../../web/json/resource.ts'
import { textParam } from '../../web/params.ts'
import { questionPath } from '../../web/paths.ts'
import { findLecture } from '../courses/choices.ts'
import { courseAddress, readableCourse } from '../courses/resource.ts'
import { besideUpdated, requireAlone, updatedAfter, updatedPosts } from '../events/updated.ts'
import { CLOSING_REASONS } from '../posts/closing.ts'
import { findQuestion } from '../posts/find.ts'
import { editQuestion } from '../questions/edit-operations.ts'
import { askQuestion } from '../questions/operations.ts'
import { findTag, tagInCourse } from '../tags/queries.ts'
import { cursorOf } from './list.ts'
import { NEWEST, type QuestionFilter, SORT_COLUMNS, SORTS, STATUS_FILTERS } from './list-filter.ts'
import {
  answeredBy,
  deletingPost,
  meFields,
  meOf,
  namedAs,
  postFields,
  postItem,
  postResource,
  readingPost,
  renamedAs,
} from './post-resource.ts'
import { findQuestionRecord, listQuestionRecords, type QuestionRecord, questionRecordsOf } from './records.ts'

export const questionSchema = resource('Question', {
  ...postFields,
  title: z.string(),
  status: z.enum(['unresolved', 'resolved']),
  course: z.string(),
  lecture: z.int().nullable(),
  category: z.string(),
  field: z.string().nullable(),
  tags: z.array(z.string()),
  audience: z.enum(['course', 'staff']),
  answers_count: count,
  votes_count: count,
  views_count: count,
  accepted_answer: id.nullable(),
  duplicate_of: id.nullable(),
  closed: z.object({ reason: z.enum(CLOSING_REASONS).nullable() }).nullable(),
  me: z
    .object({
      ...meFields,
      vote: z.boolean(),
      following: z.boolean(),
      muted: z.boolean(),
      pinned_until: time.nullable(),
    })
    .nullable(),
})

export const questionResource = postResource({
  table: 'questions',
  schema: questionSchema,
  read: readQuestion,
  itemOf(request: FastifyRequest, record: QuestionRecord, html: string) {
    request.rendering?.dependsOn(`course:${record.course_id}`)
    const course = record.course_slug
    const self = `${API}/questions/${record.id}`
    const links = {
      ...{ self, html: questionPath(record), course: courseAddress({ slug: course }) },
      ...{ answers: `${self}/answers`, replies: `${self}/replies` },
    }
    return {
      ...postItem(request, record, html, links),
      course,
      lecture: record.lecture_position,
      category: record.category_slug,
      field: record.field || null,
      tags: record.tags.map(({ name }) => name),
      accepted_answer: record.accepted_answer_id,
      closed: record.answers_closed_at === null ? null : { reason: record.closing_reason },
      me: meOf(request, record, (viewer) => ({
        vote: record.is_voted,
        following: record.follow_level === 'follow',
        muted: record.follow_level === 'mute',
        pinned_until: seesNames(viewer, record.course_id) ? record.pinned_until : null,
      })),
    }
  },
})

async function readQuestion({ person, server }: FastifyRequest, id: number): Promise<QuestionRecord> {
  const record = await findQuestionRecord(server.db, person, id)
  if (record !== undefined) return record
  await findQuestion(server.db, person, id, 'read')
  throw notFound()
}

const listQuery = z.object({
  ...paging,
  ...updatedAfter,
  status: z.enum(STATUS_FILTERS).optional(),
  lecture: z.coerce.number().int().positive().max(999_999).optional(),
  tag: z.string().max(100).optional(),
  mine: z.literal('1').optional(),
  sort: z.enum(SORTS).default('newest'),
})
type ListQuery = z.output<typeof listQuery>

const { title, body, tags, category, lecture, reason } = editQuestion.input
/** Left out, it stays; there is nothing to clear. */
const audience = editQuestion.input.audience.meta({
  ...metaOf(editQuestion.input.audience),
  isOptional: false,
})

export const questionEndpoints: readonly Endpoint[] = [
  reading(
    '/courses/:course/questions',
    listOf(questionSchema, besideUpdated),
    { name: 'listQuestions', tag: 'questions', query: listQuery },
    async (call) => {
      const { request, query } = call
      const course = await readableCourse(call)
      const { updated_after: since } = query
      if (since !== undefined) return updatedQuestions(request, course.id, { ...query, updated_after: since })
      const { db, courses } = request.server
      const after = cursorIn(query.cursor, SORT_COLUMNS[query.sort].kind)
      const filter = await filterOf(call, course.id)
      const readable = await courses.readable(request.person)
      const page = { after, before: null }
      const records = await listQuestionRecords(db, request.person, filter, page, query.limit, readable)
      const { rows, next } = cut(records, query.limit, (row) => cursorOf(row, query.sort), textsOfPost)
      return { items: await questionResource.items(request, rows), next }
    },
  ),

  readingPost('readQuestion', questionResource),

  writing({
    ...{ method: 'POST', path: '/courses/:course/questions', name: 'createQuestion', tag: 'questions' },
    operation: askQuestion,
    body: { fields: { ...askQuestion.input, ...namedAs }, required: ['title', 'body'] },
    key: ({ request }) => textParam(request, 'course'),
    ...answeredBy('created', questionResource),
  }),

  writing({
    ...{ method: 'PATCH', path: '/questions/:id', name: 'editQuestion', tag: 'questions' },
    ...{ operation: editQuestion, key: idOf },
    body: {
      fields: { title, body, tags, category, lecture, audience, ...renamedAs, reason },
      required: [],
    },
    async present(call) {
      const { title, body, version, ...record } = await readQuestion(call.request, idOf(call))
      return {
        ...{ title, body, version, tags: record.tags.map(({ name }) => name) },
        ...{ category: record.category_slug, lecture: record.lecture_position },
      }
    },
    ...answeredBy('one', questionResource),
  }),

  deletingPost('deleteQuestion', 'questions'),
]

/** Of the questions that everyone who reads the course can have. */
async function updatedQuestions(
  request: FastifyRequest,
  courseId: number,
  query: ListQuery & { readonly updated_after: string },
) {
  requireAlone(query, 'newest')
  const { rows, ...page } = await updatedPosts(request, { questionsOf: courseId }, query, async (ids) => {
    const records = await questionRecordsOf(request.server.db, request.person, ids)
    return records.filter(
      ({ course_id: id, audience, state }) => id === courseId && audience === 'course' && state === null,
    )
  })
  return { ...page, items: await questionResource.items(request, rows) }
}

async function filterOf({ request, query }: Call<ListQuery>, courseId: number): Promise<QuestionFilter> {
  const { db } = request.server
  const { lecture: position, tag: name, status = null, sort, mine } = query
  const lecture = position === undefined ? null : await findLecture(db, courseId, String(position))
  if (position !== undefined && lecture === null) throw notFound()
  const meant = name === undefined ? null : await tagInCourse(db, courseId, tagNameOf(name))
  const found = meant && (await findTag(db, request.person, meant.name))
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

/**
 * The person whose own questions are asked for.
 * @throws NeedsSignIn, Problem without a token, or with one for another course
 */
function ownerOf({ person }: Call['request'], courseId: number): number {
  if (person === null) throw new NeedsSignIn()
  if (!countsIn(person, courseId)) throw forbidden()
  return person.id
}
