import type { FastifyRequest } from 'fastify'

/** The compressions there are, the smaller one first. */
export const ENCODINGS = ['br', 'gzip'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** The compression to answer a request with: the smallest that its accept-encoding takes; null: none. */
export function encodingOf(request: FastifyRequest): Encoding | null {
  const accepted = request.encodings()
  return ENCODINGS.find((encoding) => accepted.includes(encoding)) ?? null
}
