import { addMember } from '../courses/commands.ts'
import type { Database, NewRow, Role } from '../database/schema.ts'

/** Somebody in a test. */
export interface MadePerson {
  readonly id: number
  readonly displayName: string
  readonly email: string
}

export interface PersonWishes {
  readonly displayName?: string
  readonly email?: string
  readonly isAdmin?: boolean
  readonly passwordHash?: string
  readonly language?: NewRow<'people'>['language']
  readonly timeZone?: string
  readonly theme?: NewRow<'people'>['theme']
}

let made = 0

/** A person who can sign in, with a name and an address nobody else has. */
export async function aPerson(db: Database, wishes: PersonWishes = {}): Promise<MadePerson> {
  made += 1
  const displayName = wishes.displayName ?? `Person ${made}`
  const email = wishes.email ?? `person-${made}@example.com`
  const { id } = await db
    .insertInto('people')
    .values({
      display_name: displayName,
      email,
      password_hash: wishes.passwordHash ?? null,
      is_admin: wishes.isAdmin ?? false,
      language: wishes.language ?? null,
      time_zone: wishes.timeZone ?? null,
      theme: wishes.theme ?? 'system',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, displayName, email }
}

/** A person with a role in a course: the one given, or a new one. */
export async function aMember(
  db: Database,
  course: { readonly id: number },
  role: Role = 'learner',
  person?: MadePerson,
): Promise<MadePerson> {
  const member = person ?? (await aPerson(db))
  await db.transaction().execute((write) => addMember(write, course.id, member.id, role))
  return member
}
