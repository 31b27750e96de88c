import { isAsking, withoutSuffix } from '../../text/words/particles.ts'
import { remembered } from '../../text/words/remembered.ts'
import { piecesOf } from '../../text/words/terms.ts'
import type { AskedWords } from './queries.ts'
import { isFew, tallyOf } from './tally.ts'

const MAX_TERMS = 3
/** The value of chi-square with one degree of freedom that chance exceeds once in a hundred cases. */
const TELLING = 6.63

/**
 * The terms that set each lecture's questions apart, by log-likelihood, the most telling first. Terms are
 * those of the search; one that fewer than five people used about a lecture is left out.
 * @returns by the lecture's id
 */
export function tellingTerms(questions: readonly AskedWords[]): Map<number, string[]> {
  const uses = usesOf(questions)
  const asked = new Map(
    [...Map.groupBy(questions, ({ lectureId }) => lectureId)].map(([id, all]) => [id, all.length]),
  )
  const found = new Map<number, { term: string; score: number }[]>()
  for (const { spellings, askers } of uses.values()) {
    const all = [...askers.values()].reduce((sum, people) => sum + people.length, 0)
    for (const [lectureId, people] of askers) {
      const [here, there] = [asked.get(lectureId) ?? 0, questions.length - (asked.get(lectureId) ?? 0)]
      const score = logLikelihood(people.length, all - people.length, here, there)
      if (score < TELLING || isFew(tallyOf(people))) continue
      found.set(lectureId, [...(found.get(lectureId) ?? []), { term: mostOf(spellings), score }])
    }
  }
  return new Map([...found].map(([lectureId, terms]) => [lectureId, best(terms)]))
}

/**
 * How unlikely it is that a term is as frequent here as elsewhere: G² of Dunning, "Accurate Methods for the Statistics of
 * Surprise and Coincidence" (Computational Linguistics 19:1, 1993), in the form of Rayson and Garside, "Comparing Corpora using
 * Frequency Profiling" (2000). 0 where the term is rarer here.
 * @param usedHere questions here that use the term, of `here` @param usedThere the same elsewhere, of `there`
 */
export function logLikelihood(usedHere: number, usedThere: number, here: number, there: number): number {
  if (here === 0 || there === 0 || usedHere / here <= usedThere / there) return 0
  const rate = (usedHere + usedThere) / (here + there)
  const part = (used: number, expected: number) => (used === 0 ? 0 : used * Math.log(used / expected))
  return 2 * (part(usedHere, here * rate) + part(usedThere, there * rate))
}

/** How often each term is written how, and who used it, once per question, by the lecture. */
function usesOf(questions: readonly AskedWords[]) {
  const uses = new Map<string, { spellings: Map<string, number>; askers: Map<number, number[]> }>()
  for (const { lectureId, asker, title, tags } of questions) {
    for (const [lexeme, spelling] of wordsOf([title, ...tags].join('\n'))) {
      const use = uses.get(lexeme) ?? { spellings: new Map(), askers: new Map() }
      uses.set(lexeme, use)
      use.spellings.set(spelling, (use.spellings.get(spelling) ?? 0) + 1)
      const askers = use.askers.get(lectureId)
      if (askers === undefined) use.askers.set(lectureId, [asker])
      else askers.push(asker)
    }
  }
  return uses
}

/** The search's terms of a text, each with how it is written there. A term never spans white space. */
function wordsOf(text: string): Map<string, string> {
  const words = new Map<string, string>()
  for (const part of text.split(/\s+/)) {
    for (const [lexeme, spelling] of wordsOfPart(part)) words.set(lexeme, spelling)
  }
  return words
}

/** In scripts without spaces: words without their particle. Words recur, and taking one apart costs most of the time. */
const wordsOfPart = remembered((part): ReadonlyMap<string, string> => {
  const words = new Map<string, string>()
  for (const { whole, core, runs } of piecesOf(part)) {
    if (whole !== null) words.set(whole, core)
    for (const run of runs) {
      if (!run.isUnspaced && run.lexemes[0] !== undefined) words.set(run.lexemes[0], run.text)
      const word = withoutSuffix(run.text)
      if (run.isUnspaced && word.length > 1 && !isAsking(run.text)) words.set(word, word)
    }
  }
  return words
}, 10_000)

function mostOf(spellings: ReadonlyMap<string, number>): string {
  const [most] = [...spellings].toSorted(([, one], [, other]) => other - one)
  return most?.[0] ?? ''
}

/** Without a term that is a part of a more telling one. */
function best(terms: readonly { readonly term: string; readonly score: number }[]): string[] {
  const chosen: string[] = []
  for (const { term } of terms.toSorted((one, other) => other.score - one.score)) {
    const isNew = !chosen.some((other) => other.toLowerCase().includes(term.toLowerCase()))
    if (isNew && chosen.length < MAX_TERMS) chosen.push(term)
  }
  return chosen
}
