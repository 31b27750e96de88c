import { type RawBuilder, sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { type Actor, accountOf, reachOf } from './rights.ts'
import { findSiteSettings } from './site-settings.ts'
import { visibleTo } from './visibility.ts'

/** Whose agents may read a course, as its instructors choose. */
export const AGENTS_OF = ['nobody', 'staff', 'readers'] as const

/** What holds in the course of alias `course` until they choose: learners' texts turn up in no assistant unless the course said so. */
const chosen = sql`coalesce(course.agents, case when course.is_public then 'readers' else 'staff' end)`

/**
 * Whether somebody's agent may read the course of alias `course`: the act 'use-agents', and the course's setting. Staff are so by their
 * account: a token that lets an agent do less makes nobody a learner.
 * @param courseIds the only courses of the token; null: all
 */
export function letsAgentOf(person: Actor | null, courseIds: readonly number[] | null): RawBuilder<boolean> {
  const staff = person === null ? null : reachOf(staffOf(person), 'read-private')
  const isStaff =
    staff === null
      ? sql`false`
      : staff.isAll
        ? sql`true`
        : sql`course.id = any(${[...staff.courseIds]}::bigint[])`
  const isNamed = courseIds === null ? sql`true` : sql`course.id = any(${[...courseIds]}::bigint[])`
  return sql<boolean>`(${visibleTo(person, 'use-agents')} and ${isNamed}
    and (${chosen} = 'readers' or ${chosen} = 'staff' and ${isStaff}))`
}

const staffOf = (person: Actor): Actor => ({
  ...accountOf(person),
  owesSecondFactor: person.owesSecondFactor ?? false,
})

/** Whether the forum lets agents in at all. */
export async function letsAgentsIn(db: Database | Write): Promise<boolean> {
  return (await findSiteSettings(db)).agents !== 'off'
}
