import { sql } from 'kysely'
import { mergedInto } from '../../database/merged-accounts.ts'
import type { Database } from '../../database/schema.ts'
import { renamedIn } from '../../text/mentions.ts'
import type { PostKey } from '../posts/kinds.ts'
import { lockEvenDeleted } from '../posts/lock.ts'
import { prepareRewriting, rewriteText } from '../posts/rewritten-text.ts'
import { indexQuestions } from '../search/index-question.ts'

/**
 * Replaces the name of somebody who leaves in all posts that mention them or did so before they were edited, and in the earlier texts of these: others typed it, but
 * as a mention of this account. Nothing else of the posts changes, nobody is told, and no history notes it.
 */
export async function unnameIn(db: Database, personId: number, formerName: string): Promise<void> {
  const change = (source: string) => renamedIn(source, personId, formerName)
  for (const post of await mentioning(db, personId)) {
    await prepareRewriting(db, post, change)
    await db.transaction().execute(async (write) => {
      await lockEvenDeleted(write, post.questionId)
      await rewriteText(write, post, change)
      await indexQuestions(write, [post.questionId])
    })
  }
}

/** An account that was merged into another is mentioned under its own number, in rows of the other. */
async function mentioning(db: Database, personId: number) {
  const became = await mergedInto(db, personId)
  const numbers = [personId, ...(became === null ? [] : [became])]
  const { rows } = await sql<PostKey & { questionId: number }>`
    select case when question_id is not null then 'questions' when answer_id is not null then 'answers'
        else 'replies' end as "table", coalesce(question_id, answer_id, reply_id) as id,
      coalesce(question_id, (select question_id from answers where id = answer_id),
        (select question_id from replies where id = reply_id)) as "questionId"
    from (select question_id, answer_id, reply_id from mentions where person_id = any(${numbers}::bigint[])
      union select question_id, answer_id, reply_id from post_versions
      where body like ${`%](person:${personId})%`}) as mentioning
    order by "questionId", "table", id`.execute(db)
  return rows
}
