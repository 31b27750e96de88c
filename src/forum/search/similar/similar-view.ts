import { sql } from 'kysely'
import type { Database } from '../../../database/schema.ts'
import type { Actor } from '../../../kernel/rights/rights.ts'
import { shortened } from '../../../text/characters.ts'
import { languageIn } from '../../../text/language.ts'
import { plainText } from '../../../text/plain.ts'
import { questionPath } from '../../../web/paths.ts'
import type { FoundQuestion } from '../found-questions.ts'

export type SimilarView = ReturnType<typeof similarViews>[number]

/** Characters of an answer that are looked at, and shown. */
const MAX_ANSWER = 2000
const LENGTH = 160

/** Similar questions, ready to show, with first lines of the accepted answer, else of the best: views/search/_similar.eta and public/js/similar.js. */
export function similarViews(questions: readonly FoundQuestion[], viewer: Actor | null) {
  return questions.map(({ id, title, status, language, answers_count: answersCount, author_id, posts }) => {
    const best = answersCount === 0 ? undefined : posts.find(({ answerId }) => answerId !== null)
    const answer = best?.text.text.slice(0, MAX_ANSWER) ?? null
    return {
      id,
      title,
      lang: languageIn(language, title),
      answerLang: answer === null ? null : languageIn(language, answer),
      path: questionPath({ id, title }),
      isResolved: status === 'resolved',
      answersCount,
      answer: answer === null ? null : firstLines(answer),
      // Where "this answers mine" is posted, or "same question here" while nobody has answered it. One's own answers nothing.
      followPath:
        author_id === viewer?.id
          ? null
          : `/questions/${id}/following?instead=${answer === null ? 'same' : '1'}`,
    }
  })
}

const firstLines = (text: string) => shortened(text.replace(/\s+/gu, ' ').trim(), LENGTH)

/**
 * Which of these, nearest first, were asked before and are answered, with first lines of the accepted answer, else an endorsed
 * one, else the best. Only questions that everyone reads in the course.
 */
export async function earlierAnswered(db: Database, ids: readonly number[], toId: number, size: number) {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: number; title: string; html: string }>`
    select q.id, q.title, answer.html
    from questions as q
    join questions as later on later.id = ${toId} and later.course_id = q.course_id
      and (q.written_at, q.id) < (later.written_at, later.id)
    cross join lateral (
      select left(body_html, 2000) as html from answers
      where question_id = q.id and is_shown
      order by id is not distinct from q.accepted_answer_id desc, endorsed_at is null, votes_count desc, id limit 1
    ) as answer
    where q.id = any(${ids}::bigint[]) and q.is_listed
    order by array_position(${ids}::bigint[], q.id) limit ${size}`.execute(db)
  return rows.map(({ id, title, html }) => ({ id, title, answer: firstLines(plainText(html)) }))
}
