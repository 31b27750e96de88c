import type { Person } from '../../accounts/person.ts'
import type { Ending } from '../../testing/at-end.ts'
import { startChild } from './child.ts'
import type { Server } from './processes.ts'

export interface QueryReference {
  readonly databaseUrl: string
  readonly person: Person
}

/**
 * Pages as somebody signed in sees them, each made by one prepared query and the forum's own template: nobody's session
 * or rights are looked up, nothing is counted. Whatever list is asked for, it is that of the newest questions.
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
