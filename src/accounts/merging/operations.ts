import { sql } from 'kysely'
import { z } from 'zod'
import type { Database, Write } from '../../database/schema.ts'
import { writeMail } from '../../mail/write-mail.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { type Doer, OPERATOR } from '../../operations/actor.ts'
import { yes } from '../../operations/fields.ts'
import { operation } from '../../operations/operation.ts'
import { notFound } from '../../operations/problem.ts'
import { refusal } from '../../operations/refused.ts'
import type { Circumstances } from '../identity/letters.ts'
import { type LockedPerson, lockPeople } from '../identity/lock.ts'
import { mergedLetter, mergeUndoneLetter } from './letters.ts'
import { mergeAccounts, UNDO_DAYS } from './merge.ts'
import type { Pair } from './rows.ts'
import { undoMerge } from './undo.ts'

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
  limit: 'posting',
  input: { ...pair, sure: yes },
  async run({ write, actor, input: { into: intoId, from: fromId, sure }, baseUrl, language, note }) {
    if (!sure) throw refusal('sure', 'merging.notSure')
    const refused = await whyNot(write, { fromId, intoId }, idOf(actor))
    if (refused !== null) throw refusal('sure', refused)
    const { from, into } = await findPair(write, { fromId, intoId })
    const formerName = translatorOf(language)('leaving.formerName')
    const mergeId = await mergeAccounts(write, { fromId, intoId, actorId: idOf(actor), formerName })
    await tell(write, mergedLetter, [from, into], { baseUrl, language })
    note('accounts-merged', { ownerId: intoId, fromId })
    return { mergeId }
  },
})

/** Undoes a merge, as long as everything that it needs is still there. Both are told by email. */
export const mergeUndo = operation({
  name: 'undo-account-merge',
  right: 'manage-people',
  find: lockPair,
  limit: 'posting',
  input: pair,
  async run({ write, input: { into: intoId, from: fromId }, baseUrl, language, note }) {
    const merged = await findUndoable(write, { fromId, intoId })
    await undoMerge(write, merged.id, { fromId, intoId })
    await tell(write, mergeUndoneLetter, await lockPeople(write, [fromId, intoId]), { baseUrl, language })
    note('account-merge-undone', { ownerId: intoId, fromId })
    return { fromId }
  },
})

const idOf = (actor: Doer): number | null => (actor === null || actor === OPERATOR ? null : actor.id)

/** Locks the questions that the two wrote in or voted on, then both accounts and all admins: as posting does, questions first. */
async function lockPair(write: Write, { into, from }: PairKey): Promise<null> {
  const [intoId, fromId] = [numbered.parse(into), numbered.parse(from)]
  const both = sql`(${fromId}, ${intoId})`
  await sql`
    select id from questions where id in (
      select id from questions where author_id in ${both}
      union select question_id from answers where author_id in ${both}
      union select question_id from replies where author_id in ${both}
      union select question_id from question_votes where person_id in ${both}
      union select answers.question_id from answer_votes join answers on answers.id = answer_id where person_id in ${both})
    order by id for no key update`.execute(write)
  const admins = await write.selectFrom('people').select('id').where('is_admin', '=', true).execute()
  await lockPeople(write, [...admins.map(({ id }) => id), intoId, fromId])
  return null
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

/** Why two accounts can't be merged this way round, as the key of a message; null: they can. */
export async function whyNot(
  db: Database | Write,
  { fromId, intoId }: Pair,
  actorId: number | null,
): Promise<MergeRefusal | null> {
  if (fromId === intoId) return 'merging.same'
  if (fromId === actorId) return 'merging.own'
  const admins = await twoAdmins(db)
  return admins.length === 1 && admins[0] === fromId ? 'merging.lastAdmin' : null
}

export type MergeRefusal = 'merging.same' | 'merging.own' | 'merging.lastAdmin'

/** The first two admins. */
async function twoAdmins(db: Database | Write): Promise<number[]> {
  const admins = await db.selectFrom('people').select('id').where('is_admin', '=', true).limit(2).execute()
  return admins.map(({ id }) => id)
}

/** A merge that can be undone now. @throws Refused that says what is in its way; Problem 'notFound' when there is none, or its account was deleted */
async function findUndoable(write: Write, { fromId, intoId }: Pair): Promise<{ readonly id: number }> {
  const { rows } = await sql<UndoState>`
    select merged.id, merged.former is null or merged.merged_at < now() - ${UNDO_DAYS} * interval '1 day' as "isOver",
      stays.left_at is not null as "isGone",
      exists (select from account_merges as newer where newer.into_id = merged.into_id and newer.id > merged.id) as "hasNewer",
      exists (select from people as other where other.email = merged.former ->> 'email') as "isAddressTaken",
      exists (select from account_merge_rows as noted where noted.merge_id = merged.id and (
        noted.table_name = 'linked_accounts' and exists (select from linked_accounts as link
          where link.issuer = noted.content ->> 'issuer' and link.subject = noted.content ->> 'subject')
        or noted.table_name = 'passkeys' and exists (select from passkeys as passkey
          where passkey.credential_id = (noted.content ->> 'credential_id')::bytea))) as "isWayTaken"
    from account_merges as merged join people as stays on stays.id = merged.into_id
    where merged.from_id = ${fromId} and merged.into_id = ${intoId}`.execute(write)
  const [state] = rows
  if (state === undefined || state.isGone) throw notFound()
  const reason = REASONS.find(([name]) => state[name])
  if (reason !== undefined) throw refusal('from', reason[1])
  return state
}

interface UndoState {
  readonly id: number
  readonly isOver: boolean
  readonly isGone: boolean
  readonly hasNewer: boolean
  readonly isAddressTaken: boolean
  readonly isWayTaken: boolean
}

const REASONS = [
  ['isOver', 'merging.undo.over'],
  ['hasNewer', 'merging.undo.newer'],
  ['isAddressTaken', 'merging.undo.addressTaken'],
  ['isWayTaken', 'merging.undo.wayTaken'],
] as const

/** Tells the addresses of accounts. The mail to a closed one is nobody's: its address is no longer kept there. */
async function tell(
  write: Write,
  letter: typeof mergedLetter,
  people: readonly LockedPerson[],
  circumstances: Circumstances,
): Promise<void> {
  for (const { email, language, isConfirmed } of people)
    if (email !== null)
      await writeMail(write, letter({ personId: null, email, language, isConfirmed }, circumstances))
}
