import type { Database } from '../../database/schema.ts'
import { listQuestions, type QuestionFilter, SORTS, STATUS_FILTERS } from '../../forum/reading/list.ts'
import { findQuestionTree } from '../../forum/reading/tree.ts'
import { findHits } from '../../forum/search/found-questions.ts'
import { parseQuery } from '../../forum/search/query.ts'
import { search } from '../../forum/search/search.ts'
import { findSimilar } from '../../forum/search/similar/similar.ts'
import { findTag } from '../../forum/tags/queries.ts'
import { deskMeasures } from './desk-measures.ts'
import type { Measure } from './measure.ts'
import type { Samples } from './samples.ts'

const ALL: QuestionFilter = {
  courseId: null,
  status: null,
  tagId: null,
  lectureId: null,
  authorId: null,
  isOwn: false,
  followerId: null,
  unread: null,
  written: null,
  sort: 'newest',
}
const FIRST = { after: null, before: null }
const RESULTS = 20

export function growthMeasures(db: Database, samples: Samples): Measure[] {
  const of = <Item>(items: readonly Item[], number: number): Item => {
    const item = items[number % items.length]
    if (item === undefined) throw new Error('the forum is too small to be measured')
    return item
  }
  const list = (name: string, filterOf: (number: number) => Partial<QuestionFilter>): Measure[] =>
    SORTS.map((sort) => ({
      name: `list of ${name}, ${sort}`,
      kind: 'page',
      run: (number) => listQuestions(db, null, { ...ALL, ...filterOf(number), sort }, FIRST),
    }))
  const tagged = (name: string, tags: readonly string[]): Measure[] =>
    SORTS.map((sort) => ({
      name: `tag page, ${name} tag, ${sort}`,
      kind: 'page',
      run: async (number) => {
        const tag = await findTag(db, null, of(tags, number))
        return listQuestions(db, null, { ...ALL, tagId: tag?.id ?? 0, sort }, FIRST)
      },
    }))
  const deep: Measure[] = SORTS.map((sort) => ({
    name: `page 500, ${sort}`,
    kind: 'page',
    run: (number) =>
      listQuestions(db, null, { ...ALL, sort }, { after: of(samples.deep[sort], number), before: null }),
  }))
  return [
    ...list('all', () => ({})),
    ...STATUS_FILTERS.flatMap((status) => list(status, () => ({ status }))),
    ...list('a course', (number) => ({ courseId: of(samples.courses, number) })),
    ...list('a course, unanswered', (number) => ({
      courseId: of(samples.courses, number),
      status: 'unanswered',
    })),
    ...list('a lecture', (number) => ({ lectureId: of(samples.lectures, number) })),
    ...list('an author', (number) => ({ authorId: of(samples.authors, number) })),
    ...tagged('common', samples.commonTags),
    ...tagged('rare', samples.rareTags),
    ...deep,
    {
      name: 'question page',
      kind: 'page',
      run: (number) => findQuestionTree(db, of(samples.questions, number), null, 'votes'),
    },
    ...deskMeasures(db, samples.courses, samples.questions),
    ...searches(db, samples, of),
  ]
}

function searches(
  db: Database,
  samples: Samples,
  of: <Item>(items: readonly Item[], number: number) => Item,
): Measure[] {
  const searched = (name: string, queryOf: (number: number) => string): Measure => ({
    name: `search: ${name}`,
    kind: 'search',
    run: async (number) => {
      const { hits } = await search(db, null, parseQuery(queryOf(number)))
      return findHits(
        db,
        hits.slice(0, RESULTS).map((hit) => hit.id),
      )
    },
  })
  const { rareWords, middleWords, commonWords, koreanWords, identifiers, unknownWords, titles } = samples
  const similar = (title: string, body: string) =>
    findSimilar(db, null, { title, body, tags: [], courseId: null, exceptId: null })
  return [
    searched('rare word', (number) => of(rareWords, number)),
    searched('middling word', (number) => of(middleWords, number)),
    searched('common word', (number) => of(commonWords, number)),
    searched('two common words', (number) => `${of(commonWords, number)} ${of(commonWords, number + 7)}`),
    searched('common and middling word', (number) => `${of(commonWords, number)} ${of(middleWords, number)}`),
    searched(
      'phrase of two common words',
      (number) => `"${of(commonWords, number)} ${of(commonWords, number + 7)}"`,
    ),
    searched('Korean word', (number) => of(koreanWords, number)),
    searched('two Korean words', (number) => `${of(koreanWords, number)} ${of(koreanWords, number + 1)}`),
    searched('identifier', (number) => of(identifiers, number)),
    searched('three letters', (number) => of(commonWords, number).slice(0, 3)),
    searched('common word, unanswered', (number) => `${of(commonWords, number)} is:unanswered`),
    searched(
      'common word, one month',
      (number) => `${of(commonWords, number)} written:2025-0${1 + (number % 9)}`,
    ),
    searched('no hit', (number) => of(unknownWords, number)),
    { name: 'similar, by title', kind: 'search', run: (number) => similar(of(titles, number), '') },
    {
      name: 'similar, by title and body',
      kind: 'search',
      run: (number) => similar(of(titles, number), titles.slice(number % 200, (number % 200) + 6).join('\n')),
    },
  ]
}
