import { API, absolute } from './answering.ts'
import { oneOf, reading } from './endpoint.ts'
import { one } from './outcome.ts'
import { startSchema } from './schemas/start.ts'

/** The entry point: addresses of the collections. */
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
