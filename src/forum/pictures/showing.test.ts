import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { act } from '../../testing/act.ts'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson, aQuestion, aReply, type MadePerson } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { deleteQuestion, restoreQuestion } from '../../testing/posts.ts'
import { setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { render as renderMarkdown } from '../../text/markdown/pipeline.ts'
import { questionPath } from '../../web/paths.ts'
import { editQuestion } from '../questions/edit-operations.ts'
import { sweepPictures } from './commands.ts'
import { picture, upload, uploaded } from './pictures-testing.ts'

suite('a picture', () => {
  const forum = sharedForum()
  const somebody = async () => signedIn(forum.app, await aPerson(forum.db))
  const statusFor = async (browser: Browser, url: string) => (await browser.get(url)).statusCode
  const forVisitors = (url: string) => statusFor(visitor(forum.app), url)
  /** Somebody who uploaded a picture. */
  async function anUploader(person?: MadePerson, alt?: string) {
    const author = person ?? (await aPerson(forum.db))
    const browser = await signedIn(forum.app, author)
    return { author, browser, ...(await uploaded(browser, alt)) }
  }
  const daysPass = (url: string) => {
    const uploaded_at = new Date(Date.now() - 25 * 3_600_000)
    return setRows(forum.db, 'images', { name: url.slice('/uploads/'.length) }, { uploaded_at })
  }

  test('of ours is shown with its size, all others are links', async () => {
    const { url } = await uploaded(await somebody())
    assert.equal(
      renderMarkdown(`![a *b*](${url})`),
      `<p><img src="${url}" alt="a b" width="30" height="20" loading="lazy" decoding="async"></p>\n`,
    )
    assert.match(renderMarkdown(`[![a](${url})](https://x.y/)`), /<a href="https:\/\/x\.y\/"[^>]*><img src=/)
    const ofOthers = ['https://x.y/uploads/z.png', `https://x.y${url}`]
    for (const other of [...ofOthers, '/uploads/x', `${url}?a`, `${url}/..`])
      assert.doesNotMatch(renderMarkdown(`![a](${other})`), /<img/, other)
  })

  test('taller than twice its width is folded, and shown as a whole by one press, without scripts', async () => {
    const { author: asker, browser, ...square } = await anUploader()
    const file = await picture(20, 41)
    const { markdown } = (await upload(browser, { file, fields: { alt: 'A log' } })).json()
    const question = await aQuestion(forum.db, { author: asker, body: `Look: ${markdown}\nIt fails.` })
    await aReply(forum.db, { question, body: `그림을 보시면 됩니다. **${markdown}**` })
    const page = (await browser.get(questionPath(question))).body
    const folded = /<details class="fold tall"><summary>Whole picture<\/summary><img [^>]*><\/details>/
    assert.match(page, new RegExp(`<p>Look: ?</p>\\s*${folded.source}\\s*<p>It fails`))
    assert.match(page, /<summary lang="en">Whole picture<\/summary><strong><img [^>]*><\/strong><\/details>/)
    assert.deepEqual(await markupMistakes(page), [])
    assert.match((await browser.post('/preview', { body: markdown })).body, /Whole picture/)
    for (const [body, html] of [
      [`- ${markdown}\n- next`, /<li>\s*<details/],
      [`|a|\n|-|\n|${markdown}|`, /<td>\s*<details/],
      [
        `[words ${markdown}](https://x.y/)`,
        /<p><a [^>]*>words <\/a><\/p>\s*<details class="fold tall"><summary><\/summary><a [^>]*><img/,
      ],
      [`# ${markdown}`, /^<details/],
      [square.markdown, /^<p><img/],
    ] as const)
      assert.match(renderMarkdown(body), html)
  })

  test('that nobody described says so wherever a post is shown, in the language of the text', async () => {
    const { author: asker, browser, url } = await anUploader(undefined, '')
    const described = await uploaded(browser, 'A red square')
    const code = '`<img src="/uploads/x" alt="" `'
    const body = `See the screenshot, which has the error: ![](${url}) ${code} ${described.markdown}`
    const question = await aQuestion(forum.db, { author: asker, body })
    await aReply(forum.db, { question, body: `그림을 보시면 됩니다. ![](${url})` })
    const page = (await browser.get(questionPath(question))).body
    assert.match(page, new RegExp(`<img src="${url}" alt="Picture without a description" `))
    assert.match(page, new RegExp(`lang="ko">\\s*<p>[^<]*<img src="${url}" alt="설명 없는 이미지" `))
    assert.match(page, /alt="A red square"/)
    assert.match(page, /alt=(?:"|&quot;){2} <\/code>/)
    assert.match((await browser.post('/preview', { body })).body, /alt="Picture without a description"/)
  })

  test('that nobody posted is its uploader’s alone; one that is posted is for who reads the post', async () => {
    const { author, browser, url, markdown } = await anUploader()
    assert.equal(await statusFor(browser, url), 200)
    assert.equal(await statusFor(await somebody(), url), 404)
    assert.equal(await forVisitors(url), 404)
    await aQuestion(forum.db, { author, body: `Look: ${markdown}` })
    assert.equal(await forVisitors(url), 200)
  })

  test('in a private course is not there for strangers, as if it were missing', async () => {
    const course = await aCourse(forum.db, { isPublic: false })
    const { author, url, markdown } = await anUploader(await aMember(forum.db, course))
    await aQuestion(forum.db, { course, author, body: markdown })
    assert.equal(await statusFor(await signedIn(forum.app, await aMember(forum.db, course)), url), 200)
    for (const stranger of [visitor(forum.app), await somebody()])
      for (const path of [url, `/uploads/${'x'.repeat(22)}-30x20`])
        assert.equal(await statusFor(stranger, path), 404)
  })

  test('in an announcement is for who reads the course, and for staff once it is edited away', async () => {
    const course = await aCourse(forum.db, { isPublic: false })
    const learner = await signedIn(forum.app, await aMember(forum.db, course))
    const assistant = await aMember(forum.db, course, 'assistant')
    const { browser: staff, url, markdown } = await anUploader(assistant)
    const text = { title: 'The blue hall', body: `It is here: ${markdown}` }
    const told = await staff.post(`/courses/${course.slug}/announcements/new`, text)
    const id = /\d+/.exec(String(told.headers.location))?.[0]
    assert.equal(await statusFor(learner, url), 200)
    assert.equal(await statusFor(await somebody(), url), 404)
    await daysPass(url)
    await sweepPictures(forum.db, forum.app.pictures)
    assert.equal(await statusFor(learner, url), 200)
    await staff.post(`/announcements/${id}/edit`, { ...text, body: 'Elsewhere.', version: 1 })
    assert.deepEqual([await statusFor(learner, url), await statusFor(staff, url)], [404, 200])
  })

  test('gives no right by being shown elsewhere by somebody else', async () => {
    const course = await aCourse(forum.db, { isPublic: false })
    const { author, url, markdown } = await anUploader(await aMember(forum.db, course))
    await aQuestion(forum.db, { course, author, body: markdown })
    await aQuestion(forum.db, { body: `Look what I found: ${markdown}` })
    assert.equal(await forVisitors(url), 404)
  })

  test('goes with its post, and comes back with it; an edit that takes it out leaves it to author and staff', async () => {
    const { author, browser, url, markdown } = await anUploader()
    const question = await aQuestion(forum.db, { author, body: markdown })
    await within(forum.db, deleteQuestion, question.id)
    assert.equal(await forVisitors(url), 404)
    await within(forum.db, restoreQuestion, question.id)
    assert.equal(await forVisitors(url), 200)
    const { id: key, title } = question
    const edit = (body: string, version: number) =>
      act(forum, editQuestion, { actor: author, key, input: { title, body, version } })
    await edit('Without it.', 1)
    assert.deepEqual([await forVisitors(url), await statusFor(browser, url)], [404, 200])
    await edit(markdown, 2)
    assert.equal(await forVisitors(url), 200)
  })

  test('stands in answers and replies too', async () => {
    const question = await aQuestion(forum.db)
    const browser = await somebody()
    for (const path of [`/questions/${question.id}/answers`, `/questions/${question.id}/replies`]) {
      const { url, markdown } = await uploaded(browser)
      await browser.post(path, { body: markdown })
      assert.equal(await forVisitors(url), 200)
      const page = await visitor(forum.app).get(questionPath(question))
      assert.ok(page.body.includes(`<img src="${url}"`))
    }
  })

  test('that no post shows goes after a day, with its files', async () => {
    const { author, browser, ...lost } = await anUploader()
    const [shown, young] = [await uploaded(browser), await uploaded(browser)]
    await aQuestion(forum.db, { author, body: shown.markdown })
    for (const { url } of [lost, shown]) await daysPass(url)
    assert.equal(await sweepPictures(forum.db, forum.app.pictures), 1)
    const left = [lost, shown, young].map(({ url }) => statusFor(browser, url))
    assert.deepEqual(await Promise.all(left), [404, 200, 200])
    assert.equal(await forum.app.pictures.get(`${lost.url.slice(9)}.webp`), null)
    assert.ok(await forum.app.pictures.get(`${shown.url.slice(9)}.webp`))
  })

  test('is named in the download of one’s own data', async () => {
    const { browser, url } = await anUploader(undefined, 'My own picture')
    const data = (await browser.get('/settings/account/data')).body
    assert.ok(data.includes(url) && data.includes('My own picture'))
  })
})
