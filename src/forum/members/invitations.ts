import { createHmac, randomBytes } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { lockPeopleForRoles } from '../../accounts/identity/lock.ts'
import type { Database, Role, Write } from '../../database/schema.ts'
import { actor, table, unmissed } from '../../database/table.ts'
import { idOf, personOf } from '../../kernel/actor.ts'
import { plain } from '../../kernel/fields.ts'
import { forum, operation } from '../../kernel/operation.ts'
import { notFound, refusal } from '../../kernel/problem.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { hashToken } from '../../web/tokens.ts'
import { addMember, joinCourse } from '../courses/commands.ts'
import { course, lockedCourse, partOf } from '../courses/find-course.ts'
import { giveRole, holds, RANK } from '../courses/roles.ts'
import { isDeleted } from '../purging/course-deletion.ts'
import { invitation } from './form.ts'

interface NewInvitation {
  readonly courseId: number
  readonly role: Role
  /** The last day on which it works, such as 2026-12-01, in the course's time zone; null: DAYS from now. */
  readonly until: string | null
  readonly timeZone: string
  /** null: as many as there are. */
  readonly uses: number | null
  readonly madeBy: number | null
}

export const invitations = table('invitations', { made_by: unmissed(actor) })

const DAYS = 30

/** @returns false: its last day is over, or more than a year away */
export async function makeInvitation(write: Write, [secret]: SecretKeys, invitation: NewInvitation) {
  const { courseId, role, until, timeZone, uses, madeBy } = invitation
  const nonce = randomBytes(32)
  const end =
    until === null
      ? sql<Date>`now() + ${DAYS} * interval '1 day'`
      : sql<Date>`((${until}::date + 1)::timestamp at time zone ${timeZone})`
  const made = await sql`
    insert into invitations (course_id, role, token_hash, nonce, until, uses, made_by)
    select ${courseId}, ${role}, ${hashToken(tokenOf(secret, nonce))}, ${nonce}, ${end}, ${uses}, ${madeBy}::bigint
    where ${end} > now() and ${end} < now() + interval '367 days'`.execute(write)
  return made.numAffectedRows === 1n
}

/** The links of a course that still work, newest first, with their tokens; null: made with a SECRET that is known no more. */
export async function listInvitations(db: Database, keys: SecretKeys, courseId: number) {
  const rows = await db
    .selectFrom('invitations')
    .select(['id', 'role', 'nonce', 'token_hash', 'until', 'uses', 'used'])
    .where('course_id', '=', courseId)
    .where(works)
    .orderBy('id', 'desc')
    .limit(100)
    .execute()
  return rows.map(({ nonce, token_hash: hash, ...row }) => {
    const tokens = keys.map((secret) => tokenOf(secret, nonce))
    return { ...row, token: tokens.find((token) => hashToken(token).equals(hash)) ?? null }
  })
}

/** What a link leads to; null: it does not work (any more). */
export function findInvitation(db: Database, token: string) {
  return invitationWhere(db, token, works)
}

/** The course of a link that works no more, by its slug, where the person is in that course; null otherwise. */
export async function findJoinedCourse(db: Database, token: string, personId: number) {
  const isMember = sql<boolean>`exists (select from course_members as member
    where member.course_id = course.id and member.person_id = ${personId})`
  return (await invitationWhere(db, token, isMember))?.slug ?? null
}

async function invitationWhere(db: Database, token: string, condition: RawBuilder<boolean>) {
  const row = await db
    .selectFrom('invitations')
    .innerJoin('courses as course', 'course.id', 'invitations.course_id')
    .select(['course.id as courseId', 'course.slug', 'course.title', 'invitations.role'])
    .where('token_hash', '=', hashToken(token))
    .where(condition)
    .executeTakeFirst()
  return row ?? null
}

/**
 * Lets a person join by a link. Someone who has the role or a higher one already, or joined and waits for it,
 * takes no use of it. Of several who take the last use at once one gets it. Whoever has the link may be a
 * learner. A role with more rights waits until the address is confirmed; an account without an address has no
 * other owner, so nothing waits.
 * @returns null: the link does not work (any more); `joinedWaiting`: as a learner, until the owner of the
 * address confirms it
 */
