import { sql } from 'kysely'
import type { Write } from '../database/schema.ts'
import { NeedsSignIn, Problem } from './problem.ts'
import { type Person, personFields, suspensionsOfPerson } from './rights/person.ts'

/** The operator at the command line, who may do everything. */
export const OPERATOR = 'operator'

/** The person or program that acts; null: a visitor. */
export type Doer = Person | typeof OPERATOR | null

/** The actor that a door names: of a person the id and the session count, all else is read again. */
export type Named =
  | (Pick<Person, 'id' | 'session'> & {
      /** Leaves the person fewer rights, those that a door was given. It refuses by throwing. */
      readonly narrowed?: (write: Write, person: Person) => Promise<Person>
    })
  | typeof OPERATOR
  | null

/**
 * Somebody with the rights that they have now, whose account stays until the transaction ends. Subjects are
 * locked before people.
 * @throws Problem 'leaving' when the account is deleted
 */
export async function readActor(write: Write, named: Named): Promise<Doer> {
  if (named === null || named === OPERATOR) return named
  // In a statement of its own: one that waits for a lock reads all other tables as they were before.
  await write.selectFrom('people').select('id').where('id', '=', named.id).forKeyShare().execute()
  const person = await write
    .selectFrom('people as person')
    .select([...personFields(sql`${named.session ?? null}::bytea`), suspensionsOfPerson.as('suspensions')])
    .where('person.id', '=', named.id)
    .where('person.left_at', 'is', null)
    .executeTakeFirst()
  if (person === undefined) throw new Problem('leaving')
  return named.narrowed === undefined ? person : named.narrowed(write, person)
}

/** The account of who acts; null: a visitor, or the operator. */
export function idOf(doer: Doer): number | null {
  return doer === null || doer === OPERATOR ? null : doer.id
}

/** The person who does something that needs an account. @throws NeedsSignIn for a visitor, Error for the operator */
export function personOf(doer: Doer): Person {
  if (doer === null) throw new NeedsSignIn()
  if (doer === OPERATOR) throw new Error('only a person can do that')
  return doer
}
