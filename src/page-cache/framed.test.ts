import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aQuestionChange } from '../testing/changes.ts'
import { entityTag } from '../web/entity-tag.ts'
import { inPieces } from './framed.ts'
import { type Part, Shown } from './shown.ts'

const VOTED = aQuestionChange({ change: 'figures', votes: 1 })

/** A part that says how many changes it shows. */
function aPart(count: number): Part {
  const shown = new Shown()
  shown.add('question:7')
  return { html: `<b>${count}</b>`, shown, again: async (changes) => aPart(count + changes.length) }
}

function aPage(payload: string) {
  const shown = new Shown()
  shown.add('course:1')
  shown.part = aPart(0)
  const headers = { 'content-type': 'text/html', etag: entityTag(payload) }
  return inPieces({ answer: { statusCode: 200, headers, payload, rawPayload: Buffer.from(payload) }, shown })
}

test('a page is made again by its part, with all that it missed, and depends on both', async () => {
  const page = aPage('<p>é</p><b>0</b><p>!</p>')
  assert.deepEqual([...page.shown.subjects], ['course:1', 'question:7'])
  assert.equal(page.framed?.miss(VOTED), true)
  assert.equal(page.framed?.miss(VOTED), true)
  const second = await page.framed?.withMissed()
  assert.equal(second?.answer.payload, '<p>é</p><b>2</b><p>!</p>')
  assert.equal(second?.answer.rawPayload.toString(), second?.answer.payload)
  assert.equal(second?.answer.headers.etag, entityTag('<p>é</p><b>2</b><p>!</p>'))
  assert.deepEqual([...(second?.shown.subjects ?? [])], ['course:1', 'question:7'])
  second?.framed?.miss(VOTED)
  assert.equal((await second?.framed?.withMissed())?.answer.payload, '<p>é</p><b>3</b><p>!</p>')
})

test('a page is made as a whole after a change of what stands around its part, or after many', () => {
  assert.equal(aPage('<b>0</b>').framed?.miss({ course: 1, change: 'course' }), false)
  const { framed } = aPage('<b>0</b>')
  const missed = Array.from({ length: 60 }, () => framed?.miss(VOTED))
  assert.deepEqual([missed[0], missed.at(-1)], [true, false])
})

test('where the part stands twice or not at all, the page is made as a whole', () => {
  assert.equal(aPage('<b>0</b><b>0</b>').framed, null)
  assert.equal(aPage('<i>0</i>').framed, null)
  assert.deepEqual([...aPage('<i>0</i>').shown.subjects], ['course:1', 'question:7'])
})
