import { sql } from 'kysely'
import { type Addressee, writeTo } from '../../accounts/identity/letters.ts'
import type { Database, Row, Write } from '../../database/schema.ts'
import type { Kind } from '../../jobs/kind.ts'
import { enqueueDue } from '../../jobs/table.ts'
import { courseSettingsPath } from '../../web/paths.ts'
import { isOwnerEntitled, stopWebhook } from './webhook.ts'

const NAME = 'webhook-stop'
export const FORUM_WEBHOOKS = '/admin/webhooks'
export const webhooksPath = (slug: string | null) =>
  slug === null ? FORUM_WEBHOOKS : `${courseSettingsPath(slug)}/webhooks`

/** Webhooks whose owner may not have them any more, and those that stopped, of which nobody was told. */
const due = sql`select webhook.id as key, coalesce(webhook.stopped_at, webhook.created_at) as at
  from webhooks as webhook left join people as person on person.id = webhook.owner_id
  where case when webhook.stopped is null then not ${isOwnerEntitled}
    else webhook.told_at is null and webhook.stopped in ('owner', 'failing', 'gone') end`

/** The jobs that pause webhooks without an owner, and tell staff of webhooks that stopped: one for each, whose id is its key. */
export const webhookStopKind = (db: Database, { baseUrl }: { readonly baseUrl: string }): Kind => ({
  name: NAME,
  concurrency: 1,
  batch: 1,
  timeout: 30_000,
  plan: () => enqueueDue(db, NAME, due),
  run: ([job]) => db.transaction().execute((write) => tellOfStop(write, Number(job?.key), baseUrl)),
})

/** Tells once. Nothing is done where it was taken over meanwhile. */
async function tellOfStop(write: Write, id: number, baseUrl: string): Promise<void> {
  const webhook = await write
    .selectFrom('webhooks as webhook')
    .leftJoin('people as person', 'person.id', 'webhook.owner_id')
    .leftJoin('courses as course', 'course.id', 'webhook.course_id')
    .select(['webhook.owner_id', 'webhook.course_id', 'webhook.shown_address', 'webhook.stopped'])
    .select(['webhook.told_at', 'course.slug', 'course.title', 'course.language'])
    .select(isOwnerEntitled.as('isOwnerEntitled'))
    .where('webhook.id', '=', id)
    .forUpdate('webhook')
    .executeTakeFirst()
  if (webhook === undefined || webhook.told_at !== null || webhook.stopped === 'restored') return
  const stopped = webhook.stopped ?? (webhook.isOwnerEntitled ? null : 'owner')
  if (stopped === null) return
  await stopWebhook(write, id, stopped)
  const { slug, title, shown_address: address } = webhook
  const particulars = {
    path: `${webhooksPath(slug)}/${id}`,
    values: { address, course: title ?? '', place: slug === null ? 'forum' : 'course' },
  }
  const where = { baseUrl, language: webhook.language ?? 'en' } as const
  for (const person of await overseers(write, webhook, stopped))
    await writeTo(write, person, LETTERS[stopped], where, particulars)
  await write.updateTable('webhooks').set({ told_at: sql`now()` }).where('id', '=', id).execute()
}

const LETTERS = { owner: 'webhookPaused', failing: 'webhookFailing', gone: 'webhookGone' } as const

/**
 * Who can take a webhook over: instructors of the course, admins where there are none or it is the forum's; and its owner, unless they may
 * not have it.
 */
async function overseers(
  write: Write,
  { course_id: courseId, owner_id: ownerId }: Pick<Row<'webhooks'>, 'course_id' | 'owner_id'>,
  stopped: keyof typeof LETTERS,
): Promise<Addressee[]> {
  const isTold = (person: string) =>
    stopped === 'owner'
      ? sql<boolean>`${sql.ref(person)} is distinct from ${ownerId}::bigint`
      : sql<boolean>`true`
  const instructors = write
    .selectFrom('course_members as member')
    .select('member.person_id')
    .where('member.course_id', '=', courseId)
    .where('member.role', '=', 'instructor')
    .where(isTold('member.person_id'))
  const people = await write
    .selectFrom('people as person')
    .select(['person.id', 'person.email', 'person.language'])
    .where('person.email_confirmed_at', 'is not', null)
    .where(isTold('person.id'))
    .where(
      sql<boolean>`(person.id = ${ownerId}::bigint or person.id in ${instructors}
        or (person.is_admin and not exists ${instructors}))`,
    )
    .orderBy('person.id')
    .execute()
  return people.map((person) => ({ ...person, isConfirmed: true }))
}
