import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { beginSession } from '../../accounts/sessions/sessions.ts'
import { visitor } from '../../testing/browser.ts'
import { aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { valueIn } from '../../testing/page.ts'
import { holds } from '../../testing/properties.ts'
import { rowOf } from '../../testing/rows.ts'

/** What is lost most easily: line ends at the edges, markup, composed and decomposed letters, letters beyond the first plane. */
const PIECES = [
  ...['\n', '\n\n', '  ', '\t', '<b>&amp;', '"', "'", '```js\n', '$x$', '가'],
  '가',
  'e\u0301',
  '🦊',
  '﷽',
  '\u200b',
  '%00',
]
const piece = fc.oneof(
  fc.constantFrom(...PIECES),
  fc.string({ unit: 'grapheme-ascii', maxLength: 8 }),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
)
/** A text that a post takes: not blank, and without control characters. */
const texts = fc
  .array(piece, { minLength: 1, maxLength: 12 })
  .map((pieces) => `${pieces.join('')}x`)
  .filter((text) => text.isWellFormed() && !/[\p{Cc}--[\n\t]]/v.test(text))

suite('a text', () => {
  const forum = sharedForum()

  test('is the same through signing in, a draft and posting, in Unicode’s normal form', async () => {
    const { app, db } = forum
    const { id } = await aQuestion(db)
    const action = `/questions/${id}/answers`
    await holds(
      fc.asyncProperty(texts, async (text) => {
        const same = (value: string) => assert.equal(value.normalize('NFC'), text.normalize('NFC'))
        const browser = visitor(app)
        // Browsers send line ends as CR LF.
        const sent = await browser.post(action, { body: text.replaceAll('\n', '\r\n') })
        const person = await aPerson(db)
        browser.cookies.set('session', await beginSession(db, person.id, 'a test'))
        const next = new URL(String(sent.headers.location), 'http://forum').searchParams.get('next') ?? ''
        const kept = bodyIn(await pageAt(next), action)
        same(kept)
        const saved = await browser.post('/drafts', { place: action, body: kept }, JSON_ANSWER)
        const draft = bodyIn(await pageAt(`/questions/${id}?form=answer&draft=${saved.json().id}`), action)
        same(draft)
        const posted = await browser.post(action, { body: draft.replaceAll('\n', '\r\n') })
        const answer = /#answer-(\d+)$/.exec(String(posted.headers.location))?.[1]
        const row = await rowOf(db, 'answers', Number(answer))
        // Blank lines before a text are nothing that it says.
        assert.equal(row.body, text.normalize('NFC').replace(/^(?:[ \t]*\n)+/, ''))
        assert.equal(valueIn(await pageAt(`/answers/${answer}/edit`), 'body'), row.body)

        async function pageAt(path: string): Promise<string> {
          let page = await browser.get(path.split('#')[0] ?? '')
          while (page.statusCode >= 300 && page.statusCode < 400) page = await browser.follow(page)
          return page.body
        }
      }),
      25,
    )
  })
})

const JSON_ANSWER = { headers: { accept: 'application/json' } }

/** What the form that posts to this path has typed into it, with line ends as an HTML parser reads them. */
function bodyIn(page: string, action: string): string {
  const value = valueIn(page.slice(page.indexOf(` action="${action}"`)), 'body')
  return value?.replaceAll('\r\n', '\n') ?? ''
}
