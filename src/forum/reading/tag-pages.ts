import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../kernel/problem.ts'
import { isTag, tagNameOf } from '../../text/tag-name.ts'
import { translatorFor } from '../../web/language.ts'
import { contextOf } from '../../web/page.ts'
import { pageLinks, pageRequest } from '../../web/pages.ts'
import { queryParam, textParam } from '../../web/params.ts'
import { coursePath, movedTo, pathWith, tagPath } from '../../web/paths.ts'
import { barOf, courseParam } from '../courses/course-bar.ts'
import type { Course } from '../courses/queries.ts'
import { findTag, listTags, mostUsedTags } from '../tags/queries.ts'
import { LIST_PARAMETERS, listTitle, questionListView } from './list-page.ts'

export function registerTags(app: FastifyInstance): void {
  const index = { config: { shared: { parameters: ['course', 'q', 'after', 'before'], isForMembers: true } } }
  app.get('/tags', index, showTags)
  app.get('/tags/:tag', { config: { shared: { ...LIST_PARAMETERS, isForMembers: true } } }, showTag)
}

/** All tags, or those of the course in the query. @throws Problem 404 for one that the viewer may not read */
async function showTags(request: FastifyRequest, reply: FastifyReply) {
  const course = await courseParam(request)
  const slug = course?.slug ?? null
  if (slug !== queryParam(request, 'course')) throw notFound()
  return reply.page(
    'tags/index',
    await tagsPage(request, course),
    course === null
      ? {}
      : { about: course.title, course: course.slug, bar: await barOf(contextOf(request), course, 'tags') },
  )
}

export async function tagsPage(request: FastifyRequest, course: Course | null) {
  const { db } = request.server
  const slug = course?.slug ?? null
  const beginning = tagNameOf(queryParam(request, 'q') ?? '')
  const filter = { beginning, courseId: course?.id ?? null }
  const page = await listTags(db, request.person, filter, pageRequest(request, 'count'))
  request.rendering?.dependsOn('site')
  const t = translatorFor(request)
  const cursorOf = (tag: (typeof page.rows)[number]) => ({ value: tag.questions_count, id: tag.id })
  return {
    title: t('tags.index.title'),
    tags: page.rows.map(({ name, questions_count: questionsCount }) => ({
      name,
      path: slug === null ? tagPath(name) : pathWith(coursePath(slug), { tag: name }),
      questionsCount,
    })),
    beginning,
    course: slug,
    allPath: pathWith('/tags', { course: slug }),
    ...pageLinks(page, cursorOf, '/tags', { course: slug, q: beginning || null }),
  }
}

/** One tag's questions. Other spellings redirect permanently to the one that is kept. */
async function showTag(request: FastifyRequest, reply: FastifyReply) {
  const asked = textParam(request, 'tag')
  const name = tagNameOf(asked)
  if (!isTag(name)) throw notFound()
  const tag = await findTag(request.server.db, request.person, name)
  if (tag === null) throw notFound()
  const path = tagPath(name)
  if (name !== asked) return movedTo(request, reply, path)
  const head = { canonical: path, feed: `${path}/feed.atom`, ask: { tags: name } }
  return reply.page('tags/show', await tagPage(request, name, tag), head)
}

export async function tagPage(
  request: FastifyRequest,
  name: string,
  tag: NonNullable<Awaited<ReturnType<typeof findTag>>>,
) {
  const path = tagPath(name)
  const list = await questionListView(request, { path, tagId: tag.id, showCourse: true })
  const title = translatorFor(request)('tags.show.title', { tag: name })
  return {
    title: listTitle(request, list, null, title),
    tag: name,
    questionsCount: tag.questionsCount,
    following: { action: `${path}/following`, subject: `tag.${tag.id}` },
    list,
  }
}

/** JSON for public/js/tag-suggestions.js. */
export function registerTagSuggestions(app: FastifyInstance): void {
  app.get('/questions/tags', { config: { limit: 'suggestions' } }, async (request, reply) => {
    const course = await courseParam(request)
    const beginning = tagNameOf(queryParam(request, 'q') ?? '')
    const names = course === null || beginning === '' ? [] : await mostUsedTags(app.db, course.id, beginning)
    return reply
      .header('cache-control', 'private, max-age=30')
      .header('vary', 'cookie')
      .send({ suggestions: names.map((text) => ({ text })) })
  })
}
