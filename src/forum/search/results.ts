import type { Person } from '../../kernel/rights/person.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { agedMoment } from '../../messages/spoken-moment.ts'
import { languageIn } from '../../text/language.ts'
import { stateOf } from '../../text/question-state.ts'
import { SHOWN_TAGS } from '../../text/tag-name.ts'
import { occurrencesOf, standingWords } from '../../text/words/occurrences.ts'
import { answerPath, coursePath, pathWith, questionPath, tagPath } from '../../web/paths.ts'
import { badgeOf, bylineOf } from '../authors/byline.ts'
import type { facetsOf } from './candidates.ts'
import { type FoundQuestion, markedText, snippetOf } from './found-questions.ts'
import type { SearchQuery } from './query.ts'

export type ResultView = ReturnType<typeof resultView>
export type FacetView = ReturnType<typeof facetViews>[number]

/**
 * What is marked of the words of a query: whatever they are found by, and where some are missing only words that stand there.
 * `count`: how many different ones there are.
 */
export function markedWords({ groups, phrases }: SearchQuery) {
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

/**
 * One found question.
 * @param sign what public/js/openings.js sends with the opening; null: nothing is sent
 */
export function resultView(
  { t, viewer }: { readonly t: Translate; readonly viewer: Person | null },
  hit: FoundQuestion,
  words: ReturnType<typeof markedWords>['any'],
  sign: string | null,
) {
  const snippet = snippetOf(hit.posts, words.find, words.count)
  const tags = hit.tags.map((name) => ({ name, path: tagPath(name) }))
  const timeZone = viewer?.timeZone ?? hit.time_zone
  const author = bylineOf({ t, viewer }, hit, hit.course_id)
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
    // Of the answer the snippet is from; null: the question itself.
    answerPath: snippet.answerId === null ? null : answerPath(hit, snippet.answerId),
    tags: tags.slice(0, SHOWN_TAGS),
    moreTags: tags.slice(SHOWN_TAGS),
    author,
    badge: badgeOf(author, hit),
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
  facets: ReturnType<typeof facetsOf>,
) {
  const words = query.text.split(/\s+/u)
  const link = (filter: string, text: string, count: number) => {
    const isCurrent = words.includes(filter)
    const without = words.filter((word) => word !== filter).join(' ')
    const q = isCurrent ? without : `${query.text} ${filter}`.trim()
    return { text, count, isCurrent, path: pathWith('/search', { q, course }) }
  }
  const states = (['resolved', 'unresolved', 'unanswered'] as const).map((state) =>
    link(`is:${state}`, t(`search.state.${state}`), facets.states[state]),
  )
  const tags = facets.tags.map(({ name, count }) => link(`tag:${name}`, name, count))
  const courses = facets.courses.map(({ slug, title, count }) => link(`course:${slug}`, title, count))
  const isOfCourses = courses.length > 1 || courses.some(({ isCurrent }) => isCurrent)
  return [
    {
      title: t('search.facet.state'),
      links: states.filter(({ count, isCurrent }) => count > 0 || isCurrent),
    },
    { title: t('search.facet.tags'), links: tags },
    { title: t('search.facet.courses'), links: isOfCourses ? courses : [] },
  ].filter(({ links }) => links.length > 0)
}
