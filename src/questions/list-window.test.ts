import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { QuestionChange } from '../changes/change.ts'
import { isBelow, isListed, placeOf } from '../page-cache/concerns.ts'
import { holds } from '../testing/properties.ts'
import { PAGE_SIZE, SORTS } from './list.ts'
import { NEWEST } from './list-filter.ts'
import { type ListWindow, windowAfter } from './list-window.ts'

/** Questions as they stand now, with values that are often equal; course 2 is nobody's to read. */
const aQuestion = fc.record({
  course: fc.constantFrom<number>(1, 1, 1, 2),
  state: fc.constantFrom<number>(0, 0, 0, 3),
  isDeleted: fc.constantFrom(false, false, false, true),
  tags: fc.subarray([5, 6]),
  written: fc.nat(8),
  active: fc.nat(8),
  votes: fc.integer({ min: -3, max: 3 }),
  views: fc.nat(8),
})
const aFilter = fc.record({
  sort: fc.constantFrom(...SORTS),
  tagId: fc.constantFrom(null, 5),
  states: fc.constantFrom(null, [0], [0, 3]),
  above: fc.option(
    fc.record({ value: fc.integer({ min: 3, max: 8 }), id: fc.nat(60) }, { noNullPrototype: true }),
  ),
})
/** Of some thirty questions, a page may hold all or some. */
const forums = fc.array(aQuestion, { minLength: 1, maxLength: 45 })
const changes = fc.array(fc.tuple(fc.nat(44), aQuestion, fc.boolean()), { minLength: 1, maxLength: 8 })

test('a page after changes is the one that would be read then, or is said not to be known', () => {
  let known = 0
  const property = fc.property(forums, changes, aFilter, (questions, acts, { above, states, ...wanted }) => {
    const list = { filter: { ...NEWEST, ...wanted }, states, above }
    const now = questions.map((question, id) => changeOf(id, question))
    let window: ListWindow | null = read(list, now)
    for (const [number, question, isOfFigures] of acts) {
      const before = now[number]
      if (window === null || window.places.length === 0) return
      const id = Math.min(number, now.length)
      now[id] = isOfFigures && before !== undefined ? withFigures(before, question) : changeOf(id, question)
      window = windowAfter(window, now[id], now[id].course === 1)
      if (window === null) return
      assert.deepEqual(window, read(list, now))
      known += 1
    }
  })
  holds(property, 1500)
  assert.ok(known > 1000, `only ${known} were known`)
})

test('a page that loses a question is known where the list ends on it, and else is not', () => {
  const list = { filter: NEWEST, states: null, above: null }
  const questions = Array.from({ length: PAGE_SIZE + 1 }, (_, id) =>
    changeOf(id, { ...A_QUESTION, written: id }),
  )
  const gone = changeOf(3, { ...A_QUESTION, state: 2, isDeleted: true })
  assert.equal(windowAfter(read(list, questions), gone, true), null)
  const few = windowAfter(read(list, questions.slice(0, 5)), gone, true)
  assert.deepEqual(
    few?.places.map(({ id }) => id),
    [4, 2, 1, 0],
  )
})

type Question = typeof aQuestion extends fc.Arbitrary<infer Value> ? Value : never
const A_QUESTION: Question = {
  course: 1,
  state: 0,
  isDeleted: false,
  tags: [],
  written: 0,
  active: 0,
  votes: 0,
  views: 0,
}

function changeOf(id: number, { written, active, ...rest }: Question): QuestionChange {
  const times = { writtenAt: written, activeAt: active }
  return {
    question: id,
    change: 'posts',
    lecture: null,
    author: 9,
    answers: 0,
    writers: [9],
    ...times,
    ...rest,
  }
}

/** Votes and views alone, as they change most often. */
function withFigures(before: QuestionChange, { votes, views }: Question): QuestionChange {
  return { ...before, change: 'figures', votes, views }
}

/** What a query would find. */
function read(
  list: Pick<ListWindow, 'filter' | 'states' | 'above'>,
  questions: readonly QuestionChange[],
): ListWindow {
  const { above, filter } = list
  const places = questions
    .filter((question) => question.course === 1 && isListed(question, list))
    .map((question) => ({
      ...placeOf(question, filter.sort),
      author: question.author,
      course: question.course,
    }))
    .filter((place) => above === null || isBelow(place, above))
    .sort((one, other) => (isBelow(one, other) ? 1 : -1))
    .slice(0, PAGE_SIZE + 1)
  const next = places[PAGE_SIZE]
  return { ...list, below: next === undefined ? null : { value: next.value, id: next.id }, places }
}
