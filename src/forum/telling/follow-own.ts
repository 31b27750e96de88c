import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'

/** A person who writes in a question follows it from then on; a question that they muted stays mute. */
export async function followOwn(write: Write, questionId: number, personId: number): Promise<void> {
  await sql`
    insert into question_follows (question_id, person_id) values (${questionId}, ${personId})
    on conflict do nothing`.execute(write)
}
