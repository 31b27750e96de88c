import { type SqlBool, sql } from 'kysely'
import type { InSession } from '../accounts/in-session.ts'
import type { Circumstances } from '../accounts/letters.ts'
import { lockPeople, requireSession } from '../accounts/lock.ts'
import { outdateAccess } from '../accounts/ways-in.ts'
import { deleteAnswer } from '../answers/commands.ts'
import type { Database, Write } from '../database/schema.ts'
import { writeMail } from '../mail/write-mail.ts'
import { deleteQuestion } from '../questions/commands.ts'
import { deleteReply } from '../replies/commands.ts'
import { farewellLetter } from './letters.ts'

/** Nobody would look after the forum. */
export class LastAdmin extends Error {}

export interface Leaving extends InSession {
  /** What becomes of their posts. */
  readonly posts: 'keep' | 'delete'
  /** Under which name the posts stand that stay, and what others answer to. */
  readonly formerName: string
}

/**
 * Deletes an account for good: name, address, password, roles, sessions, links, mails, follows. What others rely on stays
 * without them: votes in their counts, and posts, unless these are to go, under "former member". Posts go one by one before, as
 * if deleted by hand; should that break off, the account is still there to try again.
 * @throws LastAdmin when there is no other
 * @throws NeedsSignIn when the session has ended meanwhile
 */
export async function leave(
  db: Database,
  { personId, sessionToken, posts, formerName }: Leaving,
  circumstances: Circumstances,
): Promise<void> {
  if (await isLastAdmin(db, personId)) throw new LastAdmin()
  if (posts === 'delete') await deletePosts(db, personId)
  await db.transaction().execute(async (write) => {
    // Two last admins leaving at once wait for each other.
    const people = await lockPeople(write, [...(await adminIds(write)), personId])
    if (await isLastAdmin(write, personId)) throw new LastAdmin()
    await requireSession(write, personId, sessionToken)
    await forget(write, personId, formerName)
    const { email = null, language = null } = people.find(({ id }) => id === personId) ?? {}
    if (email !== null)
      await writeMail(write, farewellLetter({ personId: null, email, language }, circumstances))
  })
}

/** Everything of an account but its number. What refers to it by a cascade goes by hand: the row itself stays. */
async function forget(write: Write, personId: number, formerName: string): Promise<void> {
  await outdateAccess(write, personId)
  for (const table of PERSONAL) await write.deleteFrom(table).where('person_id', '=', personId).execute()
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
    })
    .where('id', '=', personId)
    .execute()
}

const PERSONAL = [
  'sessions',
  'sign_in_links',
  'mail_links',
  'half_sign_ins',
  'second_factors',
  'passkey_holders',
  'recovery_codes',
  'course_members',
  'question_follows',
  'posted_once',
  'imported_people',
  'mails',
] as const

/** Replies and answers first: under a question that is gone they would count as gone with it. */
async function deletePosts(db: Database, personId: number): Promise<void> {
  const stillTheirs = sql<SqlBool>`author_id = ${personId} and deleted_at is null`
  const replies = await db.selectFrom('replies').select(['id', 'question_id']).where(stillTheirs).execute()
  for (const { id, question_id } of replies) await deleteReply(db, question_id, id)
  const answers = await db.selectFrom('answers').select(['id', 'question_id']).where(stillTheirs).execute()
  for (const { id, question_id } of answers) await deleteAnswer(db, question_id, id)
  const questions = await db.selectFrom('questions').select('id').where(stillTheirs).execute()
  for (const { id } of questions) await deleteQuestion(db, id)
}

async function adminIds(write: Write): Promise<number[]> {
  const admins = await write.selectFrom('people').select('id').where('is_admin', '=', true).execute()
  return admins.map(({ id }) => id)
}

async function isLastAdmin(db: Database | Write, personId: number): Promise<boolean> {
  const admins = await db.selectFrom('people').select('id').where('is_admin', '=', true).limit(2).execute()
  return admins.length === 1 && admins[0]?.id === personId
}
