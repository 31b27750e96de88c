import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { type Person, personFields } from '../../rights/person.ts'
import type { ReplyKey } from './keys.ts'

/** The person who answers by mail, with the rights they have now. */
export interface Sender extends Person {
  /** Confirmed. */
  readonly email: string
  /** They have a stand-in name in the thread, and write on under it: naming oneself is a choice made in the forum. */
  readonly isAnonymous: boolean
}

/** null: there is no such person any more, or their address is not confirmed. */
export async function senderOf(
  db: Database,
  { personId, questionId }: Pick<ReplyKey, 'personId' | 'questionId'>,
): Promise<Sender | null> {
  const person = await db
    .selectFrom('people as person')
    .select(personFields(null))
    .select(
      sql<boolean>`exists (select from stand_ins
        where question_id = ${questionId} and person_id = ${personId})`.as('isAnonymous'),
    )
    .where('person.id', '=', personId)
    .where('person.email_confirmed_at', 'is not', null)
    .where('person.left_at', 'is', null)
    .executeTakeFirst()
  return person === undefined || person.email === null ? null : { ...person, email: person.email }
}
