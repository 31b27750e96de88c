import type { Audience, Database } from '../database/schema.ts'
import { indexQuestions } from '../forum/search/index-question.ts'

/** Changes who reads a question, as its asker or staff do. */
export async function setAudience(db: Database, id: number, audience: Audience): Promise<void> {
  await db.updateTable('questions').set({ audience }).where('id', '=', id).execute()
  await indexQuestions(db, [id])
}
