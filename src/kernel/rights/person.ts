import { type RawBuilder, sql } from 'kysely'
import type { Database, Language, Theme, Write } from '../../database/schema.ts'
import type { Actor } from './rights.ts'

/** Whether the person of alias `person` owes a second factor, as staff where the forum requires one. */
export const owesSecondFactor: RawBuilder<boolean> = sql<boolean>`(
  exists (select from site_settings where staff_need_second_factor)
  and (person.is_admin or exists (
    select from course_members as staff where staff.person_id = person.id and staff.role <> 'learner'))
  and not exists (select from second_factors as app where app.person_id = person.id and app.confirmed_at is not null)
  and not exists (select from passkeys as passkey where passkey.person_id = person.id))`

/**
 * The same in a session: one that began at a provider whose second factor an admin accepts has shown one.
 * Without a session, as in mail and by a token, only the forum's own counts.
 * @param session the hash of its token; null: none
 */
function owesSecondFactorIn(session: RawBuilder<Buffer | null>): RawBuilder<boolean> {
  return sql<boolean>`(${owesSecondFactor} and not exists (
    select from provider_sessions as begun
      join linked_accounts as linked on linked.id = begun.linked_account_id and linked.person_id = person.id
      join identity_providers as provider on provider.id = linked.provider_id
    where begun.token_hash = ${session} and begun.has_factor and provider.accepts_factor and provider.is_on))`
}

/** The person a request is made by. */
export interface Person extends Actor {
  readonly displayName: string
  readonly email: string | null
  /** null: as the browser asks. */
  readonly language: Language | null
  /** null: the course's. */
  readonly timeZone: string | null
  readonly theme: Theme
  /** Until when limits for newcomers hold: kernel/newcomers.ts. null: they never did. */
  readonly newUntil: Date | null
  /** The hash of the token of the session in which they act; absent: they act in none. */
  readonly session?: Buffer
  /** As operations read it: those in force. */
  readonly suspensions?: readonly Suspension[]
}

/** The course roles of the person of alias `person`, as JSON. */
export const rolesOfPerson = sql<
  Person['roles']
>`(select coalesce(jsonb_object_agg(member.course_id, member.role), '{}')
  from course_members as member where member.person_id = person.id)`

/** What a query selects of the person of alias `person`. @param session the hash of the token of the one they act in; null: in none */
export const personFields = (session: RawBuilder<Buffer | null> | null) => [
  sql<number>`person.id`.as('id'),
  sql<string>`person.display_name`.as('displayName'),
  sql<string | null>`person.email`.as('email'),
  sql<boolean>`person.is_admin`.as('isAdmin'),
  sql<Language | null>`person.language`.as('language'),
  sql<string | null>`person.time_zone`.as('timeZone'),
  sql<Theme>`person.theme`.as('theme'),
  sql<Date | null>`person.new_until`.as('newUntil'),
  rolesOfPerson.as('roles'),
  (session === null ? owesSecondFactor : owesSecondFactorIn(session)).as('owesSecondFactor'),
]

/**
 * Whether someone can sign in to an account: they haven't left, and it has an address, an account at a
 * provider or a passkey. An account without an address may be in use, or imported with posts and nobody's.
 * @param alias of `people` in the query
 */
export function canSignIn(alias: 'person' | 'account' | 'asker' = 'person'): RawBuilder<boolean> {
  const id = sql.ref(`${alias}.id`)
  return sql<boolean>`(${sql.ref(`${alias}.left_at`)} is null and (${sql.ref(`${alias}.email`)} is not null
    or exists (select from linked_accounts as linked where linked.person_id = ${id})
    or exists (select from passkeys as passkey where passkey.person_id = ${id})))`
}

/** A suspension: a person may read but not write, in a course or everywhere. */
export interface Suspension {
  /** null: everywhere. */
  readonly courseId: number | null
  /** The course's title; null: everywhere. */
  readonly course: string | null
  /** An instant in ISO form; null: for good. */
  readonly until: string | null
  /** The note of staff to the person, or the rule that they named. */
  readonly note: string
  /** The person's, or else the course's. */
  readonly timeZone: string
}

/**
 * The suspensions in force of the person of alias `person`, as JSON, the one that lasts longest first. The one text of SQL that says who
 * is suspended: operations read it with the actor, whichever door they come through. Uses index measures_suspended.
 */
export const suspensionsOfPerson: RawBuilder<readonly Suspension[]> = sql<readonly Suspension[]>`(
  select coalesce(jsonb_agg(jsonb_build_object('courseId', measure.course_id, 'course', course.title, 'until', measure.ends_at,
    'note', coalesce(nullif(matter.note, ''), matter.rule), 'timeZone', coalesce(person.time_zone, course.time_zone, 'UTC')) order by measure.ends_at desc nulls first, measure.id), '[]')
  from measures as measure join cases as matter on matter.id = measure.case_id
  left join courses as course on course.id = measure.course_id
  where measure.person_id = person.id and measure.kind = 'suspend' and measure.ended_at is null
    and (measure.ends_at is null or measure.ends_at > now()))`

/** The suspension that applies in a course; null: none. @param courseId null: outside of courses */
export function suspensionIn(suspensions: readonly Suspension[], courseId: number | null): Suspension | null {
  return suspensions.find((one) => one.courseId === null || one.courseId === courseId) ?? null
}

/** Whether staff reset this very name of the person, and that is still in force. */
export async function isResetName(db: Database | Write, personId: number, name: string): Promise<boolean> {
  const { rows } = await sql`
    select from measures where person_id = ${personId} and kind = 'reset-name' and ended_at is null
      and lower(former_name) = lower(${name}) limit 1`.execute(db)
  return rows.length > 0
}
