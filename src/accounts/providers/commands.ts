import { sql } from 'kysely'
import type { Database, NewRow, Preset, Role, Write } from '../../database/schema.ts'
import { notFound } from '../../kernel/problem.ts'
import { takeBackClaims } from '../../kernel/rights/claimed-roles.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { seal } from '../../secrets/sealed.ts'
import { type Connection, SECRET_PURPOSE } from './provider.ts'

/** The name in the addresses of a new provider: that of its kind, with a number where it is taken. */
export async function freeName(write: Write, preset: Preset): Promise<string> {
  // Two that are added at the same time wait for each other.
  await sql`lock table identity_providers in share row exclusive mode`.execute(write)
  const base = preset === 'openid' ? 'sso' : preset
  const rows = await write.selectFrom('identity_providers').select('name').execute()
  const taken = new Set(rows.map(({ name }) => name))
  let name: string = base
  for (let number = 2; taken.has(name); number += 1) name = `${base}-${number}`
  return name
}

export async function updateProvider(
  write: Write,
  id: number,
  changed: Partial<NewRow<'identity_providers'>>,
): Promise<void> {
  await write.updateTable('identity_providers').set(changed).where('id', '=', id).execute()
}

/** Notes that a provider answered as it should, unless it was changed since. */
export async function markTested(write: Write, id: number, connection: Connection): Promise<void> {
  const isOfEnvironment = connection.kind === 'openid' && connection.isFromEnvironment
  await write
    .updateTable('identity_providers')
    .set({ tested_at: sql<Date>`now()` })
    .where('id', '=', id)
    .$if(!isOfEnvironment, (query) =>
      query
        .where('client_id', '=', connection.clientId)
        .where('issuer', 'is not distinct from', connection.kind === 'openid' ? connection.issuer : null),
    )
    .execute()
}

/** Seals the secret that an admin typed; an empty one leaves that there is. */
export async function keepClientSecret(write: Write, keys: SecretKeys, id: number, secret: string) {
  if (secret === '') return
  await updateProvider(write, id, { client_secret: seal(keys, SECRET_PURPOSE, id, secret) })
}

/** Changes places with the next one in that direction, if there is one. */
export async function moveProvider(write: Write, id: number, direction: 'up' | 'down'): Promise<void> {
  const rows = await write
    .selectFrom('identity_providers')
    .select('id')
    .orderBy('position')
    .orderBy('id')
    .forUpdate()
    .execute()
  const ids = rows.map((row) => row.id)
  const at = ids.indexOf(id)
  const other = at + (direction === 'up' ? -1 : 1)
  const [here, there] = [ids[at], ids[other]]
  if (here === undefined || there === undefined) return
  ids[at] = there
  ids[other] = here
  for (const [position, one] of ids.entries()) await updateProvider(write, one, { position })
}

/** Turns a provider on or off. Off, what began with it ends: it may have been turned off because it is not to be trusted. */
export async function setProviderOn(write: Write, id: number, isOn: boolean): Promise<void> {
  await updateProvider(write, id, { is_on: isOn })
  if (!isOn) await endSessionsOf(write, id)
}

/** Removes a provider, the accounts there that are linked, and the sessions that began with them. */
export async function deleteProvider(write: Write, id: number): Promise<void> {
  await endSessionsOf(write, id)
  await takeBackClaims(write, id)
  await write.deleteFrom('identity_providers').where('id', '=', id).execute()
}

/** How many people have no way in but this provider: no password, no passkey, no other link, no address to recover the account. */
export async function strandedBy(write: Write, id: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from linked_accounts as linked join people as person on person.id = linked.person_id
    where linked.provider_id = ${id} and person.password_hash is null and person.email_confirmed_at is null
      and not exists (select from passkeys where person_id = person.id)
      and not exists (select from linked_accounts as other
        where other.person_id = person.id and other.provider_id <> ${id})`.execute(write)
  return Number(rows[0]?.count ?? 0)
}

async function endSessionsOf(write: Write, id: number): Promise<void> {
  const links = write.selectFrom('linked_accounts').select('id').where('provider_id', '=', id)
  await write
    .deleteFrom('sessions')
    .where('token_hash', 'in', (query) =>
      query.selectFrom('provider_sessions').select('token_hash').where('linked_account_id', 'in', links),
    )
    .execute()
  await write.deleteFrom('half_sign_ins').where('linked_account_id', 'in', links).execute()
}

/** The course roles that values of a provider's claim give, by value, then course. */
export function listRoles(db: Database, providerId: number) {
  return db
    .selectFrom('provider_roles as given')
    .innerJoin('courses as course', 'course.id', 'given.course_id')
    .select(['given.id', 'given.value', 'course.title', 'given.role'])
    .where('given.provider_id', '=', providerId)
    .orderBy('given.value')
    .orderBy('course.title')
    .limit(500)
    .execute()
}

export function listCourses(db: Database) {
  return db
    .selectFrom('courses')
    .select(['slug as value', 'title as text'])
    .orderBy('title')
    .orderBy('id')
    .limit(1000)
    .execute()
}

/** @returns false when there is no such course */
export async function insertRole(
  write: Write,
  given: { readonly providerId: number; readonly value: string; readonly slug: string; readonly role: Role },
): Promise<boolean> {
  const { providerId: provider_id, value, slug, role } = given
  const course = await write.selectFrom('courses').select('id').where('slug', '=', slug).executeTakeFirst()
  if (course === undefined) return false
  await write
    .insertInto('provider_roles')
    .values({ provider_id, value, course_id: course.id, role })
    .onConflict((conflict) => conflict.columns(['provider_id', 'value', 'course_id']).doUpdateSet({ role }))
    .execute()
  return true
}

/**
 * Locks a provider before it opens or links an account: one that is turned off meanwhile lets nobody in any
 * more, and turning it off waits for those who are coming in, and then ends their sessions. Providers are
 * locked before people.
 * @throws Problem 404 when it is off, or gone
 */
export async function lockUsable(write: Write, id: number): Promise<void> {
  const row = await write
    .selectFrom('identity_providers')
    .select('is_on')
    .where('id', '=', id)
    .forShare()
    .executeTakeFirst()
  if (row?.is_on !== true) throw notFound()
}
