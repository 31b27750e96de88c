import { z } from 'zod'
import { pageOf } from '../../database/keyset.ts'
import { seenAuthor } from '../../forum/authors/byline.ts'
import { type Notified, notificationsSeenBy } from '../../forum/notifications/queries.ts'
import { notificationPath } from '../../forum/notifications/view.ts'
import { findProfile, type Profile } from '../../forum/people/queries.ts'
import { cursorOf } from '../../forum/reading/list.ts'
import { NEWEST } from '../../forum/reading/list-filter.ts'
import { listQuestionRecords } from '../../forum/reading/records.ts'
import { questionResource, questionSchema } from '../../forum/reading/resource.ts'
import { notFound } from '../../kernel/problem.ts'
import { translatorFor } from '../../web/appearance.ts'
import { API, type Call, listOf, oneOf, reading, SCOPES } from '../../web/json/endpoint.ts'
import { cursorIn, cut, pageIn, paging, textsOfPost } from '../../web/json/paging.ts'
import { count, id, resource, role, snaked, time, url } from '../../web/json/resource.ts'
import { idParam } from '../../web/params.ts'
import { personPath } from '../../web/paths.ts'
import { accessOf, personOf } from './access.ts'
import { including } from './include.ts'

const roles = z.array(z.object({ course: z.string(), role }))

const personSchema = resource('Person', {
  id,
  name: z.string(),
  joined_at: time,
  roles,
  questions_count: count,
  answers_count: count,
  accepted_count: count,
  endorsed_count: count,
  votes_count: count,
  tags: z.array(z.object({ name: z.string(), answers_count: count })),
  url,
})

const meSchema = resource('Me', {
  id,
  name: z.string(),
  language: z.enum(['en', 'ko']).nullable(),
  time_zone: z.string().nullable(),
  is_admin: z.boolean(),
  roles,
  token: z.object({
    scopes: z.array(z.enum(SCOPES)),
    course: z.string().nullable(),
    ends_at: time,
  }),
  url,
})

const notificationSchema = resource('Notification', {
  id,
  reason: z.string(),
  is_seen: z.boolean(),
  happened_at: time,
  question: id.nullable(),
  announcement: id.nullable(),
  reports: z.array(
    z.object({
      id: id.nullable(),
      about: z.enum(['question', 'answer', 'reply', 'person']),
      state: z.enum(['open', 'upheld', 'declined']),
    }),
  ),
  title: z.string(),
  course: z.string(),
  author: z
    .object({ id: id.nullable(), name: z.string(), role: role.nullable(), stand_in: z.int().nullable() })
    .nullable(),
  url,
})

const tag = 'people'

export const peopleEndpoints = [
  reading('/people/:id', oneOf(personSchema), { name: 'readPerson', tag }, async ({ request }) => {
    const id = idParam(request, 'id')
    const person = await findProfile(request.server.db, request.person, id)
    if (person === undefined) throw notFound()
    request.rendering?.dependsOn('site', `person:${id}`, `profile:${id}`)
    const { display_name: name, asked, answered } = person
    return {
      ...person,
      name,
      roles: rolesOf(person),
      questions_count: asked.count,
      answers_count: answered.count,
      accepted_count: answered.accepted,
      endorsed_count: answered.endorsed,
      votes_count: asked.votes + answered.votes,
      tags: person.tags.map(({ name, count }) => ({ name, answers_count: count })),
      links: {
        self: `${API}/people/${id}`,
        questions: `${API}/people/${id}/questions`,
        html: personPath({ id, displayName: name }),
      },
    }
  }),

  including(
    'question',
    reading(
      '/people/:id/questions',
      listOf(questionSchema),
      { name: 'listQuestionsOfPerson', tag, query: z.object(paging) },
      async ({ request, query: { cursor, limit } }) => {
        const { db, courses } = request.server
        const id = idParam(request, 'id')
        const after = cursorIn(cursor, 'time')
        if ((await findProfile(db, request.person, id)) === undefined) throw notFound()
        request.rendering?.dependsOn('site', `person:${id}`, `profile:${id}`)
        // As on their profile: under their name, and shared with a course.
        const filter = { ...NEWEST, authorId: id }
        const readable = await courses.readable(request.person)
        const page = { after, before: null }
        const records = await listQuestionRecords(db, request.person, filter, page, limit, readable)
        const { rows, next } = cut(records, limit, (row) => cursorOf(row, filter.sort), textsOfPost)
        return { items: await questionResource.items(request, rows), next }
      },
    ),
  ),

  reading('/me', oneOf(meSchema), { name: 'readMe', tag, isPublic: false }, async ({ request }) => {
    const person = personOf(request)
    const { scopes, course, endsAt } = accessOf(request)
    const profile = await findProfile(request.server.db, person, person.id)
    const self = `${API}/me`
    return {
      ...snaked(person),
      name: person.displayName,
      roles: profile === undefined ? [] : rolesOf(profile),
      token: { scopes: [...scopes], course: course?.slug ?? null, ends_at: endsAt },
      links: { self, html: personPath(person), notifications: `${self}/notifications` },
    }
  }),

  reading(
    '/me/notifications',
    listOf(notificationSchema),
    { name: 'listNotifications', tag, isPublic: false, query: z.object(paging) },
    async ({ request, query: { cursor, limit } }) => {
      const asked = pageIn(cursor, 'time')
      const page = { after: asked.after, size: limit + 1 }
      const rows = await notificationsSeenBy(request.server.db, personOf(request), page)
      const listed = pageOf(rows, limit, asked, ({ happenedAt }) => happenedAt)
      return { items: listed.rows.map((told) => notificationItem(request, told)), next: listed.older }
    },
  ),
]

const rolesOf = ({ roles }: Profile) => roles.map(({ slug: course, role }) => ({ course, role }))

function notificationItem(request: Call['request'], told: Notified) {
  const t = translatorFor(request)
  const first = told.posts.find((post) => post.reason === told.reason)
  const author = first && seenAuthor({ t, viewer: request.person }, first, told.courseId)
  const { questionId: question, announcementId: announcement, courseSlug: course } = told
  return {
    ...{ ...snaked(told), question, announcement, course },
    reports: told.together.map(({ report, about, state }) => ({ id: report, about, state })),
    author: author === undefined ? null : snaked(author),
    links: {
      html: notificationPath(told),
      ...(question !== null && { question: `${API}/questions/${question}` }),
    },
  }
}
