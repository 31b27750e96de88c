import { negotiate } from '@fastify/accept-negotiator'
import type { FastifyRequest } from 'fastify'

/** The compressions kept ready of what is the same for everybody, the smaller one first. */
export const ENCODINGS = ['br', 'gzip'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** The compression to answer a request with: the smallest that its accept-encoding takes; null: none. */
export function encodingOf(request: FastifyRequest): Encoding | null {
  const header = request.headers['accept-encoding']
  return typeof header === 'string' ? negotiate(header, [...ENCODINGS]) : null
}
