import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { actor, apart, missed, owner, table, unmissed } from '../../database/table.ts'
import { TERMS } from '../../database/terms.ts'
import { choice } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { refusal } from '../../kernel/problem.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { closedAccount } from '../identity/closed-account.ts'
import { type Circumstances, writeTo } from '../identity/letters.ts'
import { type LockedPerson, lockPeople } from '../identity/lock.ts'
import { type InSession, type OwnAccount, ownAccount } from '../identity/own-account.ts'
import { outdateAccess } from '../sessions/endings.ts'
import { forgetMails, forgetPersonal, queueDeparture } from './departure.ts'

/**
 * Deletes an account for good: name, address, password, roles, sessions, links, mails, follows, drafts. What others rely on stays
 * without them: votes in their counts, and posts, unless `posts` = `delete`, under "former member", which is also their name where
 * posts mention them. Posts are dealt with after this transaction, one by one, by a job (departure.ts).
 */
export const accountDeletion = operation({
  name: 'delete-account',
  right: 'have-account',
  // Waits for posts that are being written; later ones find left_at (kernel/actor.ts).
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
  person: Omit<LockedPerson, 'accessVersion'>,
  { posts, formerName }: { readonly posts: 'keep' | 'delete'; readonly formerName: string },
  circumstances: Circumstances,
): Promise<void> {
  await forget(write, person.id, formerName)
  await queueDeparture(write, person.id, formerName, posts === 'delete')
  await writeTo(write, { ...person, id: null }, 'farewell', circumstances)
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

/** Merges go when the account that stays does: finishMergesInto. */
export const accountMerges = table('account_merges', {
  from_id: { ...apart(missed(owner)), merge: 'stays' },
  into_id: { ...apart(missed(owner)), merge: 'stays' },
  merged_by: { ...unmissed(actor), merge: 'stays' },
})

/** Days in which a merge can be undone: term `merges` of database/terms.ts. */
export const UNDO_DAYS = Number.parseInt(TERMS.merges.kept, 10)

/** Forgets what was kept of accounts whose merge can no longer be undone. @returns how many */
export async function finishMerges(db: Database): Promise<number> {
  return db.transaction().execute(async (write) => {
    const { rows } = await sql<{ fromId: number }>`
      select from_id as "fromId" from account_merges
      where former is not null and merged_at < now() - ${UNDO_DAYS} * interval '1 day'
      order by merged_at limit 100 for update skip locked`.execute(write)
    for (const { fromId } of rows) await finishMerge(write, fromId)
    return rows.length
  })
}

/** The same for the accounts that were merged into one that is deleted: its owner wants to be forgotten. */
async function finishMergesInto(write: Write, personId: number): Promise<void> {
  const merges = await write
    .selectFrom('account_merges')
    .select('from_id')
    .where('into_id', '=', personId)
    .where('former', 'is not', null)
    .execute()
  for (const { from_id: fromId } of merges) await finishMerge(write, fromId)
}

async function finishMerge(write: Write, fromId: number): Promise<void> {
  await forgetPersonal(write, fromId)
  await forgetMails(write, fromId)
  await sql`delete from account_merge_rows using account_merges as merged
    where merged.id = merge_id and merged.from_id = ${fromId}`.execute(write)
  await write.updateTable('account_merges').set({ former: null }).where('from_id', '=', fromId).execute()
}
