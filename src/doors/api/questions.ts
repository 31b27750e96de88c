import { z } from 'zod'
import { findLecture } from '../../forum/courses/choices.ts'
import {
  NEWEST,
  type QuestionFilter,
  SORT_COLUMNS,
  SORTS,
  STATUS_FILTERS,
} from '../../forum/questions/list-filter.ts'
import { listQuestionRecords, recordCursor } from '../../forum/questions/records.ts'
import { findTag } from '../../forum/tags/queries.ts'
import { notFound } from '../../operations/problem.ts'
import { tagNameOf } from '../../text/tag-name.ts'
import { list } from './answering.ts'
import { readableCourse } from './courses.ts'
import { type Call, listOf, oneOf, reading } from './endpoint.ts'
import { cursorIn, cut, paging, textsOfPost } from './paging.ts'
import { questionBodies, questionKind, readPost } from './posts.ts'
import { ApiProblem, unauthorized } from './problem.ts'
import { questionSchema } from './schemas/posts.ts'
import { idOf } from './writing.ts'

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
      const { rows, next } = cut(records, query.limit, (row) => recordCursor(row, query.sort), textsOfPost)
      return list(await questionBodies(request, rows), next)
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

/** The person whose own questions are asked for. @throws ApiProblem without a token, or with one for another course */
function ownerOf({ person }: Call['request'], courseId: number): number {
  if (person === null) throw unauthorized()
  if ((person.onlyCourseId ?? courseId) !== courseId) throw new ApiProblem(403, 'forbidden')
  return person.id
}
