import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { Kind } from '../../jobs/kind.ts'
import { auditEntryOf, recordAudit } from '../../kernel/audit/note.ts'
import { KINDS, ofEveryKind, type PostKey, withQuestion } from './kinds.ts'
import { releasePost } from './removal.ts'

/** The jobs that let through what waited only for its author to confirm their address, whose id is the key: people_release_unconfirmed adds them. */
export function releaseKind(db: Database): Kind {
  return {
    name: 'release',
    concurrency: 1,
    batch: 1,
    timeout: 60_000,
    async run([job]) {
      const { rows } = await sql<PostKey & { authorId: number }>`
        select * from (${ofEveryKind(
          (table) => sql`
          select ${sql.lit(table)} as table, post.id, post.author_id as "authorId", post.held_at from ${withQuestion(table)}
          where post.author_id = ${Number(job?.key)} and post.held_for = 'unconfirmed' and post.deleted_at is null`,
        )}) as held order by held_at, id`.execute(db)
      for (const { table, id, authorId } of rows)
        await db.transaction().execute(async (write) => {
          if (!(await releasePost(write, { table, id }, null))) return
          const released = { kind: KINDS[table].kind, id, authorId, personId: null }
          const entry = auditEntryOf('post-released', released)
          if (entry !== null) await recordAudit(write, [entry], 'forum')
        })
    },
  }
}
