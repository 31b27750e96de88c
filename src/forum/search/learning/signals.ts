import { createHmac, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import type { Database, Write } from '../../../database/schema.ts'
import { apart, owner, ownOf } from '../../../database/table.ts'
import { sweep, term } from '../../../database/terms.ts'
import { piecesOf } from '../../../text/words/terms.ts'
import { tellingOf, wordOf } from '../words.ts'

/** They refer to question_follows, and go with these. A merge moves them by hand. In time they fade so far that they tell nothing. */
export const askedInstead = ownOf('asked_instead', 'question_id', 'questions', {
  column: apart(owner),
  ends: true,
  expired: sql`asked_at < now() - ${term('askedInstead')}`,
})

/** Words of one search, and people of one word and question: more tell nothing more. */
const MAX_WORDS = 12
export const MAX_PEOPLE = 50
const WHO_BYTES = 16

export interface OpenedResult {
  readonly questionId: number
  readonly personId: number
  readonly subject: string
}

const DAY_MS = 24 * 3_600_000

/** The sign of a results page that showed a question to somebody on a day: it goes with what they open from it. */
export function signOfResult(
  secret: string,
  { questionId, personId, subject }: OpenedResult,
  at = Date.now(),
): string {
  const shown = ['search result', personId, questionId, Math.floor(at / DAY_MS), subject]
  return createHmac('sha256', secret).update(JSON.stringify(shown)).digest('base64url')
}

/** Whether a page of results that is at most a day old showed the question for these words to this person. */
export function isOfResult(secret: string, opening: OpenedResult, sign: string): boolean {
  const given = Buffer.from(sign)
  return [0, DAY_MS].some((age) => {
    const made = Buffer.from(signOfResult(secret, opening, Date.now() - age))
    return made.length === given.length && timingSafeEqual(made, given)
  })
}

/**
 * Notes that somebody opened a question from a search: once for each word, however often they search. Nothing is noted of one's own
 * question, nor of one that not everybody in its course reads; nor of accounts that cost nothing to make, which together would lead any
 * words anywhere: younger than a day, without a confirmed address, or neither a member of the course nor seen to write in it.
 * @param needsConfirmed false where no mail is sent: no address can be confirmed there
 */
export async function noteOpening(
  db: Database,
  { secret, needsConfirmed }: { readonly secret: string; readonly needsConfirmed: boolean },
  { questionId, personId, subject }: OpenedResult,
): Promise<void> {
  const words = typedWords(subject, MAX_WORDS).map(({ word, lexemes }) => ({
    word,
    lexemes,
    who: createHmac('sha256', secret)
      .update(`search opening ${personId} ${questionId} ${word}`)
      .digest()
      .subarray(0, WHO_BYTES)
      .toString('hex'),
  }))
  if (words.length === 0) return
  await sql`
    insert into search_openings as kept (question_id, word, who, lexemes)
    select q.id, said.word, decode(said.who, 'hex'), said.lexemes
    from jsonb_to_recordset(${JSON.stringify(words)}::jsonb) as said (word text, who text, lexemes text[])
    join questions as q on q.id = ${questionId} and q.is_listed and q.author_id <> ${personId}
    join people on people.id = ${personId} and people.joined_at < now() - interval '1 day'
      and (people.email_confirmed_at is not null or not ${needsConfirmed}::boolean)
    where (
      exists (select from course_members as member where member.course_id = q.course_id and member.person_id = people.id)
      or exists (select from questions as own where own.author_id = people.id and own.course_id = q.course_id and own.is_listed)
      or exists (
        select from answers as own join questions as thread on thread.id = own.question_id
        where own.author_id = people.id and own.is_shown and thread.course_id = q.course_id and thread.is_listed)
      or exists (
        select from replies as own join questions as thread on thread.id = own.question_id
        where own.author_id = people.id and own.is_shown and thread.course_id = q.course_id and thread.is_listed))
    and (select count(*) from search_openings as other where other.question_id = q.id and other.word = said.word) < ${MAX_PEOPLE}
    order by said.word
    on conflict (question_id, word, who) do update set opened_on = excluded.opened_on
    where kept.opened_on <> excluded.opened_on`.execute(db)
}

export function sweepOpenings(db: Database): Promise<number> {
  return sweep(db, 'search_openings', sql`opened_on < current_date - ${term('searchOpenings')}`)
}

const MAX_TITLE_WORDS = 40

/**
 * Remembers by which words somebody was asking who follows this question instead: others may find it by them. Ending the following
 * ends that. A question that not everybody in its course reads learns nothing.
 * @param title as typed
 */
export async function learnTitle(write: Write, questionId: number, personId: number, title: string) {
  const lexemes = [...new Set(typedWords(title, MAX_TITLE_WORDS).flatMap((word) => word.lexemes))]
  if (lexemes.length === 0) return
  await sql`
    insert into asked_instead (question_id, person_id, lexemes)
    select q.id, follow.person_id, ${lexemes}::text[]
    from questions as q join question_follows as follow on follow.question_id = q.id and follow.person_id = ${personId}
    where q.id = ${questionId} and q.is_listed and follow.instead_of_asking
    on conflict (question_id, person_id) do update
      set lexemes = excluded.lexemes, asked_at = excluded.asked_at`.execute(write)
}

/** Longer ones are addresses and data rather than words. */
const MAX_WORD = 60

/**
 * The different words of a text, in small letters, each with what it is searched by, without those that say nothing about its subject.
 * @param most the first of them
 */
function typedWords(text: string, most: number) {
  const words = new Map<string, readonly string[]>()
  for (const piece of piecesOf(text)) {
    if (piece.whole !== null) words.set(piece.whole, [piece.whole])
    for (const run of piece.runs) {
      const lexemes = tellingOf(run)
      if (lexemes.length > 0) words.set(wordOf(run), lexemes)
    }
  }
  return [...words]
    .filter(([word]) => [...word].length <= MAX_WORD)
    .slice(0, most)
    .map(([word, lexemes]) => ({ word, lexemes }))
}
