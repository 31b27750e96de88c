import { sql } from 'kysely'
import { forgetAddress } from '../../accounts/address/imported-address.ts'
import { closeAccount } from '../../accounts/deletion/leave.ts'
import { type InSession, type OwnAccount, ownAccount } from '../../accounts/identity/own-account.ts'
import type { Write } from '../../database/schema.ts'
import { choice } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { notFound } from '../../kernel/problem.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { joinCourse } from '../courses/commands.ts'
import { mergeAccounts } from '../merging/merge.ts'
import { lockBoth } from '../merging/operations.ts'
import type { Pair } from '../merging/rows.ts'
import { findUndoable, undoMerge } from '../merging/undo.ts'
import { stateOfOffer } from './offers.ts'

interface OfferKey extends InSession {
  /** Of the unclaimed person. */
  readonly unclaimedId: number
}

/** What an import brought under the confirmed address of one's own account. */
interface OwnOffer extends OwnAccount {
  readonly pair: Pair
  readonly state: 'offered' | 'claimed'
}

/** Nothing is locked for who names somebody else's. @throws Problem 'notFound'; NeedsSignIn */
async function ownOffer(write: Write, { unclaimedId, ...session }: OfferKey): Promise<OwnOffer> {
  const pair = { fromId: unclaimedId, intoId: session.personId }
  if ((await stateOfOffer(write, pair.intoId, unclaimedId)) === null) throw notFound()
  await lockBoth(write, pair)
  const account = await ownAccount(write, session)
  const state = await stateOfOffer(write, pair.intoId, unclaimedId)
  if (state === null) throw notFound()
  return { ...account, pair, state }
}

const WRONG = 'claims.decision.missing'

/** The posts are one's own: the unclaimed person is merged into the account. Each course that it came to can be read from then on. */
export const postsClaim = operation({
  name: 'claim-posts',
  right: 'have-account',
  find: ownOffer,
  input: { decision: choice(['mine'], WRONG) },
  events: ['accounts-merged'],
  async run({ write, subject: { pair, state }, language, note }) {
    if (state !== 'offered') throw notFound()
    const formerName = translatorOf(language)('leaving.formerName')
    // Before the merge, which would give it back with its undo.
    await forgetAddress(write, pair.fromId)
    const closed = await closedCourses(write, pair)
    const mergeId = await mergeAccounts(write, { ...pair, actorId: pair.intoId, formerName })
    await joinCourses(write, mergeId, pair.intoId, closed)
    await followAsked(write, mergeId, pair.intoId)
    note('accounts-merged', { ownerId: pair.intoId, fromId: pair.fromId })
  },
})

/** The posts are one's own, and stay without the name and anything that leads to the account. */
export const postsRelease = operation({
  name: 'release-posts',
  right: 'have-account',
  find: ownOffer,
  input: { decision: choice(['nameless'], WRONG) },
  events: ['account-merge-undone'],
  async run({ write, subject: { pair, state }, baseUrl, language, note }) {
    if (state === 'claimed') note('account-merge-undone', await takeApart(write, pair))
    const formerName = translatorOf(language)('leaving.formerName')
    const nobody = { id: pair.fromId, email: null, isConfirmed: false, language: null }
    // Not noted in the log: an entry would lead from the posts to the account.
    await closeAccount(write, nobody, { posts: 'keep', formerName }, { baseUrl, language })
  },
})

/** The posts are somebody else's: they aren't offered again. What was claimed goes back. */
export const postsRefusal = operation({
  name: 'refuse-posts',
  right: 'have-account',
  find: ownOffer,
  input: { decision: choice(['not-mine'], WRONG) },
  events: ['account-merge-undone'],
  async run({ write, subject: { pair, state }, note }) {
    if (state === 'claimed') note('account-merge-undone', await takeApart(write, pair))
    else await forgetAddress(write, pair.fromId)
  },
})

/** @throws Refused where a newer merge is in its way */
async function takeApart(write: Write, pair: Pair) {
  const { id } = await findUndoable(write, pair)
  await undoMerge(write, id, pair)
  return { ownerId: pair.intoId, fromId: pair.fromId }
}

/** The courses that a person came to, which not everyone may read, nor the account yet. */
async function closedCourses(write: Write, { fromId, intoId }: Pair): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select course.id from courses as course where not course.is_public
      and exists (select from imported_people as kept where kept.course_id = course.id and kept.person_id = ${fromId})
      and not exists (select from course_members as member where member.course_id = course.id and member.person_id = ${intoId})
      and not exists (select from course_deletions as deletion where deletion.course_id = course.id)
    order by course.id`.execute(write)
  return rows.map(({ id }) => id)
}

/** Makes the account a learner of these. An undo of the claim takes that away, unless the role was changed. */
async function joinCourses(
  write: Write,
  mergeId: number,
  personId: number,
  courses: readonly number[],
): Promise<void> {
  for (const courseId of courses) await joinCourse(write, courseId, personId, true)
  await sql`
    insert into account_merge_rows (merge_id, table_name, is_before, content)
    select ${mergeId}, 'course_members', false, to_jsonb(gained) from course_members as gained
    where gained.person_id = ${personId} and gained.course_id = any(${courses}::bigint[])`.execute(write)
}

/** Who asked follows, until an undo. */
async function followAsked(write: Write, mergeId: number, personId: number): Promise<void> {
  await sql`
    with gained as (
      insert into question_follows (question_id, person_id)
      select asked.id, ${personId} from account_merge_rows as noted
      join questions as asked on asked.id = (noted.content ->> 'id')::bigint and asked.is_shown
      where noted.merge_id = ${mergeId} and noted.table_name = 'questions' and noted.column_name = 'author_id'
      order by asked.id
      on conflict (question_id, person_id) do nothing returning question_follows.*)
    insert into account_merge_rows (merge_id, table_name, is_before, content)
    select ${mergeId}, 'question_follows', false, to_jsonb(gained) from gained`.execute(write)
}
