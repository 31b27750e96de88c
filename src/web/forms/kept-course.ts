import type { FastifyInstance } from 'fastify'
import { queryParam } from '../params.ts'

/** Pages of a person's own, which keep the bar of the course they were opened from. */
const KEEPING = /^\/(?:settings|notifications|following|drafts)(?=[/?#]|$)/

/**
 * Forms of a page that keeps a course's bar post to an address with `?course=`, too: what they lead back to keeps it, unless it
 * names a course itself.
 */
export function registerKeptCourse(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply) => {
    const location = reply.getHeader('location')
    if (reply.statusCode !== 303 || typeof location !== 'string' || !KEEPING.test(location)) return
    const course = queryParam(request, 'course')
    if (course === null) return
    const url = new URL(location, 'http://forum')
    if (!url.searchParams.has('course')) url.searchParams.set('course', course)
    reply.header('location', `${url.pathname}${url.search}${url.hash}`)
  })
}
