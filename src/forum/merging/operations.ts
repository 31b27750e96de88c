import { sql } from 'kysely'
import { z } from 'zod'
import { takeAddressAway } from '../../accounts/address/address.ts'
import { type Circumstances, writeTo } from '../../accounts/identity/letters.ts'
import { type LockedPerson, lockPeople, lockPeopleForRoles } from '../../accounts/identity/lock.ts'
import type { Database, Write } from '../../database/schema.ts'
import { idOf } from '../../kernel/actor.ts'
import { flag } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { notFound, refusal } from '../../kernel/problem.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { lockWhereWritten } from '../posts/lock.ts'
import { mergeAccounts } from './merge.ts'
import type { Pair } from './rows.ts'
import { findUndoable, undoMerge } from './undo.ts'

/** An account's number as an address or a form has it; 0: nobody's. */
const numbered = z.string().transform((typed) => (/^[1-9]\d{0,14}$/.test(typed) ? Number(typed) : 0))
const pair = { into: numbered, from: numbered }

export interface PairKey {
  readonly into: string
  readonly from: string
}

/** Merges the account `from` into the account `into`. Both are told by email. */
export const accountMerge = operation({
  name: 'merge-accounts',
  right: 'manage-people',
  find: lockPair,
  once: true,
  input: { ...pair, sure: flag },
  events: ['accounts-merged'],
  async run({ write, actor, input: { into: intoId, from: fromId, sure }, baseUrl, language, note }) {
    if (!sure) throw refusal('sure', 'merging.notSure')
    const refused = await whyNot(write, { fromId, intoId }, idOf(actor))
    if (refused !== null) throw refusal('other', refused)
    const { from, into } = await findPair(write, { fromId, intoId })
    const formerName = translatorOf(language)('leaving.formerName')
    const mergeId = await mergeAccounts(write, { fromId, intoId, actorId: idOf(actor), formerName })
    await notifyBoth(write, 'accountsMerged', [from, into], { baseUrl, language })
    note('accounts-merged', { ownerId: intoId, fromId })
    return { mergeId }
  },
})

/** Undoes a merge, as long as everything that it needs is still there. Both are told by email. */
export const mergeUndo = operation({
  name: 'undo-account-merge',
  right: 'manage-people',
  find: lockPair,
  once: true,
  input: pair,
  events: ['account-merge-undone'],
  async run({ write, input: { into: intoId, from: fromId }, baseUrl, language, note }) {
    const merged = await findUndoable(write, { fromId, intoId })
    if (merged.squatterId !== null) await takeAddressAway(write, merged.squatterId)
    await undoMerge(write, merged.id, { fromId, intoId })
    await notifyBoth(write, 'mergeUndone', await lockPeople(write, [fromId, intoId]), {
      baseUrl,
      language,
    })
    note('account-merge-undone', { ownerId: intoId, fromId })
    return { fromId }
  },
})

async function lockPair(write: Write, key: PairKey): Promise<null> {
  await lockBoth(write, { intoId: numbered.parse(key.into), fromId: numbered.parse(key.from) })
  return null
}

/** Locks the questions that the two wrote in or voted on, then both accounts. */
export async function lockBoth(write: Write, pair: Pair): Promise<void> {
  await lockWhereWritten(
    write,
    () => questionsOf(write, [pair.fromId, pair.intoId]),
    async () => {
      await lockAccounts(write, pair)
      return true
    },
  )
}

/** The questions that people wrote in or voted on. */
async function questionsOf(write: Write, people: readonly number[]): Promise<readonly number[]> {
  const both = sql`(${sql.join(people)})`
  const { rows } = await sql<{ id: number }>`
    select id from questions where author_id in ${both}
    union select question_id from answers where author_id in ${both}
    union select question_id from replies where author_id in ${both}
    union select question_id from question_votes where person_id in ${both}
    union select answers.question_id from answer_votes join answers on answers.id = answer_id where person_id in ${both}`.execute(
    write,
  )
  return rows.map(({ id }) => id)
}

/** Locks both accounts, all admins, and the account that has the closed one's address by now. */
async function lockAccounts(write: Write, { intoId, fromId }: Pair): Promise<void> {
  const both = sql`(${fromId}, ${intoId})`
  const { rows } = await sql<{ id: number; isChanged: boolean }>`
    select id, id in ${both} or not is_admin as "isChanged" from people
    where is_admin or id in ${both} or email = (select former ->> 'email' from account_merges where from_id = ${fromId})
    order by id`.execute(write)
  // One after the other, by id: admins in the weaker way, as a form that is sent once holds on to the admin who sent it.
  for (const { id, isChanged } of rows) await (isChanged ? lockPeople : lockPeopleForRoles)(write, [id])
}

/** @throws Problem 'notFound' when one of them is not there, or closed meanwhile */
async function findPair(
  write: Write,
  { fromId, intoId }: Pair,
): Promise<{ readonly from: LockedPerson; readonly into: LockedPerson }> {
  const open = await write
    .selectFrom('people')
    .select('id')
    .where('id', 'in', [fromId, intoId])
    .where('left_at', 'is', null)
    .execute()
  const locked = await lockPeople(write, [fromId, intoId])
  const [from, into] = [fromId, intoId].map((id) => locked.find((person) => person.id === id))
  if (open.length !== 2 || from === undefined || into === undefined) throw notFound()
  return { from, into }
}

/** Tells the addresses of accounts. The mail to a closed one is nobody's: its address is no longer kept there. */
async function notifyBoth(
  write: Write,
  kind: 'accountsMerged' | 'mergeUndone',
  people: readonly LockedPerson[],
  circumstances: Circumstances,
): Promise<void> {
  for (const person of people) await writeTo(write, { ...person, id: null }, kind, circumstances)
}

export type MergeRefusal = 'merging.same' | 'merging.own' | 'merging.lastAdmin' | 'merging.unconfirmed'

/** Why two accounts can't be merged this way round, as the key of a message; null: they can. */
export async function whyNot(
  db: Database | Write,
  { fromId, intoId }: Pair,
  actorId: number | null,
): Promise<MergeRefusal | null> {
  if (fromId === intoId) return 'merging.same'
  if (fromId === actorId) return 'merging.own'
  const admins = await twoAdmins(db)
  if (admins.length === 1 && admins[0] === fromId) return 'merging.lastAdmin'
  return (await isUnproven(db, { fromId, intoId })) ? 'merging.unconfirmed' : null
}

/**
 * Whether the account that stays may be a stranger's who typed an address, and would get what belongs to someone who is known: all that
 * an account with a confirmed address or none (a provider named its owner) has, and roles that wait for no address any more.
 * Joining a public course is for everyone.
 */
async function isUnproven(db: Database | Write, { fromId, intoId }: Pair): Promise<boolean> {
  const { rows } = await sql`
    select from people as stays join people as closes on closes.id = ${fromId}
    where stays.id = ${intoId} and stays.email is not null and stays.email_confirmed_at is null
      and (closes.email is null or closes.email_confirmed_at is not null
        or exists (select from course_members as member join courses as course on course.id = member.course_id
          where member.person_id = closes.id and (member.role <> 'learner' or not course.is_public)
            and not exists (select from course_members as own where own.person_id = stays.id
              and own.course_id = member.course_id and own.role in (member.role, 'instructor'))))`.execute(db)
  return rows.length > 0
}

/** The first two admins. */
async function twoAdmins(db: Database | Write): Promise<number[]> {
  const admins = await db.selectFrom('people').select('id').where('is_admin', '=', true).limit(2).execute()
  return admins.map(({ id }) => id)
}
