import type { FastifyInstance } from 'fastify'
import type { Operation } from '../../kernel/operation.ts'
import { perform } from '../../kernel/perform.ts'

/** Performs an operation as someone of the simulated course: fifty thousand pages with forms would take hours. */
export function act<Key, Outcome>(
  { db, config: { baseUrl } }: FastifyInstance,
  personId: number,
  operation: Operation<Key, Outcome>,
  key: Key,
  input: Readonly<Record<string, unknown>>,
): Promise<Outcome> {
  const surroundings = { baseUrl, language: 'en', log: () => undefined } as const
  return perform(db, operation, { actor: { id: personId }, key, input }, surroundings)
}
