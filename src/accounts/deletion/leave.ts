import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { writeMail } from '../../mail/write-mail.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { choice } from '../../operations/fields.ts'
import { operation } from '../../operations/operation.ts'
import { refusal } from '../../operations/problem.ts'
import { closedAccount } from '../identity/closed-account.ts'
import type { Circumstances } from '../identity/letters.ts'
import { type LockedPerson, lockPeople } from '../identity/lock.ts'
import { type InSession, type OwnAccount, ownAccount } from '../identity/own-account.ts'
import { outdateAccess } from '../sessions/endings.ts'
import { queueDeparture } from './departure.ts'
import { farewellLetter } from './letters.ts'
import { finishMergesInto } from './merged.ts'
import { forgetMails, forgetPersonal } from './personal.ts'

/**
 * Deletes an account for good: name, address, password, roles, sessions, links, mails, follows, drafts. What others rely on stays
 * without them: votes in their counts, and posts, unless `posts` = `delete`, under "former member", which is also their name where
 * posts mention them. Posts are dealt with after this transaction, one by one, by a job (departure.ts).
 */
export const accountDeletion = operation({
  name: 'delete-account',
  right: 'have-account',
  // Waits for posts that are being written; later ones find left_at (questions/author.ts).
  find: lockLeaver,
  limit: 'signIn',
  input: { posts: choice(['keep', 'delete']) },
  events: ['account-deleted'],
  async run({ write, subject, input: { posts }, note, ...where }) {
    if (await isLastAdmin(write, subject.id)) throw refusal('posts', 'leaving.lastAdmin')
    const formerName = translatorOf(where.language)('leaving.formerName')
    await closeAccount(write, subject, { posts, formerName }, where)
    note('account-deleted', { posts })
  },
})

/** The same for an account that the caller has locked, and that is not the last admin's. */
export async function closeAccount(
  write: Write,
  { id: personId, email, language, isConfirmed }: Omit<LockedPerson, 'accessVersion'>,
  { posts, formerName }: { readonly posts: 'keep' | 'delete'; readonly formerName: string },
  circumstances: Circumstances,
): Promise<void> {
  await forget(write, personId, formerName)
  await queueDeparture(write, { personId, formerName, takesPosts: posts === 'delete' })
  if (email !== null)
    await writeMail(write, farewellLetter({ personId: null, email, language, isConfirmed }, circumstances))
}

/** Two last admins leaving at once wait for each other. @throws NeedsSignIn when the session has ended meanwhile */
async function lockLeaver(write: Write, session: InSession): Promise<OwnAccount> {
  await lockPeople(write, [...(await adminIds(write)), session.personId])
  return ownAccount(write, session)
}

/** Everything of an account but its number. */
async function forget(write: Write, personId: number, formerName: string): Promise<void> {
  await outdateAccess(write, personId)
  await finishMergesInto(write, personId)
  await forgetPersonal(write, personId)
  await forgetMails(write, personId)
  await write
    .updateTable('people')
    .set({ ...closedAccount(formerName), left_at: sql`now()` })
    .where('id', '=', personId)
    .execute()
}

async function adminIds(write: Write): Promise<number[]> {
  const admins = await write.selectFrom('people').select('id').where('is_admin', '=', true).execute()
  return admins.map(({ id }) => id)
}

async function isLastAdmin(write: Write, personId: number): Promise<boolean> {
  const admins = await write.selectFrom('people').select('id').where('is_admin', '=', true).limit(2).execute()
  return admins.length === 1 && admins[0]?.id === personId
}
