import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { endPendingRoles, keepPendingRoles, movePendingRoles } from '../../kernel/rights/pending-roles.ts'
import { row, table } from '../../text/markdown-table.ts'
import type { Access } from '../identity/access.ts'
import { endMailLinks } from '../identity/mail-links.ts'

/** What ends, or stops for a while, and whom or what it is about. */
interface Endings {
  courseDeleted: { readonly courseId: number }
  courseArchived: { readonly courseId: number }
  roleLost: { readonly personId: number }
  suspension: { readonly personId: number }
  merge: { readonly personId: number; readonly intoId: number; readonly mergeId: number }
  leaving: { readonly personId: number }
  passwordReset: { readonly personId: number }
}
export type Ending = keyof Endings

const TITLES: Readonly<Record<Ending, string>> = {
  courseDeleted: 'course deleted',
  courseArchived: 'course archived',
  roleLost: 'role lost',
  suspension: 'suspension',
  merge: 'merge (closed account)',
  leaving: 'leaving, account deleted',
  passwordReset: 'password reset or removed, account taken back',
}
export const ENDINGS = Object.keys(TITLES) as readonly Ending[]

/** What becomes of a key: a text alone where nothing is done, because its rights are looked up each time it is used, or it stays. */
type Fate<Name extends Ending> =
  | string
  | { readonly says: string; readonly does: (write: Write, of: Endings[Name]) => Promise<unknown> }

type Key = { readonly [Name in Ending]: Fate<Name> }

/** A key has nothing to do with an ending. */
export const UNTOUCHED = '–'
const untouched = {
  ...{ courseDeleted: UNTOUCHED, courseArchived: UNTOUCHED, roleLost: UNTOUCHED, suspension: UNTOUCHED },
  ...{ merge: UNTOUCHED, leaving: UNTOUCHED, passwordReset: UNTOUCHED },
} as const satisfies Key

type OfPerson = { readonly personId: number }
type OfCourse = { readonly courseId: number }

/** All rows of a person in these tables. */
const rowsEnd = (...tables: readonly string[]) => ({
  says: 'end',
  async does(write: Write, { personId }: OfPerson) {
    for (const table of tables)
      await sql`delete from ${sql.table(table)} where person_id = ${personId}`.execute(write)
  },
})
const sessionsEnd = rowsEnd('half_sign_ins', 'sessions')
const tokensEnd = rowsEnd('api_tokens')
const mailedLinksEnd = rowsEnd('sign_in_links', 'mail_links')
const providerSignInsEnd = rowsEnd('provider_sign_ins')
const answeringEnds = rowsEnd('reply_keys', 'push_subscriptions')
const tokensOfCourseEnd = (says: string, owner: 'is' | 'is not') => ({
  says,
  does: (write: Write, { courseId }: OfCourse) =>
    write
      .deleteFrom('api_tokens')
      .where('course_id', '=', courseId)
      .where('person_id', owner, null)
      .execute(),
})
const appsEnd = rowsEnd('app_grants')
const appsOfCourseEnd = {
  says: 'lose the course; those for this course alone end',
  async does(write: Write, { courseId }: OfCourse) {
    const lost = await write
      .deleteFrom('app_grant_courses')
      .where('course_id', '=', courseId)
      .returning('grant_id')
      .execute()
    const ids = lost.map(({ grant_id: id }) => id)
    await write
      .deleteFrom('app_grants')
      .where('id', '=', sql<number>`any(${ids}::bigint[])`)
      .where(sql<boolean>`not exists (select from app_grant_courses where grant_id = app_grants.id)`)
      .execute()
  },
}
const invitationsEnd = {
  says: 'end',
  does: (write: Write, { courseId }: OfCourse) =>
    write
      .updateTable('invitations')
      .set({ ended_at: sql`coalesce(ended_at, now())` })
      .where('course_id', '=', courseId)
      .execute(),
}
const webhooksEnd = {
  says: 'end',
  does: (write: Write, { courseId }: OfCourse) =>
    write.deleteFrom('webhooks').where('course_id', '=', courseId).execute(),
}
const PAUSE = 'pause, until someone else takes them over'
const mailedWaysInEnd = {
  says: 'those that sign in, or set a password or address, end; the ways back from a change stay',
  async does(write: Write, { personId }: OfPerson) {
    await write.deleteFrom('sign_in_links').where('person_id', '=', personId).execute()
    await endMailLinks(write, personId, ['new-password', 'change-email'])
  },
}
/**
 * Everything that lets someone in, or lets a program act or be told, and what becomes of it at each ending:
 * the one list that endings go by, and that docs/security.md shows. A new kind of key is one entry; the types
 * ask for each of its fates.
 */
