import { sql } from 'kysely'
import type { Database, NewRow, Role } from '../database/schema.ts'
import { addMember } from '../forum/courses/commands.ts'
import { setRows } from './rows.ts'

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

/** Somebody who made an account a moment ago. */
export async function aNewcomer(db: Database, options: PersonOptions = {}): Promise<MadePerson> {
  const person = await aPerson(db, options)
  await setRows(db, 'people', person.id, { new_until: sql`now() + interval '1 day'` })
  return person
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

/** Somebody who came with an import of Ed into a course: a name, and perhaps an address to offer the posts to. */
export async function anUnclaimedPerson(
  db: Database,
  course: { readonly id: number },
  { displayName = 'Somebody of Ed', email }: Pick<PersonOptions, 'displayName' | 'email'> = {},
): Promise<MadePerson> {
  const { id } = await db
    .insertInto('people')
    .values({ display_name: displayName, is_unclaimed: true })
    .returning('id')
    .executeTakeFirstOrThrow()
  const key = { course_id: course.id, source: 'ed', origin: '1', external_id: `person ${id}` }
  await db
    .insertInto('imported_people')
    .values({ ...key, person_id: id })
    .execute()
  if (email !== undefined)
    await db.insertInto('imported_addresses').values({ person_id: id, email }).execute()
  return { id, displayName, email: email ?? '' }
}

/** Takes from an unclaimed person what writing here brings, and an import doesn't: a role in the course, and follows. */
export async function asImported(db: Database, { id }: { readonly id: number }): Promise<void> {
  await db.deleteFrom('course_members').where('person_id', '=', id).execute()
  await db.deleteFrom('question_follows').where('person_id', '=', id).execute()
}
