import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { translatorOf } from '../messages/catalogue.ts'
import { isTag } from '../questions/form.ts'
import { type QuestionListView, questionListView } from '../questions/list-page.ts'
import { languageOfRequest } from '../web/language.ts'
import { movedTo } from '../web/moved.ts'
import { type PageLinks, pageLinks, pageRequest } from '../web/pages.ts'
import { queryParam, textParam } from '../web/params.ts'
import { tagPath } from '../web/paths.ts'
import { notFound } from '../web/problem.ts'
import { findTag, listTags } from './queries.ts'

declare module '../web/views.ts' {
  interface Pages {
    'tags/index': TagIndex
    'tags/show': TagPage
  }
}

export interface TagIndex extends PageLinks {
  readonly tags: readonly { readonly name: string; readonly path: string; readonly questionsCount: number }[]
  /** What the shown tags begin with; '': all tags. */
  readonly beginning: string
}

export interface TagPage {
  readonly tag: string
  readonly questionsCount: number
  readonly list: QuestionListView
}

export function registerTags(app: FastifyInstance): void {
  const shared = { config: { isShared: true, isForMembers: true } }
  app.get('/tags', shared, showTags)
  app.get('/tags/:tag', shared, showTag)
}

async function showTags(request: FastifyRequest, reply: FastifyReply) {
  const { db } = request.server
  const beginning = normalized(queryParam(request, 'q')?.trim() ?? '')
  const page = await listTags(db, request.person, beginning, pageRequest(request, 'count'))
  request.shown?.add('tags', 'courses')
  return reply.page('tags/index', {
    title: translatorOf(languageOfRequest(request))('tags.index.title'),
    tags: page.rows.map(({ name, questionsCount }) => ({ name, path: tagPath(name), questionsCount })),
    beginning,
    ...pageLinks(page, (tag) => ({ value: tag.questionsCount, id: tag.id }), '/tags', {
      q: beginning || null,
    }),
  })
}

/** One tag's questions. Tags are kept in small letters; other spellings lead there for good. */
async function showTag(request: FastifyRequest, reply: FastifyReply) {
  const asked = textParam(request, 'tag')
  const name = normalized(asked)
  if (!isTag(name)) throw notFound()
  const tag = await findTag(request.server.db, request.person, name)
  if (tag === null) throw notFound()
  const path = tagPath(name)
  if (name !== asked) {
    return movedTo(request, reply, path)
  }
  const list = await questionListView(request, { path, tagId: tag.id, showCourse: true })
  const title = translatorOf(languageOfRequest(request))('tags.show.title', { tag: name })
  return reply.page(
    'tags/show',
    { title, tag: name, questionsCount: tag.questionsCount, list },
    { canonical: path, feed: `${path}/feed.atom` },
  )
}

function normalized(name: string): string {
  return name.toLowerCase().normalize('NFC')
}
