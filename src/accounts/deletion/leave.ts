import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { writeMail } from '../../mail/write-mail.ts'
import { NeedsSignIn } from '../../web/sign-in-first.ts'
import type { InSession } from '../identity/in-session.ts'
import type { Circumstances } from '../identity/letters.ts'
import { type LockedPerson, lockPeople, requireSession } from '../identity/lock.ts'
import { outdateAccess } from '../sessions/ways-in.ts'
import { farewellLetter } from './letters.ts'

/** Nobody would look after the forum. */
export class LastAdmin extends Error {}

/** What leaving does to posts, one by one. */
export interface PostsOfLeaver {
  /** Deletes what a person wrote. */
  readonly delete: (db: Database, personId: number) => Promise<void>
  /** Replaces the person's name where posts mention them. */
  readonly unname: (db: Database, personId: number, formerName: string) => Promise<void>
}

export interface Leaving extends InSession {
  /** What becomes of their posts. */
  readonly posts: 'keep' | 'delete'
  /** Under which name the posts stand that stay, and what others answer to. */
  readonly formerName: string
}

/**
 * Deletes an account for good: name, address, password, roles, sessions, links, mails, follows. What others rely on stays
 * without them: votes in their counts, and posts, unless these are to go, under "former member", which is also their name where
 * posts mention them. First nothing can be posted under the account any more, then posts are changed one by one, as if by hand;
 * should that break off, the account is still there to try again.
 * @throws LastAdmin when there is no other
 * @throws NeedsSignIn when the session has ended meanwhile
 */
export async function leave(
  db: Database,
  leaving: Leaving,
  circumstances: Circumstances,
  posts: PostsOfLeaver,
): Promise<void> {
  const { personId, formerName } = leaving
  await db.transaction().execute((write) => stopPosting(write, leaving))
  try {
    if (leaving.posts === 'delete') await posts.delete(db, personId)
    await posts.unname(db, personId, formerName)
  } catch (error) {
    await letPost(db, personId)
    throw error
  }
  await db.transaction().execute((write) => closeAccount(write, leaving, circumstances))
}

/** The lock waits for posts that are being written; later ones find left_at (questions/author.ts). */
async function stopPosting(write: Write, leaving: Leaving): Promise<void> {
  await lockLeaver(write, leaving)
  await write.updateTable('people').set({ left_at: sql`now()` }).where('id', '=', leaving.personId).execute()
}

/** Changing the posts failed: the account goes on as before. */
async function letPost(db: Database, personId: number): Promise<void> {
  await db.updateTable('people').set({ left_at: null }).where('id', '=', personId).execute()
}

async function closeAccount(write: Write, leaving: Leaving, circumstances: Circumstances): Promise<void> {
  const { email, language, isConfirmed } = await lockLeaver(write, leaving)
  await forget(write, leaving.personId, leaving.formerName)
  if (email !== null)
    await writeMail(write, farewellLetter({ personId: null, email, language, isConfirmed }, circumstances))
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

/** Everything of an account but its number. What refers to it by a cascade goes by hand: the row itself stays. */
async function forget(write: Write, personId: number, formerName: string): Promise<void> {
  await outdateAccess(write, personId)
  for (const table of PERSONAL) await write.deleteFrom(table).where('person_id', '=', personId).execute()
  await write.updateTable('images').set({ uploader_id: null }).where('uploader_id', '=', personId).execute()
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
      left_at: sql`coalesce(left_at, now())`,
    })
    .where('id', '=', personId)
    .execute()
}

const PERSONAL = [
  'push_subscriptions',
  'sessions',
  // After sessions, whose end it remembers.
  'ended_sessions',
  'kept_forms',
  'sign_in_links',
  'mail_links',
  'half_sign_ins',
  'second_factors',
  'passkey_holders',
  'recovery_codes',
  'course_members',
  'notifications',
  'reply_keys',
  'question_reads',
  // After question_reads, which are folded into it.
  'course_reads',
  'mentions',
  'staff_weeks',
  'question_follows',
  'course_follows',
  'lecture_follows',
  'tag_follows',
  'posted_once',
  'imported_people',
  'mails',
] as const

async function adminIds(write: Write): Promise<number[]> {
  const admins = await write.selectFrom('people').select('id').where('is_admin', '=', true).execute()
  return admins.map(({ id }) => id)
}

async function isLastAdmin(db: Write, personId: number): Promise<boolean> {
  const admins = await db.selectFrom('people').select('id').where('is_admin', '=', true).limit(2).execute()
  return admins.length === 1 && admins[0]?.id === personId
}
