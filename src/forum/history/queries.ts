import { sql } from 'kysely'
import type { Database, Role } from '../../database/schema.ts'
import { type SealedName, sealedName } from '../authors/sealed-name.ts'
import { tagsOf, titleOf } from '../posts/columns.ts'
import { KINDS, type PostKey } from '../posts/kinds.ts'

/** Versions that a page lists; older ones of a post that was edited more often are reached by none. */
const MAX_VERSIONS = 200

export interface VersionRow {
  readonly version: number
  readonly is_redacted: boolean
  /** It is what the page shows. */
  readonly is_shown: boolean
  /** This and tags: of questions. */
  readonly title: string | null
  /** null: redacted, or neither the one that is shown nor the one before it: of 200 texts that would be megabytes. */
  readonly body: string | null
  readonly tags: readonly string[] | null
  readonly reason: string | null
  readonly written_at: Date
  readonly author_id: number
  readonly author_name: SealedName
  readonly author_role: Role | null
  /** The post's author, whose name classmates do not see; editors are named. */
  readonly is_anonymous: boolean
  /** The course's. */
  readonly time_zone: string
}

/**
 * All versions of a post, the present one first, with the texts of two.
 * @param wanted the version that is shown; another number: the present one; 'all': the texts of all come
 */
export async function versionsOf(db: Database, post: PostKey & { courseId: number }, wanted: number | 'all') {
  const isWanted = wanted === 'all' ? sql`true` : sql`listed.place - shown.place in (0, 1)`
  const column = sql.ref(KINDS[post.table].column)
  const { rows } = await sql<VersionRow>`
    with texts as (
      select version, title, body, tags, reason, written_by, written_at from post_versions where ${column} = ${post.id}
      union all
      select version, ${titleOf(post.table)}, body, ${tagsOf(post.table)}, edit_reason, coalesce(edited_by, author_id), coalesce(edited_at, written_at)
      from ${sql.table(post.table)} as post where id = ${post.id}
    ),
    listed as (
      select version, row_number() over (order by version desc) as place from texts order by version desc limit ${MAX_VERSIONS}
    ),
    shown as (select coalesce((select place from listed where version = ${wanted === 'all' ? 0 : wanted}), 1) as place)
    select texts.version, texts.body is null as is_redacted, listed.place = shown.place as is_shown,
      texts.title, case when ${isWanted} then texts.body end as body, texts.tags, texts.reason, texts.written_at,
      writer.id as author_id, ${sealedName('writer.display_name')} as author_name, member.role as author_role,
      post.is_anonymous and writer.id = post.author_id as is_anonymous,
      (select time_zone from courses where id = ${post.courseId})
    from texts join listed using (version) cross join shown
    join ${sql.table(post.table)} as post on post.id = ${post.id}
    join people as writer on writer.id = texts.written_by
    left join course_members as member on member.person_id = writer.id and member.course_id = ${post.courseId}
    order by texts.version desc`.execute(db)
  return rows
}
