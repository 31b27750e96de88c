import { type RawBuilder, sql } from 'kysely'
import { UNDO_HOURS } from '../../rights/rights.ts'

/** Whether the author of a post deleted it, less than UNDO_HOURS ago. @param post its table's alias */
export function isUndoable(post: 'q' | 'a' | 'r'): RawBuilder<boolean> {
  const [deletedBy, authorId, deletedAt] = ['deleted_by', 'author_id', 'deleted_at'].map((column) =>
    sql.ref(`${post}.${column}`),
  )
  return sql<boolean>`coalesce(
    ${deletedBy} = ${authorId} and ${deletedAt} > now() - make_interval(hours => ${UNDO_HOURS}::integer), false)`
}
