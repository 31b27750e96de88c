import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { testDatabase } from '../../testing/database.ts'
import { holds } from '../../testing/properties.ts'
import { ACTS, Play } from './play-testing.ts'

/** Something that somebody does; numbers choose among what is there. */
const acts = fc.record({
  kind: fc.constantFrom(...ACTS),
  person: fc.nat({ max: 4 }),
  other: fc.nat({ max: 4 }),
  question: fc.nat({ max: 1 }),
})

test('in any order of posts, edits, deletions, reading and settings each person is told once of what they may and wish to know', async (t) => {
  const db = await testDatabase(t)
  const told = new Set<string>()
  await holds(
    fc.asyncProperty(fc.array(acts, { minLength: 30, maxLength: 60 }), async (done) => {
      const play = await Play.begin(db)
      for (const act of done) await play.perform(act)
      for (const kind of ['mail', 'week', 'mail', 'mail'])
        await play.perform({ kind, person: 0, other: 0, question: 0 })
      for (const kind of play.told.keys()) told.add(kind)
    }),
    20,
  )
  const kinds = ['accepted', 'announcement', 'answer', 'endorsed', 'promise', 'question', 'reply']
  assert.deepEqual([...told].toSorted(), kinds)
})
