import type { FastifyRequest } from 'fastify'
import { absolute, type Links, type Sent, type Within } from '../../web/json/endpoint.ts'
import { apiTypeOf, HAL_FORMS } from '../../web/transport/api-types.ts'

/** Relations of IANA's list that we use; ours are CURIEs, described by /api. */
const REGISTERED: ReadonlySet<string> = new Set([
  'self',
  'next',
  'author',
  'describedby',
  'help',
  'alternate',
])

/** Our own relations, in the order of the documentation: the message api.relation.<name> says what each leads to. */
export const RELATIONS = [
  ...[
    'courses',
    'course',
    'questions',
    'question',
    'answers',
    'answer',
    'replies',
    'post',
    'lectures',
    'categories',
  ],
  ...['tags', 'announcements', 'faq', 'person', 'profile', 'me', 'notifications', 'events'],
]

/** A resource as HAL has it, with links alone; for HAL-FORMS, with what is in it and curies as well. */
export function halResource(request: FastifyRequest, body: Sent, links: Links, parts: Sent = {}): Sent {
  if (apiTypeOf(request) !== HAL_FORMS) return { ...body, _links: linksOf(request, Object.entries(links)) }
  const named = Object.entries(links).map(([relation, path]): [string, string] => [
    relationOf(relation),
    path,
  ])
  const embedded = Object.entries(parts).map(([name, part]) => [relationOf(name), part])
  const all = [...named.map(([name]) => name), ...embedded.map(([name]) => String(name))]
  const curies = all.some((name) => name.startsWith('handup:')) ? { curies: [curieOf(request)] } : {}
  return {
    ...body,
    _links: { ...linksOf(request, named), ...curies },
    ...(embedded.length > 0 && { _embedded: Object.fromEntries(embedded) }),
  }
}

/** A list inside of a resource, as HAL-FORMS has it. @param items of it, as they are shown */
export function halList(request: FastifyRequest, { path, next }: Within, items: readonly Sent[]): Sent {
  const links = { self: path, ...(next !== null && { next }) }
  return { _links: linksOf(request, Object.entries(links)), _embedded: { item: items } }
}

function linksOf(request: FastifyRequest, links: readonly (readonly [string, string])[]) {
  return Object.fromEntries(
    links.map(([relation, path]) => {
      const type = relation === 'alternate' ? { type: 'text/html' } : {}
      return [relation, { href: absolute(request, path), ...type }]
    }),
  )
}

/** The page of something is another form of it. */
function relationOf(name: string): string {
  const relation = name === 'html' ? 'alternate' : name
  return REGISTERED.has(relation) || relation === 'item' ? relation : `handup:${relation}`
}

const curieOf = ({ server }: FastifyRequest) => ({
  ...{ name: 'handup', href: `${server.config.baseUrl}/api#relation-{rel}`, templated: true },
})
