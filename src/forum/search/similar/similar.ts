import { sql } from 'kysely'
import type { Database } from '../../../database/schema.ts'
import type { Actor } from '../../../kernel/rights/rights.ts'
import { type ReadableCourses, readableCourses } from '../../../kernel/rights/visibility.ts'
import { plainText } from '../../../text/plain.ts'
import { Likeness, namesIn, shareOfHangul } from '../../../text/words/likeness.ts'
import { termsOf } from '../../../text/words/terms.ts'
import { lookIn, NOTHING_BESIDE } from '../candidates.ts'
import { rankedByMeaning, wantedByMeaning } from '../embeddings/reranking.ts'
import { FoundQuestions } from '../found-questions.ts'
import { type LearnedQuestion, learnedBy } from '../learning/learned.ts'
import { NO_FILTERS } from '../query.ts'
import { tellingWeight, textRank } from '../rank.ts'
import {
  byWorth,
  floorOf,
  inOrderOfLetters,
  liftedFrom,
  nearnessOf,
  similarityWeights,
  worthOf,
  worthShowing,
} from './nearness.ts'
import { MAX_CHECKED, type SimilarTo, sourcesOf, type TellingTerms, tellingTerms } from './telling-terms.ts'

const SIZE = 5

/**
 * Questions about the same, the nearest first: those sharing the most telling words, in titles above all, and those with a
 * title like theirs. Work is bounded: candidates come by the rarest words and pairs of words, at most MAX_RANKED of them.
 * @param readable the courses the viewer may read, where they are known: `courseId` alone if there is one
 * @param questions where those that were read lately are remembered
 */
export async function findSimilar(
  db: Database,
  viewer: Actor | null,
  to: SimilarTo,
  readable: ReadableCourses | null = null,
  questions: FoundQuestions = new FoundQuestions(db, null),
) {
  const courses = readable ?? (await coursesOf(db, viewer, to))
  return shownOf(questions, await nearIn(db, to, courses, SIZE), courses)
}

/** Their ids alone, of duplicates those of the questions that answer them. */
export async function findNear(db: Database, viewer: Actor | null, to: SimilarTo, size: number) {
  const near = await nearIn(db, to, await coursesOf(db, viewer, to), size)
  return near.map(({ id, duplicateOf }) => duplicateOf ?? id)
}

function coursesOf(db: Database, viewer: Actor | null, { courseId }: SimilarTo): Promise<ReadableCourses> {
  const narrowed = courseId === null ? undefined : sql<boolean>`course.id = ${courseId}`
  return readableCourses(db, viewer, narrowed)
}

async function nearIn(db: Database, to: SimilarTo, courses: ReadableCourses, size: number) {
  const { questions, floor } = await rankSimilar(db, to, courses, wantedByMeaning(db, size))
  const compared =
    to.exceptId === null
      ? { typed: `${to.title}\n${plainText(to.body)}`, mayBePrivate: true }
      : { question: to.exceptId }
  const rank = rankedByMeaning<(typeof questions)[number]>(db, compared, courses)
  return (await rank(worthShowing(questions, floor))).slice(0, size)
}

/** What is shown of them, of a duplicate the question it is one of, if that may be read; one that was deleted meanwhile is left out. */
async function shownOf(
  questions: FoundQuestions,
  near: Awaited<ReturnType<typeof nearIn>>,
  courses: ReadableCourses,
) {
  const ids = new Set(near.flatMap(({ id, duplicateOf }) => [id, duplicateOf ?? id]))
  const found = new Map((await questions.find([...ids])).map((question) => [question.id, question]))
  const readable = new Set(courses.ids)
  return near.flatMap(({ id, duplicateOf }) => {
    const question = [found.get(duplicateOf ?? id), found.get(id)].find(
      (one) => one !== undefined && readable.has(one.course_id),
    )
    return question ?? []
  })
}

/** Up to this number of terms all candidates are ranked by all of them, else by the most telling ones first. */
const FEW_TERMS = 16
const MAX_ROUGH_TERMS = 20
/** Documents with most words in common of which the titles are compared; of Korean titles more, which share fewer words. */
const COMPARED = { latin: 100, hangul: MAX_CHECKED } as const
/** How much of a whole the words of a body are, in words of a title: few of them are in another one. */
const BODY_SHARE = 0.3
/** A title of common words alone is near nothing. */
const MIN_WHOLE = 0.2

/**
 * The nearest questions in these courses, and the rank that the first of them must have to be about the same. `duplicateOf`: the
 * question whose answers answer it, as staff confirmed: its words lead there.
 */
