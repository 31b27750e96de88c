import { type RawBuilder, sql } from 'kysely'
import type { Language, Theme } from '../database/schema.ts'
import type { Actor } from './rights.ts'
import { owesSecondFactor, owesSecondFactorIn } from './second-factor.ts'
import type { Suspension } from './suspension.ts'

/** The person a request is made by. */
export interface Person extends Actor {
  readonly displayName: string
  readonly email: string | null
  /** null: as the browser asks. */
  readonly language: Language | null
  /** null: the course's. */
  readonly timeZone: string | null
  readonly theme: Theme
  /** Until when limits for newcomers hold: limits/newcomers.ts. null: they never did. */
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
