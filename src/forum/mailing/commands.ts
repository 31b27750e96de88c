import { sql } from 'kysely'
import { RHYTHMS, type Rhythm, type Write } from '../../database/schema.ts'
import { joinAnnouncement } from '../telling/announcement.ts'
import { announcementDue } from '../telling/tell-announcement.ts'
import type { Unsubscribing } from './scope.ts'

/** A person's choice of emails; choices left out stay as they are. */
export interface MailChoices {
  readonly rhythm?: Rhythm | undefined
  /** By course id; null: as `rhythm`. */
  readonly courses: ReadonlyMap<number, Rhythm | null>
  readonly mailsOff?: readonly string[] | undefined
  /** Send mail again to the address that it came back from. */
  readonly isResumed: boolean
}

/** Changes how often mail comes and of what: what waits to be mailed goes by the new settings. */
export async function saveMailChoices(write: Write, personId: number, choices: MailChoices): Promise<void> {
  const { rhythm, courses, mailsOff, isResumed } = choices
  const changed = {
    ...(rhythm !== undefined && { mail_rhythm: rhythm }),
    ...(mailsOff !== undefined && { mails_off: [...mailsOff] }),
    ...(isResumed && { mail_stopped_for: null }),
  }
  if (Object.keys(changed).length > 0)
    await write
      .updateTable('people')
      .set(changed)
      .where('id', '=', personId)
      .where('left_at', 'is', null)
      .execute()
  for (const [courseId, chosen] of courses)
    await write
      .updateTable('course_members')
      .set({ mail_rhythm: chosen })
      .where('course_id', '=', courseId)
      .where('person_id', '=', personId)
      .execute()
  await setDue(write, personId)
}

/** Ends what a link in a mail names. @returns whether the person is still here */
export async function unsubscribe(write: Write, { personId, scope }: Unsubscribing): Promise<boolean> {
  const person = await write
    .selectFrom('people')
    .select('id')
    .where('id', '=', personId)
    .where('left_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (person === undefined) return false
  if (scope.what === 'all') {
    await write.updateTable('people').set({ mail_rhythm: 'never' }).where('id', '=', personId).execute()
    await write
      .updateTable('course_members')
      .set({ mail_rhythm: null })
      .where('person_id', '=', personId)
      .execute()
  } else if (scope.what === 'week') {
    await sql`
      update people set mails_off = array_append(mails_off, 'week')
      where id = ${personId} and not 'week' = any(mails_off)`.execute(write)
  } else if (scope.what === 'course') {
    await write
      .updateTable('course_members')
      .set({ mail_rhythm: 'never' })
      .where('course_id', '=', scope.id)
      .where('person_id', '=', personId)
      .execute()
    await endFollowing(write, scope.id, personId)
  } else {
    await sql`
      insert into question_follows (question_id, person_id, level)
      select id, ${personId}::bigint, 'mute' from questions where id = ${scope.id}
      on conflict (question_id, person_id) do update set level = 'mute', instead_of_asking = false`.execute(
      write,
    )
  }
  await setDue(write, personId)
  return true
}

/** Makes mail rarer, never more frequent: by a link, without signing in. @returns the rhythm from now on */
export async function slowDown(write: Write, personId: number, rhythm: Rhythm): Promise<Rhythm> {
  const { mail_rhythm: known } = await write
    .selectFrom('people')
    .select('mail_rhythm')
    .where('id', '=', personId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  if (RHYTHMS.indexOf(rhythm) <= RHYTHMS.indexOf(known)) return known
  await write.updateTable('people').set({ mail_rhythm: rhythm }).where('id', '=', personId).execute()
  await sql`
    update course_members set mail_rhythm = null where person_id = ${personId}
      and array_position(${[...RHYTHMS]}::text[], mail_rhythm) < array_position(${[...RHYTHMS]}::text[], ${rhythm}::text)`.execute(
    write,
  )
  await setDue(write, personId)
  return rhythm
}

/** Without membership, following is all that brings mail of a public course. */
async function endFollowing(write: Write, courseId: number, personId: number): Promise<void> {
  await sql`
    update course_follows set is_followed = false
    where course_id = ${courseId} and person_id = ${personId} and is_followed`.execute(write)
  await sql`
    delete from lecture_follows using lectures
    where lectures.id = lecture_id and lectures.course_id = ${courseId} and person_id = ${personId}`.execute(
    write,
  )
}

/**
 * What waits to be mailed goes by the rhythm as it is now; what is told by no mail any more waits no longer. Kinds that are switched
 * off are left out as the mail is written: an entry may hold others.
 */
async function setDue(write: Write, personId: number): Promise<void> {
  await sql`
    update notifications as notice set due_at = chosen.due_at,
      unmailed_since = case when chosen.due_at is not null then notice.unmailed_since end
    from (
      select waiting.id, next_mail_at(coalesce(member.mail_rhythm, person.mail_rhythm),
        coalesce(person.time_zone, course.time_zone), waiting.unmailed_since) as due_at
      from notifications as waiting
      join people as person on person.id = waiting.person_id
      join questions as q on q.id = waiting.question_id
      join courses as course on course.id = q.course_id
      left join course_members as member on member.course_id = course.id and member.person_id = person.id
      where waiting.person_id = ${personId} and waiting.due_at is not null
    ) as chosen
    where notice.id = chosen.id`.execute(write)
  await sql`
    update notifications as told set due_at = null, unmailed_since = null
    from notifications as notice ${joinAnnouncement}
    where told.id = notice.id and notice.person_id = ${personId} and notice.due_at is not null
      and ${announcementDue} is null`.execute(write)
}
