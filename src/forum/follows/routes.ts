import type { FastifyInstance, FastifyRequest } from 'fastify'
import { tagNameOf } from '../../text/tag-name.ts'
import { sentFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { openMark } from '../../web/forms/mark.ts'
import { textParam } from '../../web/params.ts'
import { backPath, coursePath, pathWith, tagPath } from '../../web/paths.ts'
import { courseFollowing, followingEnd, lectureFollowing, tagFollowing } from './following.ts'
import { showFollowing } from './following-page.ts'

const FOLLOWING = '/following'

const courseIn = (request: FastifyRequest) => textParam(request, 'course')
const formPage = (request: FastifyRequest) => coursePath(courseIn(request))

export function registerFollows(app: FastifyInstance): void {
  app.get(FOLLOWING, async (request, reply) => showFollowing(request, reply, request.requirePerson()))
  openForm(app, FOLLOWING, followingEnd, {
    key: () => null,
    formPage: () => FOLLOWING,
    done: () => FOLLOWING,
    flash: () => 'follows.flash.ended',
  })
  openMark(app, courseFollowing, {
    key: courseIn,
    formPage,
    done: ({ subject }, request) => backPath(request, coursePath(subject.slug)),
  })
  openMark(app, lectureFollowing, {
    key: (request) => ({ slug: courseIn(request), part: textParam(request, 'position') }),
    formPage,
    done: ({ subject: { slug, part } }, request) =>
      backPath(request, pathWith(coursePath(slug), { lecture: part })),
  })
  openMark(app, tagFollowing, {
    key: () => null,
    formPage: (request) => tagPath(tagNameOf(textParam(request, 'tag'))),
    input: (request) => ({ ...sentFields(request.body), tag: textParam(request, 'tag') }),
    done: ({ name }, request) => backPath(request, tagPath(name)),
  })
}
