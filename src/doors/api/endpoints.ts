import { z } from 'zod'
import { actEndpoints } from './acts.ts'
import { API, absolute, one } from './answering.ts'
import { caseEndpoints } from './cases.ts'
import { courseEndpoints } from './courses.ts'
import { type Endpoint, oneOf, reading } from './endpoint.ts'
import { peopleEndpoints } from './people.ts'
import { belowEndpoints, historyEndpoints, questionEndpoints } from './post-reading.ts'
import { postEndpoints } from './post-writing.ts'
import { named, url } from './schemas/registry.ts'
import { searchEndpoints } from './search.ts'
import { staffEndpoints } from './staff.ts'
import { uploadEndpoint } from './uploads.ts'

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

const startEndpoints = [
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

/** All that programs can do: routes, documentation and /api/v1/openapi.json come from this list. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...startEndpoints,
  ...courseEndpoints,
  ...questionEndpoints,
  ...belowEndpoints,
  ...postEndpoints,
  ...actEndpoints,
  ...searchEndpoints,
  ...peopleEndpoints,
  ...staffEndpoints,
  ...caseEndpoints,
  ...historyEndpoints,
  uploadEndpoint,
]