async function joinBy(write: Write, token: string, personId: number) {
  const [person] = await lockPeopleForRoles(write, [personId])
  // A person who took the last use and sends the form again is a member already, and is told so.
  const invitation = await invitationWhere(write, token, hasNotEnded)
  if (person === undefined || invitation === null) return null
  const { courseId, slug, role } = invitation
  const { email, isConfirmed } = person
  if (await holds(write, courseId, personId, role)) {
    await joinCourse(write, courseId, personId, true)
    return { outcome: 'member', courseId, slug }
  }
  const isLater = role !== 'learner' && email !== null && !isConfirmed
  const isWaiting = isLater && (await waits(write, courseId, email, role))
  if (isWaiting && (await holds(write, courseId, personId, 'learner')))
    return { outcome: 'joinedWaiting', courseId, slug }
  if (!(await takeUse(write, token))) return null
  if (isLater) await joinCourse(write, courseId, personId, true)
  else await addMember(write, courseId, personId, role)
  // The account of an address may not be its owner's: a role that waits for the owner is not lowered.
  if (isLater && !isWaiting) await giveRole(write, courseId, email, role)
  return { outcome: isLater ? 'joinedWaiting' : 'joined', courseId, slug }
}

const hasNotEnded = sql<boolean>`invitations.ended_at is null and invitations.until > now()`
const works = sql<boolean>`${hasNotEnded}
  and (invitations.uses is null or invitations.used < invitations.uses)`

/** The row is locked: another one waits, and finds no use left. */
async function takeUse(write: Write, token: string): Promise<boolean> {
  const taken = await write
    .updateTable('invitations')
    .set({ used: sql`used + 1` })
    .where('token_hash', '=', hashToken(token))
    .where(works)
    .executeTakeFirst()
  return taken.numUpdatedRows === 1n
}

/** Whether this role or a higher one waits for an address. */
async function waits(write: Write, courseId: number, email: string, role: Role): Promise<boolean> {
  const row = await write
    .selectFrom('pending_roles')
    .select('role')
    .where('course_id', '=', courseId)
    .where('email', '=', email)
    .executeTakeFirst()
  return row !== undefined && RANK[role] <= RANK[row.role]
}

function tokenOf(secret: string, nonce: Buffer): string {
  return createHmac('sha256', secret).update('handup invitation').update(nonce).digest('base64url')
}

/** The links that somebody made and that still let people in, in a course or (null) in all. */
const openOf = (personId: number, courseId: number | null) => sql<boolean>`(made_by = ${personId} and ${works}
  and (${courseId}::bigint is null or course_id = ${courseId}::bigint))`

export const openInvitations = (personId: number, courseId: number | null) =>
  sql<number>`(select count(*) from invitations where ${openOf(personId, courseId)})::integer`

/** Ends them for good. */
export async function endInvitations(write: Write, personId: number, courseId: number | null): Promise<void> {
  await write
    .updateTable('invitations')
    .set({ ended_at: sql`now()` })
    .where(openOf(personId, courseId))
    .execute()
}

/** Makes a link by which people join a course; the `part` of its subject are the secrets of the forum. */
export const invitationMaking = operation({
  name: 'make-invitation',
  right: 'change-members',
  find: partOf<SecretKeys>(lockedCourse),
  input: invitation,
  events: ['invitation-made'],
  async run({ write, actor, subject: { id: courseId, slug, timeZone, part: keys }, input, note }) {
    if (await isDeleted(write, courseId)) throw notFound()
    if (!(await makeInvitation(write, keys, { ...input, courseId, timeZone, madeBy: idOf(actor) })))
      throw refusal('until', 'members.until.wrong')
    note('invitation-made', { courseId, role: input.role })
    return { slug }
  },
})

export const invitationEnd = operation({
  name: 'end-invitation',
  once: true,
  right: 'change-members',
  find: partOf<number>(course),
  events: ['invitation-ended'],
  async run({ write, subject: { id: courseId, slug, part }, note }) {
    const ended = await write
      .updateTable('invitations')
      .set({ ended_at: sql`coalesce(ended_at, now())` })
      .where('course_id', '=', courseId)
      .where('id', '=', part)
      .executeTakeFirst()
    if (ended.numUpdatedRows !== 1n) throw notFound()
    note('invitation-ended', { courseId })
    return { slug }
  },
})

/** Joins a course by a link. @returns `joined` null: the link does not work (any more) */
export const courseJoining = operation({
  name: 'join-course',
  right: 'have-account',
  find: forum,
  input: { token: plain },
  events: ['course-joined'],
  async run({ write, actor, input: { token }, note }) {
    const joined = await joinBy(write, token, personOf(actor).id)
    if (joined !== null && joined.outcome !== 'member')
      note('course-joined', { courseId: joined.courseId, isWaiting: joined.outcome === 'joinedWaiting' })
    return { joined }
  },
})
