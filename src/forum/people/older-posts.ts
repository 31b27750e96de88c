import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'

/** How many of the newest questions, and answers, are left for a profile to count itself, which reads twice as many. */
const LEFT = 200

/** How long it may take to count those of one person, who wrote them all. */
const TIMEOUT = sql.lit('5min')

/**
 * Counts the older posts of people who wrote very many, by course: what becomes of one is in the next count. Their profiles are stale
 * where it changed.
 */
export async function countOlderPosts(db: Database): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    select id from people where greatest(questions_count, answers_count) > ${LEFT}
    union select person_id from course_authors where older_until is not null`.execute(db)
  for (const { id } of rows) await countOlderOf(db, id)
}

function countOlderOf(db: Database, personId: number): Promise<void> {
  return db.transaction().execute(async (write) => {
    await sql`set local statement_timeout = ${TIMEOUT}`.execute(write)
    const { numAffectedRows } = await sql`
      with until as (select greatest(
        (select written_at from questions where author_id = ${personId} and is_listed and not is_anonymous
          order by written_at desc offset ${LEFT} limit 1),
        (select written_at from answers where author_id = ${personId} and is_shown and not is_anonymous
          order by written_at desc offset ${LEFT} limit 1)) as at),
      asked as (
        select course_id, count(*) as number, sum(votes_count) as votes from questions
        where author_id = ${personId} and is_listed and not is_anonymous and written_at <= (select at from until)
        group by course_id),
      answered as (
        select q.course_id, count(*) as number, sum(a.votes_count) as votes,
          count(*) filter (where q.accepted_answer_id = a.id) as accepted,
          count(*) filter (where a.endorsed_at is not null) as endorsed
        from answers as a join questions as q on q.id = a.question_id
        where a.author_id = ${personId} and a.is_shown and not a.is_anonymous and q.is_listed
          and a.written_at <= (select at from until)
        group by q.course_id),
      counted as (
        select mine.course_id, until.at, coalesce(asked.number, 0)::integer as questions,
          coalesce(asked.votes, 0)::integer as question_votes, coalesce(answered.number, 0)::integer as answers,
          coalesce(answered.votes, 0)::integer as answer_votes, coalesce(answered.accepted, 0)::integer as accepted,
          coalesce(answered.endorsed, 0)::integer as endorsed
        from until cross join course_authors as mine left join asked using (course_id) left join answered using (course_id)
        where mine.person_id = ${personId})
      update course_authors as kept
      set older_until = counted.at, older_questions = questions, older_question_votes = question_votes,
        older_answers = answers, older_answer_votes = answer_votes, older_accepted = accepted, older_endorsed = endorsed
      from counted where kept.person_id = ${personId} and kept.course_id = counted.course_id
        and (kept.older_until, older_questions, older_question_votes, older_answers, older_answer_votes, older_accepted, older_endorsed)
          is distinct from (counted.at, questions, question_votes, answers, answer_votes, accepted, endorsed)`.execute(
      write,
    )
    if (numAffectedRows === 0n) return
    await sql`select invalidate(json_build_object('scopes', array[${`profile:${personId}`}::text]))`.execute(
      write,
    )
  })
}
