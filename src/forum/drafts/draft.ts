import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Database, Row, Write } from '../../database/schema.ts'
import { missed, owner, table } from '../../database/table.ts'
import { term } from '../../database/terms.ts'
import { ownPart } from '../../kernel/own-data.ts'
import { type Suspension, suspensionIn, suspensionsOfPerson } from '../../kernel/rights/person.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import { readableTo, shownTo, visibleTo } from '../../kernel/rights/visibility.ts'
import { Suspended } from '../../kernel/suspended.ts'
import { normalize } from '../../text/characters.ts'
import { mentionsAsNames } from '../../text/mentions.ts'
import { BY_AGENT, type DraftForm } from './text-form.ts'

/** How long a draft waits that is not saved again. */
const LIFE = term('drafts')
/** How long text that was posted is no draft when it comes again, such as from a page that was slow to hear of it. */
const POSTED = term('postedDrafts')
/** What a row must be to be a draft: without fields it only says what was posted. */
export const isDraft = sql<boolean>`drafts.fields <> '{}'`

export const drafts = table(
  'drafts',
  { person_id: missed(owner) },
  {
    own: {
      things: [['place']],
      // What was posted, without fields, wins over no draft.
      wins: "(mine.fields <> '{}', mine.saved_at) > (theirs.fields <> '{}', theirs.saved_at)",
      keepsChanges: true,
    },
    expired: sql`saved_at < now() - case when ${isDraft} then ${LIFE} else ${POSTED} end`,
  },
)

/** Drafts of one person, and those that agents left them: the oldest of each go first, so that an agent drives out nothing typed. */
const MAX_DRAFTS = 200

export type Draft = Pick<Row<'drafts'>, (typeof COLUMNS)[number]>

export const COLUMNS = ['id', 'place', 'fields', 'version', 'saved_at'] as const

/**
 * Saves a draft if it goes on from the one that is there: what goes on from none is another tab's. Saving twice changes nothing, nor
 * does what was just posted. @returns `isSaved` false: the newer `draft` stays; its null: that text is posted
 * @throws Suspended when it could never be posted
 */
export async function saveDraft(db: Database, draft: DraftForm & { readonly personId: number }) {
  return db.transaction().execute(async (write) => {
    await requireFuture(write, draft)
    const saved = await write
      .insertInto('drafts')
      .values({ person_id: draft.personId, place: draft.place, fields: JSON.stringify(draft.fields) })
      .onConflict((conflict) =>
        conflict
          .columns(['person_id', 'place'])
          .doUpdateSet((is) => ({
            fields: is.ref('excluded.fields'),
            version: is('drafts.version', '+', 1),
            saved_at: sql<Date>`now()`,
            posted_digest: null,
          }))
          .where(
            sql<boolean>`case when ${isDraft} then drafts.version = ${draft.version} else
              drafts.posted_digest is distinct from ${digestOf(draft.fields)} or drafts.saved_at < now() - ${POSTED} end`,
          ),
      )
      .returning(COLUMNS)
      .executeTakeFirst()
    if (saved !== undefined) {
      if (saved.version === 1) await dropOldest(write, draft.personId)
      return { isSaved: true, draft: saved }
    }
    const newer = await findDraft(write, draft.personId, draft.place)
    return { isSaved: newer === null || isSame(newer.fields, draft.fields), draft: newer }
  })
}

/** A suspension with an end leaves somebody their drafts, and lets them go on with them. @throws Suspended for good */
async function requireFuture(
  write: Write,
  { personId, place }: { readonly personId: number; readonly place: string },
): Promise<void> {
  const { rows } = await sql<{ suspensions: readonly Suspension[]; courseId: number | null }>`
    select ${suspensionsOfPerson} as suspensions, ${courseAt(sql`${place}::text`)} as "courseId"
    from people as person where person.id = ${personId}`.execute(write)
  const [{ suspensions, courseId } = { suspensions: [], courseId: null }] = rows
  const suspension = suspensionIn(suspensions, courseId)
  if (suspension?.until === null) throw new Suspended(suspension)
}

export async function deleteDraft(db: Database, personId: number, id: number): Promise<void> {
  await db.deleteFrom('drafts').where('person_id', '=', personId).where('id', '=', id).execute()
}

/**
 * Ends the draft of a form, in the transaction that posts its text.
 * @param posted its title and body; null: nothing was posted from there
 */
export async function endDraft(write: Write, personId: number, place: string, posted: Posted | null) {
  if (posted === null) {
    await write.deleteFrom('drafts').where('person_id', '=', personId).where('place', '=', place).execute()
    return
  }
  // A save that comes meanwhile waits for this row.
  const ended = { fields: '{}', posted_digest: digestOf(posted), saved_at: sql<Date>`now()` }
  await write
    .insertInto('drafts')
    .values({ person_id: personId, place, ...ended })
    .onConflict((conflict) => conflict.columns(['person_id', 'place']).doUpdateSet(ended))
    .execute()
}

type Posted = Readonly<Partial<Record<'title' | 'body', string>>>

