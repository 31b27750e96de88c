import { z } from 'zod'
import { questionDuplicate } from '../../forum/desk/duplicates.ts'
import { MARKS } from '../../forum/marks/marks.ts'
import type { PostMark } from '../../forum/posts/mark-form.ts'
import {
  API,
  absolute,
  type Endpoint,
  idOf,
  oneOf,
  reading,
  type Sent,
  writing,
} from '../../web/json/endpoint.ts'
import { resource, url } from '../../web/json/resource.ts'
import { caseEndpoints } from './cases.ts'
import { courseEndpoints } from './courses.ts'
import { peopleEndpoints } from './people.ts'
import { belowEndpoints, historyEndpoints, questionEndpoints } from './post-reading.ts'
import { postEndpoints } from './post-writing.ts'
import { searchEndpoints } from './search.ts'
import { staffEndpoints } from './staff.ts'
import { uploadEndpoint } from './uploads.ts'

const actEndpoints: readonly Endpoint[] = [...MARKS.flatMap(both), ...duplicates()]

/** PUT sets a mark, DELETE unsets it: twice the same changes nothing. */
function both(mark: PostMark): Endpoint[] {
  const { address, isForStaff = false, body } = mark
  const last = address.slice(address.lastIndexOf('/') + 1)
  const noun = mark.noun ?? `${last.charAt(0).toUpperCase()}${last.slice(1)}`
  const common = {
    path: address,
    tag: isForStaff ? 'desk' : 'votes',
    operation: mark,
    isForStaff,
    key: idOf,
  } as const
  return [
    writing({
      ...{ ...common, method: 'PUT', name: `put${noun}` },
      ...(body !== undefined && { body }),
      input: ({ body }) => ({ ...mark.set, ...body }),
    }),
    writing({ ...common, method: 'DELETE', name: `delete${noun}`, input: () => mark.unset }),
  ]
}

/** Marks a question as a duplicate; the operation locks the other question first. */
function duplicates(): Endpoint[] {
  const path = '/questions/:id/duplicate'
  const common = { path, tag: 'desk', operation: questionDuplicate, isForStaff: true } as const
  const ofIn = ({ of }: Sent) => (typeof of === 'string' || typeof of === 'number' ? String(of) : '')
  return [
    writing({
      ...{ ...common, method: 'PUT', name: 'putDuplicate' },
      body: { fields: { of: questionDuplicate.input.of }, required: ['of'] },
      key: (call) => ({ id: idOf(call), of: ofIn(call.body) }),
      input: ({ body }) => ({ of: ofIn(body) || '-' }),
    }),
    writing({
      ...{ ...common, method: 'DELETE', name: 'deleteDuplicate' },
      key: (call) => ({ id: idOf(call), of: '' }),
      input: () => ({ of: '' }),
    }),
  ]
}

/** Addresses of the collections; those with braces are URI templates (RFC 6570). */
const startSchema = resource('Start', {
  courses: url,
  search: z.string(),
  similar: z.string(),
  me: url,
  notifications: url,
  openapi: url,
  documentation: url,
})

const startEndpoints = [
  reading('/', oneOf(startSchema), { name: 'start', tag: 'start', isShared: false }, async ({ request }) => {
    const at = (path: string) => absolute(request, `${API}${path}`)
    const courses = at('/courses')
    const me = at('/me')
    const notifications = at('/me/notifications')
    const openapi = at('/openapi.json')
    const documentation = absolute(request, '/api')
    return {
      ...{ courses, me, notifications, openapi, documentation },
      search: `${at('/search')}{?q,limit}`,
      similar: `${at('/questions/similar')}{?title,course}`,
      links: { self: API, courses, me, notifications, describedby: openapi, help: documentation },
    }
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
