import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { questionPath } from '../../web/paths.ts'
import { FEWEST_PEOPLE } from './cells.ts'

/** A question of the FAQ, and by which searched words people opened it. */
export interface FaqOpening {
  readonly title: string
  readonly path: string
  /** Of FEWEST_PEOPLE people or more each, the most first. */
  readonly words: readonly { readonly word: string; readonly people: number }[]
}

const MAX_QUESTIONS = 20
const MAX_WORDS = 6

/**
 * The searched words that led to questions of a course's FAQ, of as long as openings are kept. Indexes: faq_entries_listed,
 * search_openings_pkey.
 */
export async function faqOpenings(db: Database, courseId: number): Promise<FaqOpening[]> {
  const { rows } = await sql<Omit<FaqOpening, 'path'> & { id: number }>`
    select q.id, q.title, said.words
    from faq_entries as entry
    join questions as q on q.id = entry.question_id and q.is_listed
    cross join lateral (
      select jsonb_agg(jsonb_build_object('word', word, 'people', people) order by people desc, word) as words, max(people) as most
      from (
        select word, count(*) as people from search_openings where question_id = q.id
        group by word having count(*) >= ${FEWEST_PEOPLE} order by count(*) desc, word limit ${MAX_WORDS}) as one
    ) as said
    where entry.course_id = ${courseId} and entry.state = 'shown' and said.words is not null
    order by said.most desc, q.id limit ${MAX_QUESTIONS}`.execute(db)
  return rows.map(({ id, title, words }) => ({ title, path: questionPath({ id, title }), words }))
}