export const KEYS = {
  sessions: {
    ...untouched,
    suspension: 'stay',
    ...{ merge: sessionsEnd, leaving: sessionsEnd, passwordReset: sessionsEnd },
  },
  'personal tokens': {
    courseDeleted: tokensOfCourseEnd('lose the course; those for this course alone end', 'is not'),
    courseArchived: 'read',
    roleLost: 'rights of now, at each request',
    suspension: 'read, write nothing',
    ...{ merge: tokensEnd, leaving: tokensEnd, passwordReset: tokensEnd },
  },
  'course tokens': {
    ...untouched,
    courseDeleted: tokensOfCourseEnd('end', 'is'),
    courseArchived: 'read',
  },
  'apps of agents': {
    courseDeleted: appsOfCourseEnd,
    courseArchived: 'read',
    roleLost: 'rights of now, at each request',
    suspension: 'read, write nothing',
    ...{ merge: appsEnd, leaving: appsEnd, passwordReset: appsEnd },
  },
  'invitation links': {
    ...untouched,
    courseDeleted: invitationsEnd,
    courseArchived: 'let people in, who read',
    merge: 'stay',
    leaving: 'stay: they are the course’s',
  },
  'pending roles': {
    ...untouched,
    courseDeleted: {
      says: 'kept for a restoration',
      does: (write, { courseId }) => keepPendingRoles(write, courseId),
    },
    courseArchived: 'kept',
    merge: { says: 'move', does: movePendingRoles },
    leaving: { says: 'end', does: (write, { personId }) => endPendingRoles(write, personId) },
  },
  'mailed links': {
    ...untouched,
    suspension: 'stay',
    ...{ merge: mailedLinksEnd, leaving: mailedLinksEnd, passwordReset: mailedWaysInEnd },
  },
  'waiting provider sign-ins': {
    ...untouched,
    suspension: 'stay',
    ...{ merge: providerSignInsEnd, leaving: providerSignInsEnd, passwordReset: providerSignInsEnd },
  },
  'reply keys, push': {
    courseDeleted: 'post nothing there, and nothing is pushed',
    courseArchived: 'post nothing',
    roleLost: 'rights of now',
    suspension: 'post nothing',
    ...{ merge: answeringEnds, leaving: answeringEnds },
    passwordReset: 'reply keys stay; pushes end with their sessions',
  },
  webhooks: {
    ...untouched,
    courseDeleted: webhooksEnd,
    courseArchived: 'are told nothing',
    ...{ roleLost: PAUSE, suspension: PAUSE, merge: PAUSE, leaving: PAUSE },
  },
} as const satisfies Readonly<Record<string, Key>>

/** What a table's cell says of a key at an ending. */
export function fateOf(key: keyof typeof KEYS, ending: Ending): string {
  const fate = KEYS[key][ending]
  return typeof fate === 'string' ? fate : fate.says
}

/** Ends what an ending ends. Whose account it is about is locked, or the course. */
export async function endKeys<Name extends Ending>(write: Write, ending: Name, of: Endings[Name]) {
  for (const key of Object.values<Key>(KEYS)) {
    const fate: Fate<Name> = key[ending]
    if (typeof fate !== 'string') await fate.does(write, of)
  }
}

/** The table as docs/security.md has it. */
export function endingsTable(): string {
  const names = Object.keys(KEYS) as (keyof typeof KEYS)[]
  const rows = ENDINGS.map((ending) => row(TITLES[ending], ...names.map((name) => fateOf(name, ending))))
  return table(['', ...names], rows)
}

/**
 * Ends all ways in, those too that begin this moment. The person is locked.
 * @returns what their next session begins with
 */
export async function endWaysIn(write: Write, personId: number): Promise<Access> {
  const access = await outdateAccess(write, personId)
  await endKeys(write, 'passwordReset', { personId })
  return access
}

/** Half-finished sign-ins end: identity has to be proved again. */
export async function outdateAccess(write: Write, personId: number): Promise<Access> {
  const { access_version: accessVersion } = await write
    .updateTable('people')
    .set({ access_version: sql`access_version + 1` })
    .where('id', '=', personId)
    .returning('access_version')
    .executeTakeFirstOrThrow()
  return { personId, accessVersion }
}
