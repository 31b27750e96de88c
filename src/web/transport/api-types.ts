import type { FastifyRequest } from 'fastify'

/** What can be followed and done next is in it: https://rwcbook.github.io/hal-forms. */
export const HAL_FORMS = 'application/prs.hal-forms+json'
/** Media types of the API: a body, the same with links (HAL), and a document of links, parts and forms. */
export const API_TYPES = ['application/json', 'application/hal+json', HAL_FORMS] as const
export const EVENT_STREAM = 'text/event-stream'
export type ApiType = (typeof API_TYPES)[number]

/** The media type to answer a request with; null: it accepts none. */
export function apiTypeOf(request: FastifyRequest): ApiType | null {
  if (request.headers.accept === undefined) return 'application/json'
  const accepted = request.accepts().type([...API_TYPES])
  return API_TYPES.find((type) => type === accepted) ?? null
}

/** Whether a request asks for events as they happen rather than for a list of them. */
export function asksForStream(request: FastifyRequest): boolean {
  if (request.method !== 'GET' || request.headers.accept === undefined) return false
  return request.accepts().type([...API_TYPES, EVENT_STREAM]) === EVENT_STREAM
}
