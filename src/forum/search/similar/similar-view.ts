import { sql } from 'kysely'
import type { Database } from '../../../database/schema.ts'
import type { Actor } from '../../../kernel/rights/rights.ts'
import { languageIn } from '../../../text/language.ts'
import { plainText } from '../../../text/plain.ts'
import { questionPath } from '../../../web/paths.ts'
import type { SimilarQuestion } from './similar.ts'

/** A similar question, ready to show: views/search/_similar.eta and public/js/similar.js. */
export interface SimilarView {
  readonly id: number
  readonly title: string
  /** For the lang attributes of title and answer. */
  readonly lang: string
  readonly answerLang: string | null
  readonly path: string
  readonly isResolved: boolean
  readonly answersCount: number
  /** The first lines of its accepted or best answer; null without one. */
  readonly answer: string | null
  /** Where "this answers mine" is posted, or "same question here" while nobody has answered it; null for the viewer's own question, which answers nothing. */
  readonly followPath: string | null
}

const LENGTH = 160

export function similarViews(questions: readonly SimilarQuestion[], viewer: Actor | null): SimilarView[] {
  return questions.map((question) => similarView(question, viewer))
}

function similarView(question: SimilarQuestion, viewer: Actor | null): SimilarView {
  return {
    id: question.id,
    title: question.title,
    lang: languageIn(question.language, question.title),
    answerLang: question.answer === null ? null : languageIn(question.language, question.answer),
    path: questionPath(question),
    isResolved: question.status === 'resolved',
    answersCount: question.answersCount,
    answer: question.answer === null ? null : firstLines(question.answer),
    followPath:
      question.authorId === viewer?.id
        ? null
        : `/questions/${question.id}/following?instead=${question.answer === null ? 'same' : '1'}`,
  }
}

function firstLines(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim()
  const characters = [...line]
  return characters.length <= LENGTH ? line : `${characters.slice(0, LENGTH).join('').trimEnd()}…`
}

export interface EarlierAnswered {
  readonly id: number
  readonly title: string
  /** The first lines of its accepted answer, else of an endorsed one, else of its best one. */
  readonly answer: string
}

/**
 * Which of these questions were asked before another one of their course and are answered, in their order. Only questions that everyone
 * reads in the course.
 * @param ids the nearest first
 */
export async function earlierAnswered(
  db: Database,
  ids: readonly number[],
  toId: number,
  size: number,
): Promise<EarlierAnswered[]> {
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
