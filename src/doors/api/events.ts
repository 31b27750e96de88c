import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { courseFor } from '../../forum/courses/find-course.ts'
import { courseAddress } from '../../forum/courses/resource.ts'
import {
  type EventLog,
  eventCursor,
  eventId,
  LATEST,
  numberIn,
  readEventLog,
} from '../../forum/events/cursor.ts'
import { EVENT_TYPES, type EventRecord, eventsAfter } from '../../forum/events/event.ts'
import { API, absolute, type Call, listOf, reading } from '../../web/json/endpoint.ts'
import { paging } from '../../web/json/paging.ts'
import { id, resource, time, url } from '../../web/json/resource.ts'
import { announcementPath, answerPath, coursePath, questionPath, replyPath } from '../../web/paths.ts'

export const eventSchema = resource('Event', {
  id: z.string(),
  type: z.enum(EVENT_TYPES),
  at: time,
  course: z.string(),
  question: id.nullable(),
  answer: id.nullable(),
  reply: id.nullable(),
  announcement: id.nullable(),
  url: url.nullable(),
})

const query = z.object({
  after: z.string().max(30).optional(),
  course: z.string().max(100).optional(),
  limit: paging.limit,
})
type EventsCall = Call<z.output<typeof query>>

export const eventsEndpoint = reading(
  '/events',
  listOf(eventSchema, z.object({ cursor: z.string() })),
  {
    ...{ name: 'listEvents', tag: 'events', query, isShared: false, problems: [404, 410] },
    stream: async (call, reply) => {
      const { request, query } = call
      const known = String(request.headers['last-event-id'] || query.after || LATEST)
      const asked = await askedOf(call, known)
      request.server.eventStreams.begin(request, reply, { ...asked, known: asked.after })
    },
  },
  async (call) => {
    const { request, query } = call
    const { course, log, after } = await askedOf(call, query.after ?? '')
    const page = { after, courseId: course?.id ?? null, limit: query.limit }
    const { rows, through, hasMore } = await eventsAfter(request.server.db, request.person, log, page)
    const cursor = eventCursor(log, through)
    const items = rows.map((row) => eventItem(request, log, row))
    return { items, next: hasMore ? cursor : null, nextIn: 'after' as const, beside: { cursor } }
  },
)

/** @throws InvalidParameter, CursorExpired, Problem where the course isn't there for whoever asks */
async function askedOf({ request, query: { course: slug } }: EventsCall, cursor: string) {
  const course = slug === undefined ? null : await courseFor(request, 'read', slug)
  const log = await readEventLog(request.server.db)
  return { course, log, after: numberIn(cursor, log, 'after') }
}

/** An event as its reader may know it. */
export function eventItem(request: Pick<FastifyRequest, 'server'>, log: EventLog, row: EventRecord) {
  const path = pathOf(row)
  const { question, answer, reply, course } = row
  const links = {
    course: courseAddress({ slug: course }),
    ...(path !== null && question !== null && { question: `${API}/questions/${question}` }),
    ...(path !== null && answer !== null && { answer: `${API}/answers/${answer}` }),
    ...(path !== null && reply !== null && { reply: `${API}/replies/${reply}` }),
  }
  return { ...row, id: eventId(log, row.number), url: path && absolute(request, path), links }
}

/** The page that shows it; null: none does any more. */
function pathOf({ type, title, isPrivate, course, question, answer, reply, announcement }: EventRecord) {
  if (type === 'course.imported') return coursePath(course)
  if (title === null) return null
  if (announcement !== null) return announcementPath({ id: announcement, title })
  if (question === null) return null
  const place = { id: question, title, audience: isPrivate ? ('staff' as const) : ('course' as const) }
  if (reply !== null) return replyPath(place, reply)
  return answer === null ? questionPath(place) : answerPath(place, answer)
}
