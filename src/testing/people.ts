import type { Database, NewRow, Role } from '../database/schema.ts'
import { addMember } from '../forum/courses/commands.ts'

/** A person for tests. */
export interface MadePerson {
  readonly id: number
  readonly displayName: string
  readonly email: string
}

export interface PersonOptions {
  readonly displayName?: string
  readonly email?: string
  /** Whether their e-mail address is confirmed; true by default. */
  readonly isConfirmed?: boolean
  readonly isAdmin?: boolean
  readonly passwordHash?: string
  readonly language?: NewRow<'people'>['language']
  readonly timeZone?: string
  readonly theme?: NewRow<'people'>['theme']
  /** Now, unless said. */
  readonly joinedAt?: Date
}

let made = 0

/** A person who can sign in, with a unique name and address. */
export async function aPerson(db: Database, options: PersonOptions = {}): Promise<MadePerson> {
  made += 1
  const displayName = options.displayName ?? `Person ${made}`
  const email = options.email ?? `person-${made}@example.com`
  const { id } = await db
    .insertInto('people')
    .values({
      display_name: displayName,
      email,
      email_confirmed_at: (options.isConfirmed ?? true) ? new Date() : null,
      password_hash: options.passwordHash ?? null,
      is_admin: options.isAdmin ?? false,
      language: options.language ?? null,
      time_zone: options.timeZone ?? null,
      theme: options.theme ?? 'system',
      ...(options.joinedAt && { joined_at: options.joinedAt }),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, displayName, email }
}

/** A person with a role in a course: the given person, or a new one. */
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
