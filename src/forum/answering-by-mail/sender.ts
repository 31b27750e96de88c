import type { Write } from '../../database/schema.ts'
import { type Person, personFields } from '../../rights/person.ts'

/** Who answers by mail, with the rights they have now. */
export interface Sender extends Person {
  /** Confirmed. */
  readonly email: string
}

/** null: there is no such person any more, or their address is not confirmed. */
export async function senderOf(write: Write, personId: number): Promise<Sender | null> {
  const person = await write
    .selectFrom('people as person')
    .select(personFields(null))
    .where('person.id', '=', personId)
    .where('person.email_confirmed_at', 'is not', null)
    .where('person.left_at', 'is', null)
    .executeTakeFirst()
  return person === undefined || person.email === null ? null : { ...person, email: person.email }
}
