import type { FastifyRequest } from 'fastify'

/** Media types of the API: the same body, with links for those who ask for them (HAL). */
export const API_TYPES = ['application/json', 'application/hal+json'] as const
export type ApiType = (typeof API_TYPES)[number]

/** The media type to answer a request with; null: it accepts neither. */
export function apiTypeOf(request: FastifyRequest): ApiType | null {
  if (request.headers.accept === undefined) return 'application/json'
  const accepted = request.accepts().type([...API_TYPES])
  return API_TYPES.find((type) => type === accepted) ?? null
}
