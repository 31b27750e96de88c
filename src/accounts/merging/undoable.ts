import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { notFound, refusal } from '../../operations/problem.ts'
import { squatterOf } from '../address/address.ts'
import { UNDO_DAYS } from './merge.ts'
import type { Pair } from './rows.ts'

export interface Undoable {
  readonly id: number
  /** The account that has the closed one's address by now and never opened its mailbox: it loses it. null: the address is free. */
  readonly squatterId: number | null
}

/**
 * A merge that can be undone now. Both accounts are locked, and the one that has the closed account's address.
 * @throws Refused that says what is in its way; Problem 'notFound' when there is none, or its account was deleted
 */
export async function findUndoable(write: Write, { fromId, intoId }: Pair): Promise<Undoable> {
  const { rows } = await sql<UndoState>`
    select merged.id, merged.former is null or merged.merged_at < now() - ${UNDO_DAYS} * interval '1 day' as "isOver",
      stays.left_at is not null as "isGone",
      exists (select from account_merges as newer where newer.into_id = merged.into_id and newer.id > merged.id) as "hasNewer",
      exists (select from account_merges as later where later.from_id = merged.into_id) as "isMergedOn",
      merged.former ->> 'email' as email,
      exists (select from people as other where other.email = merged.former ->> 'email') as "hasOther",
      exists (select from account_merge_rows as noted where noted.merge_id = merged.id and (
        noted.table_name = 'linked_accounts' and exists (select from linked_accounts as link
          where link.issuer = noted.content ->> 'issuer' and link.subject = noted.content ->> 'subject')
        or noted.table_name = 'passkeys' and exists (select from passkeys as passkey
          where passkey.credential_id = (noted.content ->> 'credential_id')::bytea))) as "isWayTaken"
    from account_merges as merged join people as stays on stays.id = merged.into_id
    where merged.from_id = ${fromId} and merged.into_id = ${intoId}`.execute(write)
  const [state] = rows
  if (state === undefined || (state.isGone && !state.isMergedOn)) throw notFound()
  const squatterId = state.hasOther && state.email !== null ? await squatterOf(write, state.email) : null
  const found = { ...state, isAddressTaken: state.hasOther && squatterId === null }
  const reason = REASONS.find(([name]) => found[name])
  if (reason !== undefined) throw refusal('from', reason[1])
  return { id: state.id, squatterId }
}

interface UndoState {
  readonly id: number
  readonly isOver: boolean
  readonly isGone: boolean
  readonly hasNewer: boolean
  readonly isMergedOn: boolean
  readonly email: string | null
  readonly hasOther: boolean
  readonly isWayTaken: boolean
}

const REASONS = [
  ['isOver', 'merging.undo.over'],
  ['isMergedOn', 'merging.undo.mergedOn'],
  ['hasNewer', 'merging.undo.newer'],
  ['isAddressTaken', 'merging.undo.addressTaken'],
  ['isWayTaken', 'merging.undo.wayTaken'],
] as const
