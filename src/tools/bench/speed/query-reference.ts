import type { Person } from '../../../rights/person.ts'
import type { Ending } from '../../../testing/at-end.ts'
import { startChild } from './child.ts'
import type { Server } from './processes.ts'

export interface QueryReference {
  readonly databaseUrl: string
  readonly person: Person
}

/**
 * Pages for a signed-in person, each from one prepared query and the forum's own template: without looking up session
 * or rights, without counting views. Every list is that of the newest questions.
 */
export function startQueryReference(end: Ending, databaseUrl: string, personId: number): Promise<Server> {
  const person: Person = {
    id: personId,
    isAdmin: false,
    roles: {},
    displayName: 'Somebody',
    email: null,
    language: null,
    timeZone: null,
    theme: 'system',
    newUntil: null,
  }
  const given: QueryReference = { databaseUrl, person }
  return startChild(end, 'query-reference-server.ts', given)
}
