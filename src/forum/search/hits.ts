import { sql } from 'kysely'
import type { Database, Language } from '../../database/schema.ts'
import { unplannedIds } from '../../database/unplanned.ts'
import type { AuthorRow } from '../authors/byline.ts'
import { sealedName } from '../authors/sealed-name.ts'

/** A found question as the results show it. */
export interface HitRow extends AuthorRow {
  readonly id: number
  readonly title: string
  readonly status: 'resolved' | 'unresolved'
  readonly answers_count: number
  readonly votes_count: number
  readonly views_count: number
  readonly written_at: string
  readonly course_slug: string
  readonly course_title: string
  readonly time_zone: string
  readonly language: Language
  readonly course_id: number
  readonly tags: readonly string[]
  readonly body_html: string
  readonly is_endorsed: boolean
  readonly answers: readonly {
    readonly id: number
    readonly body_html: string
    readonly is_accepted: boolean
  }[]
  readonly replies: readonly { readonly answer_id: number | null; readonly body_html: string }[]
}

/** How many answers and replies of a thread snippets are looked for in. */
const ANSWERS = 10
const REPLIES = 20

/** These questions with the beginnings of their threads. One query. */
export async function findHits(db: Database, ids: readonly number[]): Promise<HitRow[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<HitRow>`
    select q.id, q.title, q.status, q.answers_count, q.votes_count, q.views_count, to_json(q.written_at)#>>'{}' as written_at,
      course.slug as course_slug, course.title as course_title, course.time_zone, course.language,
      course.id as course_id, q.is_anonymous, author.id as author_id,
      ${sealedName('author.display_name')} as author_name, member.role as author_role, left(q.body_html, 20000) as body_html,
      array(select (select name from tags where tags.id = own.tag_id) from question_tags as own
        where own.question_id = q.id order by own.position) as tags,
      exists (select from answers where question_id = q.id and endorsed_at is not null and is_shown) as is_endorsed,
      (select coalesce(json_agg(a), '[]') from (
        select id, left(body_html, 20000) as body_html, id is not distinct from q.accepted_answer_id as is_accepted
        from answers where question_id = q.id and is_shown
        order by id is not distinct from q.accepted_answer_id desc, votes_count desc, id limit ${ANSWERS}) as a) as answers,
      (select coalesce(json_agg(r), '[]') from (
        select answer_id, left(body_html, 5000) as body_html from replies
        where question_id = q.id and is_shown order by id limit ${REPLIES}) as r) as replies
    from questions as q
    join courses as course on course.id = q.course_id
    join people as author on author.id = q.author_id
    left join course_members as member on member.course_id = q.course_id and member.person_id = q.author_id
    where q.id = any(${unplannedIds(ids)}) and q.is_listed`.execute(db)
  return rows
}