export async function rankSimilar(db: Database, to: SimilarTo, courses: ReadableCourses, size: number) {
  const telling = await tellingTerms(db, to, courses)
  const { terms, total } = telling
  const hangul = shareOfHangul(to.title)
  const floor = floorOf(hangul, total * courses.share)
  const compared = Math.round((1 - hangul) * COMPARED.latin + hangul * COMPARED.hangul)
  const known = terms.filter(({ count }) => count > 0)
  const isShort = known.length <= FEW_TERMS
  const whole = Math.max(
    MIN_WHOLE,
    terms
      .filter(({ isAlike }) => !isAlike)
      .reduce((sum, { weight, isOfTitle }) => sum + weight * (isOfTitle ? 1 : BODY_SHARE), 0),
  )
  const sources = await sourcesOf(db, telling, courses)
  if (sources.length === 0 || courses.ids.length === 0) return { questions: [], floor }
  const best = {
    columns: sql`q.id, q.title, q.duplicate_of, ${textRank(known, similarityWeights)} as words`,
    rank: sql<number>`words`,
    size: compared,
    ranked: isShort ? MAX_CHECKED : compared,
    exceptId: to.exceptId,
  }
  const lexemes = terms.map(({ lexeme }) => lexeme)
  // What stands beside a question is remembered until a post changes, which learning is not.
  const isTyped = to.exceptId === null
  const { hits, found: beside } = await lookIn<
    Pick<LearnedQuestion, 'id' | 'title' | 'duplicate_of'> & { words: number }
  >(
    db,
    { filters: NO_FILTERS, courses },
    sources,
    isShort ? [] : known.slice(0, MAX_ROUGH_TERMS),
    best,
    isTyped ? { ...NOTHING_BESIDE, learned: learnedBy(lexemes, courses) } : NOTHING_BESIDE,
  )
  const learned = beside.learned ?? []
  // As much in every language.
  const taught = new Map(
    learned.map(({ id, words }) => [
      id,
      terms.reduce((sum, { lexeme, weight }) => sum + weight * (words[lexeme] ?? 0), 0),
    ]),
  )
  const likeness = await titleLikeness(db)
  const likenessTo = likeness.to(to.title)
  const rare = hangul === 0 ? new Set<string>() : rareNamesIn(to.title, telling)
  const found = new Set(hits.map(({ id }) => id))
  const others = learned.filter(({ id }) => !found.has(id)).map((question) => ({ ...question, words: 0 }))
  const questions = [...hits, ...others].map(({ id, title, words, duplicate_of: duplicateOf }) => {
    const [like, share, learnt] = [likenessTo(title), words / whole, (taught.get(id) ?? 0) / whole]
    const near = nearnessOf(hangul, like, share) + learnt
    const mayBeLifted = rare.size > 0 && near < floor && near >= liftedFrom(floor)
    const rank = mayBeLifted && namesIn(title).some((name) => rare.has(name)) ? floor : near
    return { id, title, duplicateOf, rank, worth: worthOf(hangul, like, share) + learnt }
  })
  const ordered = inOrderOfLetters(questions.sort(byWorth), hangul, likeness.inOrder(to.title))
  return { questions: foldDuplicates(ordered, to.exceptId).slice(0, size), floor }
}

const RARE = 0.6

function rareNamesIn(title: string, { terms, total }: TellingTerms): ReadonlySet<string> {
  const counts = new Map(terms.map(({ lexeme, count }) => [lexeme, count]))
  const rare = namesIn(title).filter((name) => {
    const known = termsOf(name).flatMap(({ lexeme }) => counts.get(lexeme) ?? [])
    const count = Math.min(...known)
    return known.length > 0 && count > 0 && tellingWeight(count, total) >= RARE
  })
  return new Set(rare)
}

/** A question and its duplicates are one, as near as the nearest of them: so the words of each asker find it. */
function foldDuplicates<Near extends { readonly id: number; readonly duplicateOf: number | null }>(
  questions: readonly Near[],
  exceptId: number | null,
) {
  const seen = new Set<number | null>([exceptId])
  return questions.filter(({ id, duplicateOf }) => {
    const one = duplicateOf ?? id
    if (seen.has(one)) return false
    seen.add(one)
    return true
  })
}

/** The newest titles tell for some minutes how common a piece of a word is; older ones would tell the same. */
const SAMPLE = 2000
const REMEMBERED_TITLES = 2000
const SAMPLE_MS = 600_000

const samples = new WeakMap<Database, { readonly likeness: Promise<Likeness>; readonly until: number }>()

/** What titles of this forum are compared by. It decides an order only: the courses they are from don't matter. Uses index questions_written. */
function titleLikeness(db: Database): Promise<Likeness> {
  const known = samples.get(db)
  if (known !== undefined && known.until > Date.now()) return known.likeness
  const likeness = readTitles(db)
  samples.set(db, { likeness, until: Date.now() + SAMPLE_MS })
  likeness.catch(() => samples.delete(db))
  return likeness
}

async function readTitles(db: Database): Promise<Likeness> {
  const rows = await db
    .selectFrom('questions')
    .select('title')
    .where('is_listed', '=', true)
    .orderBy('written_at', 'desc')
    .orderBy('id', 'desc')
    .limit(SAMPLE)
    .execute()
  const titles = rows.map(({ title }) => title)
  return new Likeness(titles, REMEMBERED_TITLES)
}
