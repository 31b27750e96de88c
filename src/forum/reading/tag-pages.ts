import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../kernel/problem.ts'
import { isTag, tagNameOf } from '../../text/tag-name.ts'
import { listPage } from '../../web/list.ts'
import { page } from '../../web/page.ts'
import { queryParam, textParam } from '../../web/params.ts'
import { coursePath, movedTo, pathWith, tagPath } from '../../web/paths.ts'
import { courseParam } from '../courses/course-bar.ts'
import { headIn } from '../courses/course-page.ts'
import type { Course } from '../courses/queries.ts'
import { findTag, listTags, mostUsedTags, tagInCourse } from '../tags/queries.ts'
import { LIST_PARAMETERS, listTitle, questionListView } from './list-page.ts'

export function registerTags(app: FastifyInstance): void {
  const index = { config: { shared: { parameters: ['course', 'q', 'after', 'before'], isForMembers: true } } }
  app.get('/tags', index, openTags)
  app.get('/tags/:tag', { config: { shared: { ...LIST_PARAMETERS, isForMembers: true } } }, openTag)
}

/** All tags, or those of the course in the query. @throws Problem 404 for one that the viewer may not read */
async function openTags(request: FastifyRequest, reply: FastifyReply) {
  const course = await courseParam(request)
  if ((course?.slug ?? null) !== queryParam(request, 'course')) throw notFound()
  return showTags(request, reply, course)
}

export const showTags = page('tags/index', {}, async (context, course: Course | null) => {
  const { t, db, viewer } = context
  const slug = course?.slug ?? null
  const beginning = tagNameOf(queryParam(context, 'q') ?? '')
  const filter = { beginning, courseId: course?.id ?? null }
  const path = pathWith('/tags', { course: slug, q: beginning || null })
  const listed = await listPage(context, path, 'count', (asked) => listTags(db, viewer, filter, asked))
  context.rendering?.dependsOn('site')
  return {
    title: t('tags.index.title'),
    tags: listed.rows.map((tag) => ({
      ...tag,
      path: slug === null ? tagPath(tag.name) : pathWith(coursePath(slug), { tag: tag.name }),
    })),
    beginning,
    course: slug,
    allPath: pathWith('/tags', { course: slug }),
    ...listed.links,
    head: { about: course?.title ?? null, ...(await headIn(context, course, 'tags')) },
  }
})

/** One tag's questions. Other spellings redirect permanently to the one that is kept. */
async function openTag(request: FastifyRequest, reply: FastifyReply) {
  const asked = textParam(request, 'tag')
  const name = tagNameOf(asked)
  if (!isTag(name)) throw notFound()
  const tag = await findTag(request.server.db, request.person, name)
  if (tag === null) throw notFound()
  return name === asked ? showTag(request, reply, name, tag) : movedTo(request, reply, tagPath(name))
}

type FoundTag = NonNullable<Awaited<ReturnType<typeof findTag>>>

export const showTag = page('tags/show', {}, async (context, name: string, tag: FoundTag) => {
  const path = tagPath(name)
  const list = await questionListView(context, { path, tagId: tag.id, showCourse: true })
  return {
    title: listTitle(context, list, null, context.t('tags.show.title', { tag: name })),
    tag: name,
    questionsCount: tag.questionsCount,
    following: { action: `${path}/following`, subject: `tag.${tag.id}` },
    list,
    head: { canonical: path, feed: `${path}/feed.atom`, ask: { tags: name } },
  }
})

/** JSON for public/js/tag-chips.js. */
export function registerTagSuggestions(app: FastifyInstance): void {
  app.get('/questions/tags', { config: { limit: 'suggestions' } }, async (request, reply) => {
    const course = await courseParam(request)
    const beginning = tagNameOf(queryParam(request, 'q') ?? '')
    const isTyped = course !== null && beginning !== ''
    const names = isTyped ? await mostUsedTags(app.db, course.id, beginning) : []
    const tag = isTyped ? await tagInCourse(app.db, course.id, beginning) : null
    return (
      reply
        .header('cache-control', 'private, max-age=30')
        .header('vary', 'cookie')
        // `means`: the tag that an old name or another alias stands for.
        .send({
          suggestions: names.map((text) => ({ text })),
          means: tag === null || tag.name === beginning ? null : tag.name,
        })
    )
  })
}
