import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { choice, line } from '../../operations/fields.ts'
import { notFound, Problem } from '../../operations/problem.ts'
import { requireRight } from '../../operations/require-right.ts'
import { placeOf } from '../../rights/rights.ts'
import { tagNameOf } from '../../text/tag-name.ts'
import { form } from '../../web/form.ts'
import { idParam, queryParam, textParam } from '../../web/params.ts'
import { coursePath, pathWith, questionPath, tagPath } from '../../web/paths.ts'
import { findLecture } from '../courses/choices.ts'
import type { Course } from '../courses/queries.ts'
import { findQuestion } from '../questions/find.ts'
import { TITLE } from '../questions/form.ts'
import { findTag } from '../tags/queries.ts'
import { isYes } from '../votes/form.ts'
import { type Following, followInstead, setFollowing } from './commands.ts'
import { showFollowing } from './following-page.ts'
import { endAllFollowing, type Place, setPlaceFollowing } from './places.ts'

const FOLLOWING = '/following'
const FOLLOWINGS: Readonly<Record<string, Following>> = { '1': 'follow', '0': 'none', mute: 'mute' }
/** Following it instead of posting: it answers one's own (`?instead=1`), or asks the same (`?instead=same`). */
const INSTEAD: ReadonlySet<string | null> = new Set(['1', 'same'])
/** What was typed as a title; null: none, or one that no question could have. */
const typedTitle = z.string().transform((value) => line(TITLE).safeParse(value).data ?? null)
const followingForm = form({ value: choice(['1', '0', 'mute']), title: typedTitle })

/** Following a question, by its button or by "this answers mine" (`?instead`); a course, a lecture, a tag; and all of it. */
export function registerFollows(app: FastifyInstance): void {
  registerQuestionFollowing(app)
  registerPlaceFollowing(app)
  const config = { limit: 'voting', needsPerson: true, formPage: () => FOLLOWING } as const
  app.get(FOLLOWING, async (request, reply) => showFollowing(request, reply, request.requirePerson()))
  app.post(FOLLOWING, { config }, async (request, reply) => {
    if (isYes(request)) throw new Problem('invalid')
    await endAllFollowing(app.db, request.requirePerson().id)
    return reply.flash('follows.flash.ended').redirect(FOLLOWING, 303)
  })
}

function registerQuestionFollowing(app: FastifyInstance): void {
  const formPage = (request: FastifyRequest) => `/questions/${idParam(request, 'id')}`
  app.post(
    '/questions/:id/following',
    { config: { limit: 'voting', needsPerson: true, formPage } },
    async (request, reply) => {
      const person = request.requirePerson()
      const question = await findQuestion(app.db, person, idParam(request, 'id'), 'follow')
      const parsed = followingForm.parse(request.body)
      const following = parsed.ok ? FOLLOWINGS[parsed.values.value] : undefined
      if (following === undefined) throw new Problem('invalid')
      const isInstead = following === 'follow' && INSTEAD.has(queryParam(request, 'instead'))
      const title = parsed.ok ? parsed.values.title : null
      if (isInstead) await followInstead(app.db, question.id, person.id, title)
      else await setFollowing(app.db, question.id, person.id, following)
      return reply
        .flash(`follows.flash.${isInstead ? 'instead' : following}`)
        .redirect(backFrom(request, questionPath(question)), 303)
    },
  )
}

function registerPlaceFollowing(app: FastifyInstance): void {
  const place = async (request: FastifyRequest, found: Place, path: string) => {
    const isFollowed = isYes(request)
    await setPlaceFollowing(app.db, found, request.requirePerson().id, isFollowed)
    return { path: backFrom(request, path), message: `follows.flash.${isFollowed ? 'place' : 'noPlace'}` }
  }
  const config = (formPage: (request: FastifyRequest) => string) =>
    ({ config: { limit: 'voting', needsPerson: true, formPage } }) as const
  const ofCourse = (request: FastifyRequest) => coursePath(textParam(request, 'course'))

  app.post('/courses/:course/following', config(ofCourse), async (request, reply) => {
    const course = await followable(request)
    const done = await place(request, { kind: 'course', id: course.id }, coursePath(course.slug))
    return reply.flash(done.message).redirect(done.path, 303)
  })
  app.post('/courses/:course/lectures/:position/following', config(ofCourse), async (request, reply) => {
    const course = await followable(request)
    const lecture = await findLecture(app.db, course.id, textParam(request, 'position'))
    if (lecture === null) throw notFound()
    const path = pathWith(coursePath(course.slug), { lecture: lecture.position })
    const done = await place(request, { kind: 'lecture', id: lecture.id }, path)
    return reply.flash(done.message).redirect(done.path, 303)
  })
  const ofTag = (request: FastifyRequest) => tagPath(tagNameOf(textParam(request, 'tag')))
  app.post('/tags/:tag/following', config(ofTag), async (request, reply) => {
    const name = tagNameOf(textParam(request, 'tag'))
    const tag = await findTag(app.db, request.requirePerson(), name)
    if (tag === null) throw notFound()
    const done = await place(request, { kind: 'tag', id: tag.id }, tagPath(name))
    return reply.flash(done.message).redirect(done.path, 303)
  })
}

/** @throws Problem 404 or 403 for a course that the person may not follow */
async function followable(request: FastifyRequest): Promise<Course> {
  const course = await request.server.courses.findCourse(textParam(request, 'course'))
  if (course === null) throw notFound()
  requireRight(request.requirePerson(), 'follow-course', placeOf(course))
  return course
}

/** The list of all that one follows has the same buttons. */
function backFrom(request: FastifyRequest, path: string): string {
  return queryParam(request, 'from') === 'following' ? FOLLOWING : path
}
