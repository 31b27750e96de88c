import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import type { Access } from '../identity/access.ts'
import { endMailLinks } from '../identity/mail-links.ts'
import { endHalfSignIns } from './half-sign-ins.ts'
import { endOtherSessions } from './sessions.ts'

/**
 * Ends every session, every token of a program and every link that opens an account, those too that begin this moment with what was shown before. The
 * person is locked.
 * @returns what their next session begins with
 */
export async function endWaysIn(write: Write, personId: number): Promise<Access> {
  const access = await outdateAccess(write, personId)
  await write.deleteFrom('sign_in_links').where('person_id', '=', personId).execute()
  await endMailLinks(write, personId, ['new-password', 'change-email'])
  await endHalfSignIns(write, personId)
  await endOtherSessions(write, personId, null)
  await write.deleteFrom('api_tokens').where('person_id', '=', personId).execute()
  return access
}

/** Half-finished sign-ins end: identity has to be proved again. */
export async function outdateAccess(write: Write, personId: number): Promise<Access> {
  const { access_version: accessVersion } = await write
    .updateTable('people')
    .set({ access_version: sql`access_version + 1` })
    .where('id', '=', personId)
    .returning('access_version')
    .executeTakeFirstOrThrow()
  return { personId, accessVersion }
}
