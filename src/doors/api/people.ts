import { z } from 'zod'
import { seenAuthor } from '../../forum/authors/byline.ts'
import { type ListedNotification, notificationsSeenBy } from '../../forum/notifications/queries.ts'
import { notificationPath } from '../../forum/notifications/view.ts'
import { findProfile } from '../../forum/people/queries.ts'
import { notFound } from '../../kernel/problem.ts'
import { translatorFor } from '../../web/language.ts'
import { idParam } from '../../web/params.ts'
import { personPath } from '../../web/paths.ts'
import { accessOf, personOf } from './access.ts'
import { API, absolute, list, one } from './answering.ts'
import { type Call, listOf, oneOf, reading } from './endpoint.ts'
import { cursorIn, cut, paging } from './paging.ts'
import { meSchema, notificationSchema, personSchema } from './schemas/people.ts'

const tag = 'people'

export const peopleEndpoints = [
  reading('/people/:id', oneOf(personSchema), { name: 'readPerson', tag }, async ({ request }) => {
    const id = idParam(request, 'id')
    const person = await findProfile(request.server.db, request.person, id)
    if (person === undefined) throw notFound()
    request.rendering?.dependsOn('site', `person:${id}`, `profile:${id}`)
    const html = personPath({ id, displayName: person.display_name })
    const body = {
      id,
      name: person.display_name,
      joined_at: person.joined_at.toISOString(),
      roles: person.roles.map(({ slug: course, role }) => ({ course, role })),
      questions_count: person.asked.count,
      answers_count: person.answered.count,
      accepted_count: person.answered.accepted,
      endorsed_count: person.answered.endorsed,
      votes_count: person.asked.votes + person.answered.votes,
      tags: person.tags.map(({ name, count }) => ({ name, answers_count: count })),
      url: absolute(request, html),
    }
    return one({ body, links: { self: `${API}/people/${id}`, html } })
  }),

  reading('/me', oneOf(meSchema), { name: 'readMe', tag, isPublic: false }, async ({ request }) => {
    const person = personOf(request)
    const access = accessOf(request)
    const profile = await findProfile(request.server.db, person, person.id)
    const html = personPath(person)
    const body = {
      id: person.id,
      name: person.displayName,
      language: person.language,
      time_zone: person.timeZone,
      is_admin: person.isAdmin,
      roles: profile?.roles.map(({ slug: course, role }) => ({ course, role })) ?? [],
      token: {
        scopes: [...access.scopes],
        course: access.course?.slug ?? null,
        ends_at: access.endsAt.toISOString(),
      },
      url: absolute(request, html),
    }
    const self = `${API}/me`
    return one({ body, links: { self, html, notifications: `${self}/notifications` } })
  }),

  reading(
    '/me/notifications',
    listOf(notificationSchema),
    { name: 'listNotifications', tag, isPublic: false, query: z.object(paging) },
    async ({ request, query: { cursor, limit } }) => {
      const person = personOf(request)
      const asked = { after: cursorIn(cursor, 'time'), size: limit + 1 }
      const rows = await notificationsSeenBy(request.server.db, person, asked)
      const page = cut(rows, limit, ({ id, happenedAt }) => ({ value: new Date(happenedAt).getTime(), id }))
      return list(
        page.rows.map((told) => notificationBody(request, told)),
        page.next,
      )
    },
  ),
]

function notificationBody(request: Call['request'], told: ListedNotification) {
  const t = translatorFor(request)
  const first = told.posts.find((post) => post.reason === told.reason)
  const author = first === undefined ? null : seenAuthor({ t, viewer: request.person }, first, told.courseId)
  const html = notificationPath(told)
  const body = {
    id: told.id,
    reason: told.reason,
    is_seen: told.isSeen,
    happened_at: new Date(told.happenedAt).toISOString(),
    question: told.questionId,
    announcement: told.announcementId,
    title: told.title,
    course: told.courseSlug,
    author: author && { id: author.id, name: author.name, role: author.role, stand_in: author.standIn },
    url: absolute(request, html),
  }
  const question = told.questionId === null ? {} : { question: `${API}/questions/${told.questionId}` }
  return { body, links: { html, ...question } }
}
