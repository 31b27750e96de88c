import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { Actor } from '../../rights/rights.ts'
import { readableTo, shownTo, visibleTo } from '../../rights/visibility.ts'
import { type Draft, isDraft } from './commands.ts'

/** A draft with what it belongs to; null: the question is deleted, or the person may not read it any more. */
export type ListedDraft = Draft & {
  readonly question: string | null
  readonly course: string | null
  /** Of the course. */
  readonly time_zone: string | null
}

const COLUMNS = ['id', 'place', 'fields', 'version', 'saved_at'] as const

/** A person's draft for one form; null: none. Uses drafts_person_place_key. */
export async function findDraft(db: Database, personId: number, place: string): Promise<Draft | null> {
  const draft = await db
    .selectFrom('drafts')
    .select(COLUMNS)
    .where('person_id', '=', personId)
    .where('place', '=', place)
    .where(isDraft)
    .executeTakeFirst()
  return draft ?? null
}

/** One of a person's drafts, by its number; null: not one of theirs. */
export async function findDraftById(db: Database, personId: number, id: number): Promise<Draft | null> {
  const draft = await db
    .selectFrom('drafts')
    .select(COLUMNS)
    .where('person_id', '=', personId)
    .where('id', '=', id)
    .where(isDraft)
    .executeTakeFirst()
  return draft ?? null
}

/** All drafts of a person, newest first; their number is bounded. Uses drafts_person_saved. */
export async function listDrafts(db: Database, person: Actor): Promise<ListedDraft[]> {
  const { rows } = await sql<ListedDraft>`
    select draft.id, draft.place, draft.fields, draft.version, draft.saved_at,
      about.title as question, coalesce(about.course, asked.title) as course,
      coalesce(about.time_zone, asked.time_zone) as time_zone
    from drafts as draft
      cross join lateral (select (regexp_match(draft.place, '^/([a-z]+)/([0-9]{1,15})/'))[1] as kind,
        (regexp_match(draft.place, '^/([a-z]+)/([0-9]{1,15})/'))[2]::bigint as id) as subject
      left join replies as reply on subject.kind = 'replies' and reply.id = subject.id
      left join answers as answer on subject.kind = 'answers' and answer.id = subject.id
      left join lateral (
        select q.title, course.title as course, course.time_zone from questions as q join courses as course on course.id = q.course_id
        where q.id = case subject.kind when 'questions' then subject.id when 'answers' then answer.question_id
            when 'replies' then reply.question_id end
          and ${shownTo(person, 'q')} and ${readableTo(person)}) as about on true
      left join lateral (
        select course.title, course.time_zone from courses as course
        where course.slug = coalesce(substring(draft.place from '[?]course=(.*)$'),
            substring(draft.place from '^/courses/([^/]+)/announcements/')) and ${visibleTo(person)}) as asked on true
    where draft.person_id = ${person.id} and draft.fields <> '{}'
    order by draft.saved_at desc, draft.id desc`.execute(db)
  return rows
}
