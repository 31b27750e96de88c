import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn } from '../testing/browser.ts'
import { aPerson, aQuestion } from '../testing/builders.ts'
import { sharedForum } from '../testing/forum.ts'
import { measured } from '../testing/processor-time.ts'
import { hostilePosts } from '../text/markdown/hostile-posts-testing.ts'
import { isLaborious, prepareMarkdown, renderMarkdown } from '../text/markdown.ts'

/** How many times the processor time of looking it up a text may take that is rendered beforehand. */
const RATIO = 5

/** A text that takes long to render: each another one. */
const laborious = (number: number) => `${`$x_${number}^2$ **a** \`b\` | `.repeat(1_200)}the end`

/** Microseconds of this thread. */
const costOf = (source: string) => measured(() => renderMarkdown(source)).microseconds

suite('long Markdown', () => {
  const forum = sharedForum()

  test('is rendered in a thread, to the same HTML, and looked up then', async () => {
    const texts = Object.values(hostilePosts).flatMap(([first = '']) => [first])
    const here = texts.map((text) => renderMarkdown(text))
    await prepareMarkdown(texts)
    assert.deepEqual(
      texts.map((text) => renderMarkdown(text)),
      here,
    )
    renderMarkdown(laborious(0))
    await prepareMarkdown([laborious(1)])
    assert.ok(costOf(laborious(1)) * RATIO < costOf(laborious(2)))
  })

  test('of forms is rendered there before a route reads it, whichever it is', async () => {
    const person = await aPerson(forum.db)
    const question = await aQuestion(forum.db, { author: person })
    const browser = await signedIn(forum.app, person)
    const sent = { answer: laborious(11), preview: laborious(12) }
    assert.ok(isLaborious(sent.answer) && sent.answer.length <= 30_000)
    const body = (text: string) => `\r\n\r\n${text}  \r\n`
    assert.equal(
      (await browser.post(`/questions/${question.id}/answers`, { body: body(sent.answer) })).statusCode,
      303,
    )
    assert.equal((await browser.post('/preview', { body: body(sent.preview) })).statusCode, 200)
    const unknown = costOf(laborious(13))
    for (const text of Object.values(sent)) assert.ok(costOf(text) * RATIO < unknown)
    const { body_html } = await forum.db.selectFrom('answers').select('body_html').executeTakeFirstOrThrow()
    assert.equal(body_html, renderMarkdown(sent.answer))
  })
})
