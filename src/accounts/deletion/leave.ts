import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { writeMail } from '../../mail/write-mail.ts'
import { NeedsSignIn } from '../../operations/problem.ts'
import type { InSession } from '../identity/in-session.ts'
import type { Circumstances } from '../identity/letters.ts'
import { type LockedPerson, lockPeople, requireSession } from '../identity/lock.ts'
import { outdateAccess } from '../sessions/ways-in.ts'
import { queueDeparture } from './departure.ts'
import { farewellLetter } from './letters.ts'
import { forgetMails, forgetPersonal } from './personal.ts'

/** Nobody would look after the forum. */
export class LastAdmin extends Error {}

export interface Leaving extends InSession {
  /** What becomes of their posts. */
  readonly posts: 'keep' | 'delete'
  /** Under which name the posts stand that stay, and what others answer to. */
  readonly formerName: string
}

/**
 * Deletes an account for good: name, address, password, roles, sessions, links, mails, follows, drafts. What others rely on stays
 * without them: votes in their counts, and posts, unless these are to go, under "former member", which is also their name where
 * posts mention them. Posts are dealt with after this transaction, one by one, by a job (departure.ts).
 * @throws LastAdmin when there is no other
 * @throws NeedsSignIn when the session has ended meanwhile
 */
export async function leave(db: Database, leaving: Leaving, circumstances: Circumstances): Promise<void> {
  const { personId, formerName } = leaving
  await db.transaction().execute(async (write) => {
    // Waits for posts that are being written; later ones find left_at (questions/author.ts).
    const { email, language, isConfirmed } = await lockLeaver(write, leaving)
    await forget(write, personId, formerName)
    await queueDeparture(write, { personId, formerName, takesPosts: leaving.posts === 'delete' })
    if (email !== null)
      await writeMail(write, farewellLetter({ personId: null, email, language, isConfirmed }, circumstances))
  })
}

/** @throws LastAdmin, NeedsSignIn */
async function lockLeaver(write: Write, { personId, sessionToken }: Leaving): Promise<LockedPerson> {
  // Two last admins leaving at once wait for each other.
  const people = await lockPeople(write, [...(await adminIds(write)), personId])
  if (await isLastAdmin(write, personId)) throw new LastAdmin()
  await requireSession(write, personId, sessionToken)
  const person = people.find(({ id }) => id === personId)
  if (person === undefined) throw new NeedsSignIn()
  return person
}

/** Everything of an account but its number. */
async function forget(write: Write, personId: number, formerName: string): Promise<void> {
  await outdateAccess(write, personId)
  await forgetPersonal(write, personId)
  await forgetMails(write, personId)
  await write
    .updateTable('people')
    .set({
      display_name: formerName,
      email: null,
      email_confirmed_at: null,
      password_hash: null,
      is_admin: false,
      language: null,
      time_zone: null,
      theme: 'system',
      mail_rhythm: 'soon',
      mails_off: sql`'{}'`,
      mail_stopped_for: null,
      new_until: null,
      left_at: sql`now()`,
    })
    .where('id', '=', personId)
    .execute()
}

async function adminIds(write: Write): Promise<number[]> {
  const admins = await write.selectFrom('people').select('id').where('is_admin', '=', true).execute()
  return admins.map(({ id }) => id)
}

async function isLastAdmin(db: Write, personId: number): Promise<boolean> {
  const admins = await db.selectFrom('people').select('id').where('is_admin', '=', true).limit(2).execute()
  return admins.length === 1 && admins[0]?.id === personId
}
