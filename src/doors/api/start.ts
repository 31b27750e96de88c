import { z } from 'zod'
import { API, absolute, one } from './answering.ts'
import { oneOf, reading } from './endpoint.ts'
import { named, url } from './schemas/registry.ts'

/** Addresses of the collections; those with braces are URI templates (RFC 6570). */
const startSchema = named(
  'Start',
  z.object({
    courses: url,
    search: z.string(),
    similar: z.string(),
    me: url,
    notifications: url,
    openapi: url,
    documentation: url,
  }),
)

export const startEndpoints = [
  reading('/', oneOf(startSchema), { name: 'start', tag: 'start', isShared: false }, async ({ request }) => {
    const at = (path: string) => absolute(request, `${API}${path}`)
    const body = {
      courses: at('/courses'),
      search: `${at('/search')}{?q,limit}`,
      similar: `${at('/questions/similar')}{?title,course}`,
      me: at('/me'),
      notifications: at('/me/notifications'),
      openapi: at('/openapi.json'),
      documentation: absolute(request, '/api'),
    }
    const { courses, me, notifications } = body
    const rest = { describedby: body.openapi, help: body.documentation }
    return one({ body, links: { self: API, courses, me, notifications, ...rest } })
  }),
]
