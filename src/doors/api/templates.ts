import type { FastifyRequest } from 'fastify'
import { findPlace } from '../../forum/posts/find.ts'
import { suspensionIn, suspensionsOfPerson } from '../../kernel/rights/person.ts'
import { placeOf, rulingOnAny, seesNames } from '../../kernel/rights/rights.ts'
import { translatorFor } from '../../web/appearance.ts'
import { API, absolute, bodyTypes, type Endpoint, type Sent } from '../../web/json/endpoint.ts'
import { type Schema, schemaOfField } from '../../web/json/field-schema.ts'
import { idParam, textParam } from '../../web/params.ts'
import { ENDPOINTS } from './endpoints.ts'
import { fieldText } from './openapi.ts'
import { postTableAt } from './statuses.ts'

/**
 * The forms of what the person of a token may do now with what an address is about, a post or a course: made of the fields of its
 * operations. What only an operation can know, such as a name that can't be hidden any more, it refuses when it is sent.
 * @param body what is read at the address
 */
export async function templatesOf(request: FastifyRequest, { path }: Endpoint, body: Sent) {
  const { tokenAccess: access, person } = request
  if (person === null || access === null || access.personId === null) return {}
  const acts = actsAt(path).filter(({ scopes }) => scopes.every((scope) => access.scopes.includes(scope)))
  const place = acts.length === 0 ? null : await placeAt(request, path)
  if (place === null || (await isSuspended(request, place.courseId))) return {}
  const isStaff = seesNames(person, place.courseId)
  const may = ({ act }: Endpoint) => act !== null && rulingOnAny(person, act, place) === 'allowed'
  const offered = acts.filter((one) => may(one) && isOffered(one, body, isStaff))
  return Object.fromEntries(
    // The form of a resource itself has the name that clients look for.
    offered.map((one) => [one.method === 'PATCH' ? 'default' : one.name, templateOf(request, one, body)]),
  )
}

/** What can be done with a post, at its own address, and in a course or in the list of its questions. */
function actsAt(path: string): Endpoint[] {
  const writes = ENDPOINTS.filter(({ act }) => act !== null)
  if (path === '/courses/:course' || path === '/courses/:course/questions')
    return writes.filter((one) => one.path === '/courses/:course/questions')
  return path === `/${postTableAt(path)}/:id`
    ? writes.filter((one) => one.path === path || one.path.startsWith(`${path}/`))
    : []
}

async function placeAt(request: FastifyRequest, path: string) {
  const { db, courses } = request.server
  const table = postTableAt(path)
  if (table !== undefined) return findPlace(db, { table, id: idParam(request, 'id') })
  const course = await courses.findCourse(textParam(request, 'course'))
  return course && placeOf(course)
}

async function isSuspended({ server: { db }, person }: FastifyRequest, courseId: number) {
  const found = await db
    .selectFrom('people as person')
    .select(suspensionsOfPerson.as('suspensions'))
    .where('person.id', '=', person?.id ?? 0)
    .executeTakeFirst()
  return suspensionIn(found?.suspensions ?? [], courseId) !== null
}

/** Whether a mark is there, by the end of its address; what isn't read of a post is undefined. */
const SET: Readonly<Record<string, (body: Post) => boolean | undefined>> = {
  vote: ({ me }) => me?.vote,
  following: ({ me }) => me?.following,
  resolution: ({ status }) => status === 'resolved',
  acceptance: ({ is_accepted: isAccepted }) => isAccepted,
  endorsement: ({ is_endorsed: isEndorsed }) => isEndorsed,
  pin: ({ me }) => me && me.pinned_until !== null,
  duplicate: ({ duplicate_of: original }) => original !== null,
  closing: ({ closed }) => closed !== null,
  release: ({ state }) => state !== 'held',
}

/** Of what programs read of a post, what says what can be done next. */
interface Post {
  readonly me?: { readonly vote?: boolean; readonly following?: boolean; readonly pinned_until?: unknown }
  readonly author?: { readonly role: string | null }
  readonly status?: string
  readonly is_accepted?: boolean
  readonly is_endorsed?: boolean
  readonly duplicate_of?: number | null
  readonly closed?: { readonly reason: string | null } | null
  readonly state?: string | null
}

/** What is there already isn't set again, unless with another value, and nothing is taken back that isn't there. */
function isOffered({ method, path, body: fields }: Endpoint, body: Post, isStaff: boolean): boolean {
  const last = path.slice(path.lastIndexOf('/') + 1)
  const isSet = SET[last]?.(body)
  if (method === 'DELETE') return isSet ?? true
  if (method === 'PUT' && isSet === true && fields === null) return false
  if (last === 'endorsement') return (body.author?.role ?? 'learner') === 'learner'
  if (last === 'answers') return isStaff || body.closed === null
  if (last === 'replies') return isStaff || body.closed?.reason !== 'heated'
  return true
}

function templateOf(request: FastifyRequest, { name, method, path, body }: Endpoint, read: Sent) {
  const t = translatorFor(request)
  const address = path.replace(/:(\w+)/g, (_, parameter: string) =>
    encodeURIComponent(textParam(request, parameter)),
  )
  const properties = Object.entries(body?.fields ?? {})
    .map(([field, type]) => ({ field, schema: schemaOfField(type, body?.required.includes(field) ?? false) }))
    // What is deprecated is told no one who reads what there is.
    .filter(({ schema }) => schema.deprecated !== true)
    .map(({ field, schema }) => ({
      name: field,
      prompt: fieldText(t, name, field) ?? field,
      required: body?.required.includes(field) ?? false,
      ...controlOf(schema),
      ...(method === 'PATCH' && field in read && { value: read[field] }),
    }))
  return {
    title: t(`api.operation.${name}`),
    method,
    target: absolute(request, `${API}${address}`),
    ...(body !== null && { contentType: bodyTypes(method).at(-1) }),
    properties,
  }
}

/** Longer texts have several lines. */
const MAX_LINE = 300

/** A field as HAL-FORMS says it: the names are those of HTML's inputs. */
function controlOf({ type = [], enum: choices, items, ...schema }: Schema) {
  const types = [type].flat()
  const options = types.includes('boolean') ? [true, false] : (choices ?? items?.enum)
  const { minLength, maxLength, minimum: min, format, maxItems } = schema
  const input = format === 'date' ? 'date' : types.includes('string') ? 'text' : 'number'
  const isLong = Number(maxLength ?? 0) > MAX_LINE
  const several = types.includes('array') ? { minItems: 0, ...(maxItems !== undefined && { maxItems }) } : {}
  const inline = options?.filter((one) => one !== null).map((value) => ({ prompt: String(value), value }))
  return {
    ...(options === undefined && !types.includes('array') && { type: isLong ? 'textarea' : input }),
    ...((inline !== undefined || types.includes('array')) && {
      options: { inline: inline ?? [], ...several },
    }),
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    ...(min !== undefined && { min }),
  }
}
