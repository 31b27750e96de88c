import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../testing/properties.ts'
import { editedMentions, postedOf, regainedMentions, type ShownText, shownOf } from './shown-mentions.ts'

const KIM = '@[Kim](person:1) and @[Kim](person:2)!'

/** What is posted after a part of a shown text is replaced, with the cursor behind what was put in. */
function replaced(posted: string, start: number, end: number, by: string): ShownText {
  const before = shownOf(posted)
  const text = before.text.slice(0, start) + by + before.text.slice(end)
  return { text, mentions: editedMentions(before, text, start + by.length).mentions }
}

test('a text shows names alone, and is posted as it was', () => {
  assert.equal(shownOf(KIM).text, '@Kim and @Kim!')
  assert.equal(postedOf(shownOf(KIM)), KIM)
  const mentions = ['@[Mina 김](person:12)', '@[Jun](person:3)', '@[x](person:0)']
  const pieces = fc.constantFrom(...mentions, '@', '[Jun]', '@Jun', ' ', '\n', '\\')
  holds(
    fc.property(fc.array(pieces), (parts) => {
      const posted = parts.join('')
      assert.equal(postedOf(shownOf(posted)), posted)
    }),
    500,
  )
})

test('what is typed before, behind and between names moves them, also right behind one', () => {
  assert.equal(postedOf(replaced(KIM, 0, 0, 'Ask ')), `Ask ${KIM}`)
  assert.equal(postedOf(replaced(KIM, 4, 4, '님')), KIM.replace(') and', ')님 and'))
  assert.equal(postedOf(replaced(KIM, 4, 9, ' or ')), KIM.replace(' and ', ' or '))
})

test('a name that is changed by hand is plain text, and the other of the same name stays', () => {
  assert.equal(postedOf(replaced(KIM, 3, 4, '')), '@Ki and @[Kim](person:2)!')
  assert.equal(postedOf(replaced(KIM, 10, 11, 'J')), '@[Kim](person:1) and @Jim!')
})

test('of two same names the one that is deleted goes', () => {
  assert.equal(postedOf(replaced(KIM, 0, 9, '')), '@[Kim](person:2)!')
  assert.equal(postedOf(replaced(KIM, 4, 13, '')), '@[Kim](person:1)!')
  assert.equal(postedOf(replaced('@[Kim](person:1)@[Kim](person:2)', 0, 4, '')), '@[Kim](person:2)')
  assert.equal(postedOf(replaced('@[Kim](person:1)@[Kim](person:2)', 4, 8, '')), '@[Kim](person:1)')
})

test('marks around a selection keep the names in it', () => {
  const before = shownOf(KIM)
  const text = `> **${before.text}**`
  const { mentions } = editedMentions(before, text, text.length - 2)
  assert.equal(postedOf({ text, mentions }), `> **${KIM}**`)
})

test('an edit moves or loses a mention, and never changes the text or makes one', () => {
  const sources = fc.array(
    fc.constantFrom('@[Kim](person:1)', '@[Kim](person:2)', '@[김](person:3)', ' ', 'Kim', '@Kim'),
  )
  const edit = fc.tuple(fc.nat(40), fc.nat(6), fc.constantFrom('', 'K', '@', 'im ', '@Kim', '김'))
  holds(
    fc.property(sources, fc.array(edit, { maxLength: 6 }), (parts, edits) => {
      let shown: ShownText = shownOf(parts.join(''))
      for (const [at, length, by] of edits) {
        const start = Math.min(at, shown.text.length)
        const untouched = shown.mentions.filter(
          (mention) => mention.at + 1 + mention.name.length <= start || mention.at >= start + length,
        )
        const text = shown.text.slice(0, start) + by + shown.text.slice(start + length)
        const { mentions, lost } = editedMentions(shown, text, start + by.length)
        assert.ok(mentions.length >= untouched.length)
        assert.equal(mentions.length + lost.length, shown.mentions.length)
        shown = { text, mentions }
        for (const { at, name } of mentions) assert.ok(text.startsWith(`@${name}`, at))
        assert.equal(shownOf(postedOf(shown)).text, text)
      }
    }),
    1000,
  )
})

test('undo brings a changed name back, and typing it again does not', () => {
  const before = shownOf(KIM)
  const text = '@Ki and @Kim!'
  const { mentions, lost } = editedMentions(before, text, 3)
  const undone = editedMentions({ text, mentions }, before.text, 4)
  assert.equal(postedOf({ text: before.text, mentions: undone.mentions }), '@Kim and @[Kim](person:2)!')
  const regained = regainedMentions({ text: before.text, mentions: undone.mentions }, lost, undone)
  assert.equal(postedOf({ text: before.text, mentions: regained }), KIM)
  // Another undo, elsewhere.
  const elsewhere = { text: before.text, mentions: undone.mentions }
  assert.deepEqual(regainedMentions(elsewhere, lost, { start: 13, end: 14 }), undone.mentions)
})

test('a part of a shown text is posted with the names that are whole in it', () => {
  assert.equal(postedOf(shownOf(KIM), 0, 10), '@[Kim](person:1) and @')
})