function digestOf({ title = '', body = '' }: Posted): Buffer {
  // A name that was typed is posted as a mention (mentions/typed.ts).
  const text = [title, mentionsAsNames(body)].map((part) => normalize(part).trim())
  return createHash('sha256').update(JSON.stringify(text)).digest()
}

export async function dropOldest(write: Write, personId: number): Promise<void> {
  await sql`
    delete from drafts where id = any(array(
      select id from (select id, row_number() over (
          partition by place like ${`%${BY_AGENT}`} order by saved_at desc, id desc) as place
        from drafts where person_id = ${personId}) as placed
      where place > ${MAX_DRAFTS}))`.execute(write)
}

function isSame(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].every((name) => (one[name] ?? '') === (other[name] ?? ''))
}

/** Drafts of somebody for a course, or (null) all of them: of alias `drafts`. */
const draftsIn = (
  personId: number,
  courseId: number | null,
) => sql<boolean>`(drafts.person_id = ${personId} and ${isDraft}
  and (${courseId}::bigint is null or ${courseAt(sql`drafts.place`)} = ${courseId}::bigint))`

export const draftsCount = (personId: number, courseId: number | null) =>
  sql<number>`(select count(*) from drafts where ${draftsIn(personId, courseId)})::integer`

export async function deleteDraftsIn(write: Write, personId: number, courseId: number | null): Promise<void> {
  await write.deleteFrom('drafts').where(draftsIn(personId, courseId)).execute()
}

/**
 * What a place names: joins of `subject`, its kind and number, and of the answer or the reply that this is.
 * @param place as an expression of SQL
 */
const subjectAt = (place: RawBuilder<unknown>) => sql`
  lateral (select (regexp_match(${place}, '^/([a-z]+)/([0-9]{1,15})/'))[1] as kind,
    (regexp_match(${place}, '^/([a-z]+)/([0-9]{1,15})/'))[2]::bigint as id) as subject
  left join replies as reply on subject.kind = 'replies' and reply.id = subject.id
  left join answers as answer on subject.kind = 'answers' and answer.id = subject.id`

/** The question that it is, or is under. */
const questionAt = sql`case subject.kind when 'questions' then subject.id when 'answers' then answer.question_id
  when 'replies' then reply.question_id end`

/** The course that is named where something begins. */
const slugAt = (place: RawBuilder<unknown>) => sql`coalesce(substring(${place} from '[?]course=(.*)$'),
  substring(${place} from '^/courses/([^/]+)/announcements/'))`

/** The id of the course that a draft is for; null: of none that is there. */
const courseAt = (place: RawBuilder<unknown>) => sql<number | null>`(
  select coalesce(q.course_id, course.id, corrected.course_id) from ${subjectAt(place)}
  left join questions as q on q.id = ${questionAt}
  left join announcements as corrected on subject.kind = 'announcements' and corrected.id = subject.id
  left join courses as course on course.slug = ${slugAt(place)})`

/** A draft with what it belongs to; null: the question is deleted, or the person may not read it any more. */
type ListedDraft = Draft & {
  readonly question: string | null
  readonly course: string | null
  readonly time_zone: string | null
}

const draftsOf = (db: Database, personId: number) =>
  db.selectFrom('drafts').select(COLUMNS).where('person_id', '=', personId).where(isDraft)

/** A person's draft for one form; null: none. Uses drafts_person_place_key. */
export async function findDraft(db: Database, personId: number, place: string): Promise<Draft | null> {
  return (await draftsOf(db, personId).where('place', '=', place).executeTakeFirst()) ?? null
}

export async function findDraftById(db: Database, personId: number, id: number): Promise<Draft | null> {
  return (await draftsOf(db, personId).where('id', '=', id).executeTakeFirst()) ?? null
}

/** All drafts of a person, newest first; their number is bounded. Uses drafts_person_saved. */
export async function listDrafts(db: Database, person: Actor): Promise<ListedDraft[]> {
  const { rows } = await sql<ListedDraft>`
    select draft.id, draft.place, draft.fields, draft.version, draft.saved_at,
      about.title as question, coalesce(about.course, asked.title) as course,
      coalesce(about.time_zone, asked.time_zone) as time_zone
    from drafts as draft cross join ${subjectAt(sql`draft.place`)}
      left join lateral (
        select q.title, course.title as course, course.time_zone from questions as q join courses as course on course.id = q.course_id
        where q.id = ${questionAt} and ${shownTo(person, 'q')} and ${readableTo(person)}) as about on true
      left join lateral (
        select course.title, course.time_zone from courses as course
        where course.slug = ${slugAt(sql`draft.place`)} and ${visibleTo(person)}) as asked on true
    where draft.person_id = ${person.id} and draft.fields <> '{}'
    order by draft.saved_at desc, draft.id desc`.execute(db)
  return rows
}

export const ownDrafts = ownPart('drafts', (db, { id: personId }) =>
  db
    .selectFrom('drafts')
    .select(['place', 'fields', 'saved_at as savedAt'])
    .where('person_id', '=', personId)
    .where(isDraft)
    .orderBy('id')
    .execute(),
)
