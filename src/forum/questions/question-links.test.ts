import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { deleteQuestion } from '../../testing/posts.ts'
import { setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { render as renderMarkdown } from '../../text/markdown/pipeline.ts'
import { questionPath } from '../../web/paths.ts'
import { hidePost } from '../posts/removal.ts'
import { setResolution } from '../posts/resolution.ts'

test('#123 is a link to that question, where it stands as a word of its own', () => {
  const link = (id: number) => `<a href="/questions/${id}" rel="nofollow ugc noopener">#${id}</a>`
  assert.equal(
    renderMarkdown('See #12, (#3) and #4.'),
    `<p>See ${link(12)}, (${link(3)}) and ${link(4)}.</p>\n`,
  )
  const words = ['C#7', 'a#1', '#0', '#12a', '#fff', '&#35;', '\\#1', '`#1`', '# 1', 'https://x.y/#1']
  for (const text of [...words, '#1234567890'])
    assert.doesNotMatch(renderMarkdown(text), /href="\/questions/, text)
  assert.equal(renderMarkdown('[see #1](https://x.y/)').split('<a ').length, 2)
})

test('numbers of a post beyond the fiftieth are text', () => {
  const html = renderMarkdown(Array.from({ length: 60 }, (_, number) => `- #${number + 1}`).join('\n'))
  assert.equal(html.split('<a href="/questions/').length - 1, 50)
  assert.match(html, />#50<\/a>/)
  assert.match(html, /<li>#51<\/li>/)
})

suite('links to questions of ours', () => {
  const forum = sharedForum()
  const pageOf = async (body: string) => {
    const question = await aQuestion(forum.db, { body })
    const show = async (browser = visitor(forum.app)) => (await browser.get(questionPath(question))).body
    return { question, show }
  }
  const previewOf = async (writer: Browser, body: string) =>
    (await writer.post('/preview', { body }, { headers: { accept: 'text/html; fragment=1' } })).body

  test('say title and state, by number and by address, in question, answers and preview', async () => {
    const { db, app } = forum
    const linked = await aQuestion(db, { title: 'Why is <b> escaped?' })
    const address = `${app.config.baseUrl}${questionPath(linked)}`
    const { question, show } = await pageOf(`#${linked.id}, ${address}#answers and [my words](${address})`)
    const shown = (state: string, fragment = '') =>
      `<a href="${questionPath(linked)}${fragment}" rel="nofollow ugc noopener">#${linked.id} Why is &lt;b&gt; escaped? (${state})</a>`
    const page = await show()
    assert.ok(page.includes(shown('Unresolved')) && page.includes(shown('Unresolved', '#answers')))
    assert.match(page, />my words<\/a>/)
    await within(db, setResolution, linked.id, 'resolved')
    await anAnswer(db, { question, body: `As in #${linked.id}` })
    assert.ok((await show()).includes(`As in ${shown('Resolved')}`))
    const writer = await signedIn(app, await aPerson(db))
    assert.ok((await previewOf(writer, `#${linked.id}`)).includes(shown('Resolved')))
  })

  test('tell nobody of a question that they may not read, that is private, hidden or deleted: its number is text', async () => {
    const { db, app } = forum
    const hidden = await aCourse(db, { isPublic: false })
    const secret = await aQuestion(db, { course: hidden, title: 'A secret title' })
    const personal = await aQuestion(db, { title: 'A private title', audience: 'staff' })
    const gone = await aQuestion(db, { title: 'A gone title' })
    await within(db, deleteQuestion, gone.id)
    const veiled = await aQuestion(db, { course: hidden, title: 'A hidden title' })
    await within(db, hidePost, { table: 'questions', id: veiled.id })
    const text = `#${secret.id} #${personal.id} #${gone.id} #${veiled.id} #999999999`
    const { show } = await pageOf(text)
    for (const browser of [visitor(app), await signedIn(app, await aPerson(db))])
      assert.match(await show(browser), new RegExp(`<p>${text}</p>`))
    const member = await signedIn(app, await aMember(db, hidden, 'learner'))
    for (const page of [await show(member), await previewOf(member, text)]) {
      assert.match(page, /A secret title/)
      assert.doesNotMatch(page, /A private title|A gone title|A hidden title/)
    }
  })

  test('say fifty titles of a post at most, however many an older version of the forum has stored', async () => {
    const { db } = forum
    const linked = await aQuestion(db, { title: 'Said fifty times' })
    const { question, show } = await pageOf('Links.')
    const link = `<a href="/questions/${linked.id}" rel="nofollow ugc noopener">#${linked.id}</a>`
    await setRows(db, 'questions', question.id, { body_html: `<p>${`${link} `.repeat(60)}</p>` })
    const page = await show()
    assert.equal(page.split(`>#${linked.id} Said fifty times (`).length - 1, 50)
    assert.ok(page.includes(` #${linked.id} #${linked.id} `), 'the rest is text')
  })

  test('of other sites stay as they are', async () => {
    const linked = await aQuestion(forum.db)
    const { show } = await pageOf(`https://x.y/questions/${linked.id}`)
    assert.match(await show(), new RegExp(`>https://x\\.y/questions/${linked.id}</a>`))
  })
})
