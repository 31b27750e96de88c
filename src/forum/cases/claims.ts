import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'

/** How long a claim lasts that nobody renews. */
const CLAIMED = sql`interval '10 minutes'`

/**
 * Says that one handles a case, or renews that. A colleague's claim is left as it is while it lasts; a decided case has none.
 * @returns whether one has it now
 */
export async function claimCase(write: Write, caseId: number, personId: number): Promise<boolean> {
  const claimed = await write
    .updateTable('cases')
    .set({ claimed_by: personId, claimed_until: sql`now() + ${CLAIMED}` })
    .where('id', '=', caseId)
    .where('state', '=', 'open')
    .where(sql<boolean>`(claimed_by is null or claimed_by = ${personId} or claimed_until <= now())`)
    .returning('id')
    .executeTakeFirst()
  return claimed !== undefined
}

/** Ends one's own claim of a case, if there is one. */
export async function releaseCase(write: Write, caseId: number, personId: number): Promise<void> {
  await write
    .updateTable('cases')
    .set({ claimed_by: null, claimed_until: null })
    .where('id', '=', caseId)
    .where('claimed_by', '=', personId)
    .execute()
}
