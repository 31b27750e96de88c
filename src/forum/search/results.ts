import type { Language } from '../../database/schema.ts'
import type { Person } from '../../kernel/rights/person.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { agedMoment } from '../../messages/spoken-moment.ts'
import { languageIn } from '../../text/language.ts'
import type { Moment } from '../../text/moment.ts'
import { type QuestionState, stateOf } from '../../text/question-state.ts'
import { SHOWN_TAGS } from '../../text/tag-name.ts'
import { type OccurrenceFinder, occurrencesOf, standingWords } from '../../text/words/occurrences.ts'
import { answerPath, coursePath, type Link, pathWith, questionPath, tagPath } from '../../web/paths.ts'
import { type Byline, bylineOf } from '../authors/byline.ts'
import type { Facets } from './candidates.ts'
import { type FoundQuestion, markedText, type Snippet, snippetOf } from './found-questions.ts'
import type { SearchQuery } from './query.ts'

/** One found question: views/search/_result.eta. */
export interface ResultView {
  /** What public/js/openings.js sends with the opening; null: nothing is sent. */
  readonly sign: string | null
  readonly path: string
  readonly title: Snippet['parts']
  readonly lang: string
  readonly snippetLang: string
  /** Of its course. */
  readonly courseLang: Language
  readonly state: QuestionState
  readonly isEndorsed: boolean
  readonly answersCount: number
  readonly votesCount: number
  readonly snippet: Snippet['parts']
  /** The answer the snippet is from; null: the question itself. */
  readonly answerPath: string | null
  /** Those that fit beside the other facts, and the others. */
  readonly tags: readonly { readonly name: string; readonly path: string }[]
  readonly moreTags: ResultView['tags']
  readonly author: Byline
  readonly course: Link
  readonly writtenAt: Moment
}

/** A way to narrow a search: a link that adds a filter's words, or takes them back. */
export interface FacetLink {
  readonly text: string
  readonly path: string
  readonly count: number
  readonly isCurrent: boolean
}

export interface FacetView {
  readonly title: string
  readonly links: readonly FacetLink[]
}

/** The words of a query that are marked: how they are found, and how many different ones there are. */
export interface MarkedWords {
  readonly find: OccurrenceFinder
  readonly count: number
}

/** What is marked of the words of a query: whatever they are found by, and where some are missing only words that stand there. */
export function markedWords({ groups, phrases }: SearchQuery): { any: MarkedWords; standing: MarkedWords } {
  const all = [...groups, ...phrases]
  const lexemes = new Set(all.flatMap((group) => [...group.lexemes, ...group.alike.flat()]))
  const inWays = all.flatMap(({ ways }) => ways.map(({ steps }) => steps))
  const begun = groups.flatMap(({ prefix }) => prefix ?? [])
  const find = occurrencesOf(lexemes, begun)
  const among = occurrencesOf(new Set([...lexemes, ...inWays.flat(2)]), begun)
  return {
    any: { find, count: lexemes.size },
    standing: { find: standingWords(among, inWays), count: lexemes.size },
  }
}

interface ResultViewing {
  readonly t: Translate
  readonly viewer: Person | null
}

export function resultView(
  { t, viewer }: ResultViewing,
  hit: FoundQuestion,
  words: MarkedWords,
  sign: string | null,
): ResultView {
  const snippet = snippetOf(hit.posts, words.find, words.count)
  const tags = hit.tags.map((name) => ({ name, path: tagPath(name) }))
  const timeZone = viewer?.timeZone ?? hit.time_zone
  return {
    sign,
    path: questionPath(hit),
    title: markedText(hit.searchableTitle, words.find),
    lang: languageIn(hit.language, hit.title),
    snippetLang: languageIn(hit.language, snippet.parts.map(({ text }) => text).join('')),
    courseLang: hit.language,
    state: stateOf(hit),
    isEndorsed: hit.is_endorsed,
    answersCount: hit.answers_count,
    votesCount: hit.votes_count,
    snippet: snippet.parts,
    answerPath: snippet.answerId === null ? null : answerPath(hit, snippet.answerId),
    tags: tags.slice(0, SHOWN_TAGS),
    moreTags: tags.slice(SHOWN_TAGS),
    author: bylineOf({ t, viewer }, hit, hit.course_id),
    course: { text: hit.course_title, path: coursePath(hit.course_slug) },
    writtenAt: agedMoment(new Date(hit.written_at), timeZone, t, new Date()),
  }
}

/**
 * Facets with their counts; each leads to the same search with its filter added, or without it when it is on.
 * @param course the one that the search was sent from, which stays
 */
export function facetViews(
  t: Translate,
  query: SearchQuery,
  course: string | null,
  facets: Facets,
): FacetView[] {
  const link = (filter: string, text: string, count: number): FacetLink => {
    const isCurrent = hasFilter(query.text, filter)
    return {
      text,
      count,
      isCurrent,
      path: pathWith('/search', {
        q: isCurrent ? withoutFilter(query.text, filter) : `${query.text} ${filter}`.trim(),
        course,
      }),
    }
  }
  const states = (['resolved', 'unresolved', 'unanswered'] as const).map((state) =>
    link(`is:${state}`, t(`search.state.${state}`), facets.states[state]),
  )
  const tags = facets.tags.map(({ name, count }) => link(`tag:${name}`, name, count))
  const courses = facets.courses.map(({ slug, title, count }) => link(`course:${slug}`, title, count))
  return [
    {
      title: t('search.facet.state'),
      links: states.filter(({ count, isCurrent }) => count > 0 || isCurrent),
    },
    { title: t('search.facet.tags'), links: tags },
    {
      title: t('search.facet.courses'),
      links: courses.length > 1 || courses.some(({ isCurrent }) => isCurrent) ? courses : [],
    },
  ].filter(({ links }) => links.length > 0)
}

function hasFilter(text: string, filter: string): boolean {
  return text.split(/\s+/u).includes(filter)
}

function withoutFilter(text: string, filter: string): string {
  return text
    .split(/\s+/u)
    .filter((word) => word !== filter)
    .join(' ')
}
