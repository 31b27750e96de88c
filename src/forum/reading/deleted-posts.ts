import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../kernel/rights/rights.ts'
import { type Hiding, hidingOf } from '../../kernel/rights/visibility.ts'
import type { AuthorRow } from '../authors/byline.ts'
import { sealedName } from '../authors/sealed-name.ts'
import { isUndoable } from '../posts/find.ts'

export interface DeletedNode extends AuthorRow {
  readonly kind: 'answer' | 'reply'
  readonly id: number
  readonly body_html: string
  readonly deleted_at: string
  readonly is_undoable: boolean
  /** It is held back or hidden as well. */
  readonly hiding: Hiding | null
}

/**
 * The deleted answers and replies of question `q`, latest deletion first, as JSON; none for visitors, who
 * restore nothing. Replies under an answer that is not shown come back with it and are left out.
 */
export function deletedPosts(viewer: Actor | null): RawBuilder<DeletedNode[]> {
  if (viewer === null) return sql`'[]'::json`
  return sql`(
    select coalesce(json_agg(post order by post.deleted_at desc, post.id), '[]') from (
      select 'answer' as kind, a.id, a.author_id, a.body_html, a.deleted_at, ${isUndoable('a')} as is_undoable, ${hidingOf('a')} as hiding,
        ${sealedName('people.display_name')} as author_name, null as author_role, a.is_anonymous, stand_in.number as stand_in
      from answers as a join people on people.id = a.author_id
        left join stand_ins as stand_in on stand_in.question_id = q.id and stand_in.person_id = a.author_id
      where a.question_id = q.id and a.deleted_at is not null and a.purged_at is null
      union all
      select 'reply', r.id, r.author_id, r.body_html, r.deleted_at, ${isUndoable('r')}, ${hidingOf('r')},
        ${sealedName('people.display_name')}, null, r.is_anonymous, stand_in.number
      from replies as r join people on people.id = r.author_id left join answers on answers.id = r.answer_id
        left join stand_ins as stand_in on stand_in.question_id = q.id and stand_in.person_id = r.author_id
      where r.question_id = q.id and r.deleted_at is not null and r.purged_at is null
        and answers.is_shown is not false
    ) as post)`
}
