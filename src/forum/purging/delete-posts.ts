import { type RawBuilder, sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { type PostKey, questionIdOf } from '../posts/kinds.ts'
import { deletePost } from '../posts/removal.ts'

/** The post itself and whatever is below it. */
function partsOf({ table, id }: PostKey) {
  const none = sql`array[]::bigint[]`
  if (table === 'questions')
    return {
      questions: sql`array[${id}::bigint]`,
      answers: sql`array(select id from answers where question_id = ${id})`,
      replies: sql`array(select id from replies where question_id = ${id})`,
    }
  if (table === 'answers')
    return {
      questions: none,
      answers: sql`array[${id}::bigint]`,
      replies: sql`array(select id from replies where answer_id = ${id} and question_id = (select question_id from answers where id = ${id}))`,
    }
  return { questions: none, answers: none, replies: sql`array[${id}::bigint]` }
}

/** How much goes with a post that is removed for good, itself included, with the title of its question; null: there is no such post */
export async function findPostParts(db: Database, post: PostKey) {
  const { questions, answers, replies } = partsOf(post)
  type Part = 'questions' | 'answers' | 'replies' | 'votes' | 'pictures'
  const { rows } = await sql<{ title: string; author: string } & Readonly<Record<Part, number>>>`
    select (select title from questions where id = ${questionIdOf(post.table)}) as title, people.display_name as author,
      cardinality(${questions}) as questions, cardinality(${answers}) as answers, cardinality(${replies}) as replies,
      ((select count(*) from question_votes where question_id = any(${questions}))
        + (select count(*) from answer_votes where answer_id = any(${answers})))::integer as votes,
      (select count(*) from post_images where question_id = any(${questions}) or answer_id = any(${answers})
        or reply_id = any(${replies}))::integer as pictures
    from ${sql.table(post.table)} as post join people on people.id = post.author_id where post.id = ${post.id}`.execute(
    db,
  )
  return rows[0] ?? null
}

/**
 * Removes a post for good with whatever is below it: its rows, versions, votes, drafts of answers to it, and that it shows pictures, which
 * sweepPictures then takes. Where it came with an import, the row of the dump is remembered, so that it does not come again.
 * Nothing is left to restore. First it is deleted as if by hand, so that counters, acceptance and search are right at every moment.
 */
export async function purgePost(db: Database, post: PostKey & { readonly questionId: number }) {
  const { table, id, questionId } = post
  await db.transaction().execute((write) => deletePost(write, post))
  await db.transaction().execute(async (write) => {
    await write.selectFrom('questions').select('id').where('id', '=', questionId).forUpdate().execute()
    await deleteDrafts(write, post)
    if (table === 'questions') await releaseDuplicates(write, [id])
    await sql`delete from ${sql.table(table)} where id = ${id}`.execute(write)
  })
}

/** Questions that lead to these have answers of their own again. The trigger that says so may not change a row that goes with its own. */
export async function releaseDuplicates(write: Write, ids: readonly number[]): Promise<void> {
  const released = { duplicate_of: null, duplicate_by: null }
  if (ids.length > 0)
    await write.updateTable('questions').set(released).where('duplicate_of', 'in', ids).execute()
}

export async function deleteDrafts(write: Write, post: PostKey): Promise<void> {
  await deleteDraftsOf(write, partsOf(post))
}

/** Those of questions and of all below them. */
export async function deleteDraftsBelow(write: Write, ids: readonly number[]): Promise<void> {
  await deleteDraftsOf(write, {
    questions: sql`${ids}::bigint[]`,
    answers: sql`array(select id from answers where question_id = any(${ids}::bigint[]))`,
    replies: sql`array(select id from replies where question_id = any(${ids}::bigint[]))`,
  })
}

type Parts = Readonly<Record<'questions' | 'answers' | 'replies', RawBuilder<unknown>>>

async function deleteDraftsOf(write: Write, { questions, answers, replies }: Parts): Promise<void> {
  await sql`
    delete from drafts using (
      select '/questions/' || id || '/' || form as place
      from unnest(${questions}) as id, unnest(array['edit', 'answers', 'replies']) as form
      union all select '/answers/' || id || '/' || form
      from unnest(${answers}) as id, unnest(array['edit', 'replies']) as form
      union all select '/replies/' || id || '/edit' from unnest(${replies}) as id) as gone
    where drafts.place = gone.place`.execute(write)
}
