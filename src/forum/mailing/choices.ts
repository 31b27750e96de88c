import { createHmac, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import { type Database, type PushRhythm, RHYTHMS, type Rhythm, type Write } from '../../database/schema.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { openWindows } from '../telling/deliveries.ts'

/** Choices left out stay as they are. */
export interface MailChoices {
  readonly rhythm?: Rhythm | undefined
  /** By course id; null: as `rhythm`. */
  readonly courses: ReadonlyMap<number, Rhythm | null>
  readonly mailsOff?: readonly string[] | undefined
  readonly pushRhythm?: PushRhythm | undefined
  readonly pushesOff?: readonly string[] | undefined
  /** Send mail again to the address that it came back from. */
  readonly isResumed: boolean
}

/** Changes how often mail and pushes come, and of what: what waits goes by the new settings. */
export async function saveMailChoices(write: Write, personId: number, choices: MailChoices): Promise<void> {
  const { rhythm, courses, mailsOff, pushRhythm, pushesOff, isResumed } = choices
  await write
    .updateTable('people')
    .set({
      mail_rhythm: rhythm,
      mails_off: mailsOff && [...mailsOff],
      push_rhythm: pushRhythm,
      pushes_off: pushesOff && [...pushesOff],
      mail_stopped_for: isResumed ? null : sql`mail_stopped_for`,
    })
    .where('id', '=', personId)
    .where('left_at', 'is', null)
    .execute()
  await sql`
    update course_members set mail_rhythm = chosen.rhythm
    from jsonb_to_recordset(${JSON.stringify([...courses].map(([id, chosen]) => ({ id, rhythm: chosen })))}::jsonb)
      as chosen (id bigint, rhythm text)
    where course_id = chosen.id and person_id = ${personId}`.execute(write)
  await openWindows(write, [personId])
}

/** Ends what a link in a mail names, for somebody who is still here. */
export async function unsubscribe(write: Write, { personId, what, id }: Unsubscribing): Promise<void> {
  const person = await write
    .selectFrom('people')
    .select('id')
    .where('id', '=', personId)
    .where('left_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (person === undefined) return
  if (what === 'all') {
    await write.updateTable('people').set({ mail_rhythm: 'never' }).where('id', '=', personId).execute()
    await write
      .updateTable('course_members')
      .set({ mail_rhythm: null })
      .where('person_id', '=', personId)
      .execute()
  } else if (what === 'week') {
    await sql`
      update people set mails_off = array_append(mails_off, 'week')
      where id = ${personId} and not 'week' = any(mails_off)`.execute(write)
  } else if (what === 'course') {
    await write
      .updateTable('course_members')
      .set({ mail_rhythm: 'never' })
      .where('course_id', '=', id)
      .where('person_id', '=', personId)
      .execute()
    await endFollowing(write, id, personId)
  } else {
    await sql`
      insert into question_follows (question_id, person_id, level)
      select id, ${personId}::bigint, 'mute' from questions where id = ${id}
      on conflict (question_id, person_id) do update
      set level = 'mute', instead_of_asking = false`.execute(write)
  }
  await openWindows(write, [personId])
}

/** Makes mail rarer, never more frequent: by a link, without signing in. */
export async function slowDown(write: Write, personId: number, rhythm: Rhythm): Promise<void> {
  const isRarer = sql`array_position(${[...RHYTHMS]}::text[], mail_rhythm)
    < array_position(${[...RHYTHMS]}::text[], ${rhythm}::text)`
  const { rows } = await sql`
    update people set mail_rhythm = ${rhythm} where id = ${personId} and ${isRarer} returning id`.execute(
    write,
  )
  if (rows.length === 0) return
  await sql`
    update course_members set mail_rhythm = null where person_id = ${personId} and ${isRarer}`.execute(write)
  await openWindows(write, [personId])
}

/** Without membership, following is all that brings mail of a public course. */
async function endFollowing(write: Write, courseId: number, personId: number): Promise<void> {
  await sql`
    update course_follows set is_followed = false
    where course_id = ${courseId} and person_id = ${personId} and is_followed`.execute(write)
  await sql`
    delete from lecture_follows using lectures
    where lectures.id = lecture_id and lectures.course_id = ${courseId}
    and person_id = ${personId}`.execute(write)
}

export type MailSettings = Awaited<ReturnType<typeof findMailSettings>>

/** `isStaff`: of a course at least. The rhythm of a course is null where it is the person's. */
export async function findMailSettings(db: Database, personId: number) {
  const person = await db
    .selectFrom('people')
    .select(['email', 'mail_rhythm as rhythm', 'mails_off as mailsOff'])
    .select(['push_rhythm as pushRhythm', 'pushes_off as pushesOff'])
    .select(sql<boolean>`email_confirmed_at is not null`.as('isConfirmed'))
    .select(sql<boolean>`coalesce(mail_stopped_for = email, false)`.as('isStopped'))
    .select(
      sql<boolean>`exists (select from course_members where person_id = people.id and role <> 'learner')`.as(
        'isStaff',
      ),
    )
    .where('id', '=', personId)
    .executeTakeFirstOrThrow()
  const courses = await db
    .selectFrom('course_members as member')
    .innerJoin('courses as course', 'course.id', 'member.course_id')
    .select(['course.id', 'course.slug', 'course.title', 'course.language', 'member.mail_rhythm as rhythm'])
    .where('member.person_id', '=', personId)
    .orderBy(sql`lower(course.title)`)
    .orderBy('course.id')
    .limit(30)
    .execute()
  return { ...person, courses }
}

/** What a link in a mail ends: all mail of what is new, the weekly mail to staff, or what is told of one course or question. */
export const SCOPES = ['all', 'week', 'course', 'question'] as const
export type Scope = (typeof SCOPES)[number]

/** `id`: of the course or question; otherwise 0. */
export interface Unsubscribing {
  readonly personId: number
  readonly what: Scope
  readonly id: number
}

const PATTERN = /^([1-9]\d{0,14})\.(all|week|course|question)\.(0|[1-9]\d{0,14})$/

/** Names a person and what ends, signed and without an end of its own: mails are opened years later. */
export function unsubscribeToken(secret: string, { personId, what, id }: Unsubscribing): string {
  const named = `${personId}.${what}.${id}`
  return `${named}.${signatureOf(secret, named)}`
}

/** @returns null: it was made with none of these keys */
export function readUnsubscribeToken(keys: SecretKeys, token: string): Unsubscribing | null {
  const at = token.lastIndexOf('.')
  const [named, signature] = [token.slice(0, Math.max(0, at)), token.slice(at + 1)]
  const match = PATTERN.exec(named)
  if (match === null || !keys.some((secret) => isSame(signatureOf(secret, named), signature))) return null
  const [, personId, scope, id] = match
  const what = SCOPES.find((one) => one === scope)
  return what === undefined ? null : { personId: Number(personId), what, id: Number(id) }
}

function isSame(expected: string, given: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(given)]
  return one.length === other.length && timingSafeEqual(one, other)
}

function signatureOf(secret: string, named: string): string {
  return createHmac('sha256', secret).update(`unsubscribe ${named}`).digest('base64url').slice(0, 32)
}
