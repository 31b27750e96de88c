import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../kernel/problem.ts'
import { isVisible } from '../../kernel/rights/visibility.ts'
import { isTag, tagNameOf } from '../../text/tag-name.ts'
import { translatorFor } from '../../web/language.ts'
import { type PageLinks, pageLinks, pageRequest } from '../../web/pages.ts'
import { queryParam, textParam } from '../../web/params.ts'
import { coursePath, movedTo, pathWith, tagPath } from '../../web/paths.ts'
import { barOf } from '../courses/course-bar.ts'
import type { Course } from '../courses/queries.ts'
import { findTag, listTags } from '../tags/queries.ts'
import { LIST_PARAMETERS, listTitle, type QuestionListView, questionListView } from './list-page.ts'

export interface TagIndex extends PageLinks {
  readonly tags: readonly { readonly name: string; readonly path: string; readonly questionsCount: number }[]
  /** What the shown tags begin with; '': all tags. */
  readonly beginning: string
  /** Slug of the course whose tags these are; null: of all courses. */
  readonly course: string | null
  /** The same page with all its tags. */
  readonly allPath: string
}

interface TagPage {
  readonly tag: string
  readonly questionsCount: number
  /** Where following it is posted, and the subject of its button. */
  readonly following: { readonly action: string; readonly subject: string }
  readonly list: QuestionListView
}

export function registerTags(app: FastifyInstance): void {
  const index = { config: { shared: { parameters: ['course', 'q', 'after', 'before'], isForMembers: true } } }
  app.get('/tags', index, showTags)
  app.get('/tags/:tag', { config: { shared: { ...LIST_PARAMETERS, isForMembers: true } } }, showTag)
}

/** All tags, or those of the course in the query. */
async function showTags(request: FastifyRequest, reply: FastifyReply) {
  const { db } = request.server
  const course = await courseOf(request)
  const slug = course?.slug ?? null
  const beginning = tagNameOf(queryParam(request, 'q') ?? '')
  const filter = { beginning, courseId: course?.id ?? null }
  const page = await listTags(db, request.person, filter, pageRequest(request, 'count'))
  request.rendering?.dependsOn('site')
  const t = translatorFor(request)
  return reply.page<TagIndex>(
    'tags/index',
    {
      title: t('tags.index.title'),
      tags: page.rows.map(({ name, questionsCount }) => ({
        name,
        path: course === null ? tagPath(name) : pathWith(coursePath(course.slug), { tag: name }),
        questionsCount,
      })),
      beginning,
      course: slug,
      allPath: pathWith('/tags', { course: slug }),
      ...pageLinks(page, (tag) => ({ value: tag.questionsCount, id: tag.id }), '/tags', {
        course: slug,
        q: beginning || null,
      }),
    },
    course === null ? {} : { about: course.title, course: slug, bar: await barOf(request, course, 'tags') },
  )
}

/** @throws Problem 404 for a course that the viewer may not read */
async function courseOf(request: FastifyRequest): Promise<Course | null> {
  const slug = queryParam(request, 'course')
  if (slug === null) return null
  const course = await request.server.courses.findCourse(slug)
  if (course === null || !isVisible(request.person, course)) throw notFound()
  return course
}

/** One tag's questions. Other spellings redirect permanently to the one that is kept. */
async function showTag(request: FastifyRequest, reply: FastifyReply) {
  const asked = textParam(request, 'tag')
  const name = tagNameOf(asked)
  if (!isTag(name)) throw notFound()
  const tag = await findTag(request.server.db, request.person, name)
  if (tag === null) throw notFound()
  const path = tagPath(name)
  if (name !== asked) {
    return movedTo(request, reply, path)
  }
  const list = await questionListView(request, { path, tagId: tag.id, showCourse: true })
  const title = translatorFor(request)('tags.show.title', { tag: name })
  return reply.page<TagPage>(
    'tags/show',
    {
      title: listTitle(request, { list, lecture: null, title }),
      tag: name,
      questionsCount: tag.questionsCount,
      following: { action: `${path}/following`, subject: `tag.${tag.id}` },
      list,
    },
    { canonical: path, feed: `${path}/feed.atom`, ask: { tags: name } },
  )
}
