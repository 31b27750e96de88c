import { sql } from 'kysely'
import type { Language, Write } from '../../database/schema.ts'
import type { Actor } from '../../rights/rights.ts'
import { owesSecondFactor } from '../../rights/second-factor.ts'

/** Who answers by mail, with the rights they have now. */
export interface Sender extends Actor {
  /** Confirmed. */
  readonly email: string
  /** Never shown: an anonymous answer that says it is held back. */
  readonly displayName: string
  readonly language: Language | null
}

/** null: there is no such person any more, or their address is not confirmed. */
export async function senderOf(write: Write, personId: number): Promise<Sender | null> {
  const { rows } = await sql<Sender>`
    select person.id, person.email, person.display_name as "displayName", person.language, person.is_admin as "isAdmin",
      (select coalesce(jsonb_object_agg(member.course_id, member.role), '{}')
        from course_members as member where member.person_id = person.id) as roles,
      ${owesSecondFactor} as "owesSecondFactor"
    from people as person
    where person.id = ${personId} and person.email_confirmed_at is not null and person.left_at is null`.execute(
    write,
  )
  return rows[0] ?? null
}
