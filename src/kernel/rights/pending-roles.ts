import { type RawBuilder, sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { sweep, term } from '../../database/terms.ts'

/** Whether the role of alias `given` adds rights to that of alias `member`, or equals it: the higher one stays. */
const isHigher = (given: string) =>
  sql<boolean>`(member.role = 'learner' or ${sql.ref(`${given}.role`)} = 'instructor')`

/** Whether a role that waits, of alias `waiting`, adds rights to that of alias `member`, where there is one. */
export const addsRights: RawBuilder<boolean> = sql<boolean>`(
  member.role is null or member.role <> waiting.role and ${isHigher('waiting')})`

/** Gives a locked person the roles that wait for their address, as it is confirmed. A higher role stays. */
export async function takePendingRoles(write: Write, personId: number, email: string): Promise<void> {
  await sql`
    with pending as (delete from pending_roles where email = ${email} returning course_id, role)
    insert into course_members as member (course_id, person_id, role)
    select course_id, ${personId}, role from pending order by course_id
    on conflict (course_id, person_id) do update set is_given = true,
      role = case when ${isHigher('excluded')} then excluded.role else member.role end`.execute(write)
  // The mails that told them of it are about an account from now on: they are in its download, and go with it.
  await sql`update mails set person_id = ${personId} where recipient = ${email} and person_id is null and is_bulk`.execute(
    write,
  )
}

/** Keeps the roles that wait in a course with its deletion, so that a restoration brings them back, and gives them no more. */
export async function keepPendingRoles(write: Write, courseId: number): Promise<void> {
  await sql`
    with kept as (delete from pending_roles as waiting where course_id = ${courseId} returning to_jsonb(waiting) as waiting)
    update course_deletions set pending = (select coalesce(jsonb_agg(waiting), '[]') from kept)
    where course_id = ${courseId}`.execute(write)
}

/** Brings back the roles that waited in a course, and gives those whose address was confirmed meanwhile to its owner. */
export async function restorePendingRoles(write: Write, pending: unknown): Promise<void> {
  await sql`
    insert into pending_roles select waiting.*
    from jsonb_populate_recordset(null::pending_roles, ${JSON.stringify(pending)}) as waiting
    on conflict do nothing`.execute(write)
  const { rows } = await sql<{ id: number; email: string }>`
    select id, email from people where email_confirmed_at is not null and email = any(
      select waiting ->> 'email' from jsonb_array_elements(${JSON.stringify(pending)}::jsonb) as waiting)
    order by id for no key update`.execute(write)
  for (const { id, email } of rows) await takePendingRoles(write, id, email)
}

/**
 * What waits for the address of the account of alias `person` since a time, in `email` of a table or alias. What was given to an address
 * before an account claimed it is its mailbox's owner's, whoever that is: no stranger who signs up and leaves takes it from them.
 */
const waitsFor = (alias: string, since = 'given_at') => sql`${sql.ref(`${alias}.email`)} = person.email
  and (person.email_confirmed_at is not null or ${sql.ref(`${alias}.${since}`)} >= person.joined_at)`

/** Ends the roles that wait for the address of an account that is deleted, or that a list asks for it, those of deleted courses too. */
export async function endPendingRoles(write: Write, personId: number): Promise<void> {
  await sql`delete from pending_roles as waiting using people as person
    where person.id = ${personId} and ${waitsFor('waiting')}`.execute(write)
  await sql`delete from asked_roles as asked using people as person
    where person.id = ${personId} and ${waitsFor('asked', 'asked_at')}`.execute(write)
  await sql`
    update course_deletions as deleted set pending = coalesce((
      select jsonb_agg(waiting) from jsonb_populate_recordset(null::pending_roles, deleted.pending) as waiting
      where not (${waitsFor('waiting')})), '[]')
    from people as person
    where person.id = ${personId} and deleted.pending @> jsonb_build_array(jsonb_build_object('email', person.email))`.execute(
    write,
  )
}

/**
 * Gives the roles that wait for the address of an account that is merged to the account that stays, unless that one has an address of its own
 * that nobody confirmed. They are noted with the merge, for an undo, without names that lists gave.
 */
export async function movePendingRoles(
  write: Write,
  {
    personId,
    intoId,
    mergeId,
  }: { readonly personId: number; readonly intoId: number; readonly mergeId: number },
): Promise<void> {
  await sql`
    with moved as (
      delete from pending_roles as waiting using people as person, people as stays
      where person.id = ${personId} and ${waitsFor('waiting')}
        and stays.id = ${intoId} and (stays.email is null or stays.email_confirmed_at is not null)
      returning waiting.*),
    noted as (
      insert into account_merge_rows (merge_id, table_name, is_before, content)
      select ${mergeId}, 'pending_roles', true, to_jsonb(moved) - 'name' from moved)
    insert into course_members as member (course_id, person_id, role)
    select course_id, ${intoId}, role from moved order by course_id
    on conflict (course_id, person_id) do update set is_given = true,
      role = case when ${isHigher('excluded')} then excluded.role else member.role end`.execute(write)
}

/** Has the roles wait again that a merge moved, for the address that they were given to. */
export async function returnPendingRoles(write: Write, mergeId: number): Promise<void> {
  await sql`
    insert into pending_roles
    select waiting.* from account_merge_rows as noted
    cross join lateral jsonb_populate_record(null::pending_roles, noted.content) as waiting
    where noted.merge_id = ${mergeId} and noted.table_name = 'pending_roles'
      and exists (select from courses where courses.id = waiting.course_id)
    on conflict do nothing`.execute(write)
}

/** Deletes roles whose addresses nobody confirmed: they are strangers' until then. So are those that a list named and nobody gave. */
export async function sweepPendingRoles(db: Database): Promise<number> {
  const asked = await sweep(db, 'asked_roles', sql`asked_at < now() - ${term('pendingRoles')}`)
  return asked + (await sweep(db, 'pending_roles', sql`given_at < now() - ${term('pendingRoles')}`))
}
