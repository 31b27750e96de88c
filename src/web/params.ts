import type { FastifyRequest } from 'fastify'
import { notFound } from '../kernel/problem.ts'

/**
 * The number in a path such as /questions/12.
 * @throws Problem 404 for whatever cannot be an id: nothing has such a name
 */
export function idParam(request: FastifyRequest, name: string): number {
  const value = textParam(request, name)
  if (!/^[1-9]\d{0,14}$/.test(value)) throw notFound()
  return Number(value)
}

/** The text in a path such as /tags/java. */
export function textParam(request: FastifyRequest, name: string): string {
  const value = (request.params as Record<string, string | undefined>)[name]
  return value ?? ''
}

/** One parameter of the query string; repeated, empty or unstorable ones count as absent. */
export function queryParam(request: FastifyRequest, name: string): string | null {
  const value = (request.query as Record<string, unknown>)[name]
  if (typeof value !== 'string' || value === '' || value.includes('\0') || !value.isWellFormed()) return null
  return value.normalize('NFC')
}

/** One parameter of the query string that must be one of a list, else `fallback`. */
export function choiceParam<const Values extends readonly string[], Fallback>(
  request: FastifyRequest,
  name: string,
  values: Values,
  fallback: Fallback,
): Values[number] | Fallback {
  const value = queryParam(request, name)
  return values.find((candidate) => candidate === value) ?? fallback
}
