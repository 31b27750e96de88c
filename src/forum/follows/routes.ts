import type { FastifyInstance, FastifyRequest } from 'fastify'
import { tagNameOf } from '../../text/tag-name.ts'
import { sentFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { idParam, queryParam, textParam } from '../../web/params.ts'
import { backPath, coursePath, pathWith, questionPath, tagPath } from '../../web/paths.ts'
import { showFollowing } from './following-page.ts'
import {
  courseFollowing,
  followingEnd,
  lectureFollowing,
  questionFollowing,
  tagFollowing,
} from './operations.ts'

const FOLLOWING = '/following'
/** Following it instead of posting: it answers one's own (`?instead=1`), or asks the same (`?instead=same`). */
const INSTEAD: ReadonlySet<string | null> = new Set(['1', 'same'])

const courseIn = (request: FastifyRequest) => textParam(request, 'course')
const formPage = (request: FastifyRequest) => coursePath(courseIn(request))
const flash = (_: FastifyRequest, done: { readonly isFollowed: boolean } | null) =>
  `follows.flash.${done?.isFollowed === true ? 'place' : 'noPlace'}`

/** Following a question, by its button or by "this answers mine" (`?instead`); a course, a lecture, a tag; and all of it. */
export function registerFollows(app: FastifyInstance): void {
  app.get(FOLLOWING, async (request, reply) => showFollowing(request, reply, request.requirePerson()))
  openForm(app, FOLLOWING, followingEnd, {
    key: () => null,
    formPage: () => FOLLOWING,
    done: () => FOLLOWING,
    flash: () => 'follows.flash.ended',
  })
  openForm(app, '/questions/:id/following', questionFollowing, {
    key: (request) => idParam(request, 'id'),
    formPage: (request) => `/questions/${idParam(request, 'id')}`,
    input: (request) => ({
      ...sentFields(request.body),
      instead: INSTEAD.has(queryParam(request, 'instead')),
    }),
    done: ({ question }, request) => backPath(request, questionPath(question)),
    flash: (_, outcome) => `follows.flash.${outcome?.done}`,
  })
  openForm(app, '/courses/:course/following', courseFollowing, {
    key: courseIn,
    formPage,
    done: ({ slug }, request) => backPath(request, coursePath(slug)),
    flash,
  })
  openForm(app, '/courses/:course/lectures/:position/following', lectureFollowing, {
    key: (request) => ({ slug: courseIn(request), part: textParam(request, 'position') }),
    formPage,
    done: ({ slug, position }, request) =>
      backPath(request, pathWith(coursePath(slug), { lecture: position })),
    flash,
  })
  openForm(app, '/tags/:tag/following', tagFollowing, {
    key: () => null,
    formPage: (request) => tagPath(tagNameOf(textParam(request, 'tag'))),
    input: (request) => ({ ...sentFields(request.body), tag: textParam(request, 'tag') }),
    done: ({ name }, request) => backPath(request, tagPath(name)),
    flash,
  })
}
