import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'

/** What a person decided as staff and still holds: endorsed, taken, linked as a duplicate, pinned; addresses alone. */
export async function ownDeskActs(db: Database, personId: number, baseUrl: string) {
  const { rows } = await sql<{ act: string; question: number; at: Date | null }>`
    select 'endorsed' as act, question_id as question, endorsed_at as at from answers where endorsed_by = ${personId}
    union all select 'taken', question_id, assigned_at from question_desk where assignee_id = ${personId}
    union all select 'linked as a duplicate', id, null from questions where duplicate_by = ${personId}
    union all select 'pinned', question_id, null from pins where pinned_by = ${personId}
    order by act, question`.execute(db)
  return rows.map(({ act, question, at }) => ({ act, address: `${baseUrl}/questions/${question}`, at }))
}
