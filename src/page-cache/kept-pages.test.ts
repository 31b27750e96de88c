import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Change } from '../changes/change.ts'
import { aQuestionChange } from '../testing/changes.ts'
import { Framed } from './framed.ts'
import { type KeptPage, KeptPages, LONGEST_OLD } from './kept-pages.ts'
import { Shown } from './shown.ts'

const ANSWERED = aQuestionChange()

test('a page asked for all the time is still sent for a moment after a question on it changed', (t) => {
  const clock = stoppedClock(t)
  const { kept, page } = aKeptPage({ asks: 10 })
  clock.now += 1000
  assert.deepEqual(kept.change(ANSWERED), [{ asked: page.asked, begunAt: 0 }])
  clock.now += LONGEST_OLD
  assert.equal(kept.get('a'), page)
  clock.now += 1
  assert.equal(kept.get('a'), undefined)
})

test('a page asked for all the time is still so once somebody asked after it was made anew', (t) => {
  stoppedClock(t)
  const { kept, page } = aKeptPage({ asks: 10 })
  kept.set(page, { begunAt: 5, asking: 0, oldSince: null, framed: null })
  assert.equal(kept.get('a'), page)
  assert.equal(kept.change(ANSWERED).length, 1)
})

test('a page that nobody has asked for since it was made anew is not made again', () => {
  const { kept, page } = aKeptPage({ asks: 1000 })
  kept.set(page, { begunAt: 5, asking: 0, oldSince: null, framed: null })
  assert.deepEqual(kept.change(ANSWERED), [])
  assert.deepEqual(kept.keys(), [])
})

test('a page made anew that changed meanwhile counts as old from when it was begun', (t) => {
  const clock = stoppedClock(t)
  const { kept, page } = aKeptPage({ asks: 10 })
  kept.set(page, { begunAt: 100, asking: 0, oldSince: 100, framed: null })
  clock.now = 100 + LONGEST_OLD
  assert.equal(kept.get('a'), page)
  clock.now += 1
  assert.equal(kept.get('a'), undefined)
})

test('a page that few ask for goes at once', () => {
  const { kept } = aKeptPage({ asks: 1 })
  assert.deepEqual(kept.change(ANSWERED), [])
  assert.deepEqual(kept.keys(), [])
})

test('a page that few ask for is sent no more, but what it can be made again by stays while its frame does', () => {
  const { kept, page } = aKeptPage({ asks: 0 })
  const framed = aFramedPage()
  kept.set(page, { begunAt: 5, asking: 0, oldSince: null, framed })
  assert.deepEqual(kept.change(ANSWERED), [])
  assert.equal(kept.get('a'), undefined)
  assert.equal(kept.framed('a'), framed)
  kept.change({ course: 1, change: 'course' })
  assert.equal(kept.framed('a'), null)
  assert.deepEqual(kept.keys(), [])
})

const SHOWN_NO_MORE: Record<string, Change> = {
  'a question was deleted': { ...ANSWERED, isDeleted: true },
  'a course was changed, which may be hidden now': { course: 1, change: 'course' },
  'somebody was renamed': { person: 2, change: 'name' },
  'anything may have changed': { all: true },
}

for (const [what, change] of Object.entries(SHOWN_NO_MORE)) {
  test(`whoever asks, a page goes at once when ${what}`, () => {
    const { kept } = aKeptPage({ asks: 10 })
    assert.deepEqual(kept.change(change), [])
    assert.equal(kept.get('a'), undefined)
  })
}

test('a page whose making was begun before a moment can be told from later ones', () => {
  const { kept } = aKeptPage({ asks: 1 })
  kept.dropOlder('a', 0)
  assert.deepEqual(kept.keys(), ['a'])
  kept.dropOlder('a', 1)
  assert.deepEqual(kept.keys(), [])
})

/** A page on which are question 7 of course 1, and who wrote it: begun at 0, and asked for so often since. */
function aKeptPage({ asks }: { asks: number }) {
  const shown = new Shown()
  shown.add('question:7', 'course:1', 'name:2')
  const asked = { key: 'a', url: '/a', language: 'en', encoding: 'br', reader: null } as const
  const page: KeptPage = { asked, shown, size: 100 }
  const kept = new KeptPages<KeptPage>(100_000)
  kept.set(page, { begunAt: 0, asking: 0, oldSince: null, framed: null })
  for (let count = 0; count < asks; count += 1) assert.equal(kept.get('a'), page)
  return { kept, page }
}

/** Its rows can be made again alone; around them stands something of course 1. */
function aFramedPage(): Framed {
  const shown = new Shown()
  shown.add('course:1')
  return new Framed(
    { before: '<main>', after: '</main>', headers: {}, shown },
    { html: '<ol></ol>', shown: new Shown(), again: async () => null },
  )
}

/** Milliseconds that go by only as they are told to. */
function stoppedClock(t: TestContext): { now: number } {
  const clock = { now: 0 }
  t.mock.method(performance, 'now', () => clock.now)
  return clock
}
