import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { setRows } from '../../testing/rows.ts'
import { render as renderMarkdown } from '../../text/markdown/pipeline.ts'
import { questionPath } from '../../web/paths.ts'
import { sweepPictures } from './commands.ts'
import { picture, upload, uploaded } from './pictures-testing.ts'

suite('a picture', () => {
  const forum = sharedForum()
  const somebody = async () => signedIn(forum.app, await aPerson(forum.db))
  const statusFor = async (browser: Browser, url: string) => (await browser.get(url)).statusCode

  test('of ours is shown with its size, all others are links', async () => {
    const { url } = await uploaded(await somebody())
    assert.equal(
      renderMarkdown(`![a *b*](${url})`),
      `<p><img src="${url}" alt="a b" width="30" height="20" loading="lazy" decoding="async"></p>\n`,
    )
    assert.match(renderMarkdown(`[![a](${url})](https://x.y/)`), /<a href="https:\/\/x\.y\/"[^>]*><img src=/)
    for (const other of [
      'https://x.y/uploads/z.png',
      '/uploads/x',
      `${url}?a`,
      `https://x.y${url}`,
      `${url}/..`,
    ])
      assert.doesNotMatch(renderMarkdown(`![a](${other})`), /<img/, other)
  })

  test('taller than twice its width is folded, and shown as a whole by one press, without scripts', async () => {
    const asker = await aPerson(forum.db)
    const browser = await signedIn(forum.app, asker)
    const { markdown } = (
      await upload(browser, { file: await picture(20, 41), fields: { alt: 'A log' } })
    ).json()
    const question = await aQuestion(forum.db, { author: asker, body: `Look: ${markdown}\nIt fails.` })
    await aReply(forum.db, { question, body: `그림을 보시면 됩니다. **${markdown}**` })
    const page = (await browser.get(questionPath(question))).body
    assert.match(
      page,
      /<p>Look: ?<\/p>\s*<details class="fold tall"><summary>Whole picture<\/summary><img [^>]*><\/details>\s*<p>It fails/,
    )
    assert.match(page, /<summary lang="en">Whole picture<\/summary><strong><img [^>]*><\/strong><\/details>/)
    assert.deepEqual(await markupMistakes(page), [])
    assert.match((await browser.post('/preview', { body: markdown })).body, /Whole picture/)
    const square = await uploaded(browser)
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
    const asker = await aPerson(forum.db)
    const browser = await signedIn(forum.app, asker)
    const [{ url }, described] = [await uploaded(browser, ''), await uploaded(browser, 'A red square')]
    const body = `See the screenshot, which has the error: ![](${url}) \`<img src="/uploads/x" alt="" \` ${described.markdown}`
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
    const asker = await aPerson(forum.db)
    const browser = await signedIn(forum.app, asker)
    const { url, markdown } = await uploaded(browser)
    assert.equal(await statusFor(browser, url), 200)
    assert.equal(await statusFor(await somebody(), url), 404)
    assert.equal(await statusFor(visitor(forum.app), url), 404)
    await aQuestion(forum.db, { author: asker, body: `Look: ${markdown}` })
    assert.equal(await statusFor(visitor(forum.app), url), 200)
  })

  test('in a private course is not there for strangers, as if it were missing', async () => {
    const course = await aCourse(forum.db, { isPublic: false })
    const [member, other] = [await aPerson(forum.db), await aPerson(forum.db)]
    await aMember(forum.db, course, 'learner', member)
    await aMember(forum.db, course, 'learner', other)
    const { url, markdown } = await uploaded(await signedIn(forum.app, member))
    await aQuestion(forum.db, { course, author: member, body: markdown })
    assert.equal(await statusFor(await signedIn(forum.app, other), url), 200)
    for (const stranger of [visitor(forum.app), await somebody()]) {
      const answers = [await stranger.get(url), await stranger.get(`/uploads/${'x'.repeat(22)}-30x20`)]
      assert.deepEqual(
        answers.map(({ statusCode }) => statusCode),
        [404, 404],
      )
    }
  })

  test('in an announcement is for who reads the course, and for staff once it is edited away', async () => {
    const course = await aCourse(forum.db, { isPublic: false })
    const learner = await signedIn(forum.app, await aMember(forum.db, course))
    const staff = await signedIn(forum.app, await aMember(forum.db, course, 'assistant'))
    const { url, markdown } = await uploaded(staff)
    const text = { title: 'The blue hall', body: `It is here: ${markdown}` }
    const told = await staff.post(`/courses/${course.slug}/announcements/new`, text)
    const id = /\d+/.exec(String(told.headers.location))?.[0]
    assert.equal(await statusFor(learner, url), 200)
    assert.equal(await statusFor(await somebody(), url), 404)
    await sql`update images set uploaded_at = now() - interval '2 days'`.execute(forum.db)
    await sweepPictures(forum.db, forum.app.pictures)
    assert.equal(await statusFor(learner, url), 200)
    await staff.post(`/announcements/${id}/edit`, { ...text, body: 'Elsewhere.', version: 1 })
    assert.deepEqual([await statusFor(learner, url), await statusFor(staff, url)], [404, 200])
  })

  test('gives no right by being shown elsewhere by somebody else', async () => {
    const course = await aCourse(forum.db, { isPublic: false })
    const member = await aPerson(forum.db)
    await aMember(forum.db, course, 'learner', member)
    const { url, markdown } = await uploaded(await signedIn(forum.app, member))
    await aQuestion(forum.db, { course, author: member, body: markdown })
    await aQuestion(forum.db, { body: `Look what I found: ${markdown}` })
    assert.equal(await statusFor(visitor(forum.app), url), 404)
  })

  test('goes with its post, and comes back with it; an edit that takes it out leaves it to author and staff', async () => {
    const asker = await aPerson(forum.db)
    const browser = await signedIn(forum.app, asker)
    const { url, markdown } = await uploaded(browser)
    const question = await aQuestion(forum.db, { author: asker, body: markdown })
    await browser.post(`/questions/${question.id}/delete`)
    assert.equal(await statusFor(visitor(forum.app), url), 404)
    await browser.post(`/questions/${question.id}/restoration`)
    assert.equal(await statusFor(visitor(forum.app), url), 200)
    const edited = { title: question.title, body: 'Without it.', tags: '', version: 1 }
    await browser.post(`/questions/${question.id}/edit`, edited)
    assert.equal(await statusFor(visitor(forum.app), url), 404)
    assert.equal(await statusFor(browser, url), 200)
    await browser.post(`/questions/${question.id}/edit`, { ...edited, body: markdown, version: 2 })
    assert.equal(await statusFor(visitor(forum.app), url), 200)
  })

  test('stands in answers and replies too', async () => {
    const question = await aQuestion(forum.db)
    const browser = await somebody()
    for (const path of [`/questions/${question.id}/answers`, `/questions/${question.id}/replies`]) {
      const { url, markdown } = await uploaded(browser)
      assert.equal((await browser.post(path, { body: markdown })).statusCode, 303)
      assert.equal(await statusFor(visitor(forum.app), url), 200)
      assert.match(
        (await visitor(forum.app).get(questionPath(question))).body,
        new RegExp(`<img src="${url}"`),
      )
    }
  })

  test('that no post shows goes after a day, with its files', async () => {
    const person = await aPerson(forum.db)
    const browser = await signedIn(forum.app, person)
    const [lost, shown, young] = [await uploaded(browser), await uploaded(browser), await uploaded(browser)]
    await aQuestion(forum.db, { author: person, body: shown.markdown })
    for (const { url } of [lost, shown]) await age(forum.db, url)
    assert.equal(await sweepPictures(forum.db, forum.app.pictures), 1)
    assert.deepEqual(
      [
        await statusFor(browser, lost.url),
        await statusFor(browser, shown.url),
        await statusFor(browser, young.url),
      ],
      [404, 200, 200],
    )
    assert.equal(await forum.app.pictures.get(`${lost.url.slice(9)}.webp`), null)
    assert.ok(await forum.app.pictures.get(`${shown.url.slice(9)}.webp`))
  })

  test('is named in the download of one’s own data', async () => {
    const browser = await somebody()
    const { url } = await uploaded(browser, 'My own picture')
    const data = (await browser.get('/settings/account/data')).body
    assert.ok(data.includes(url) && data.includes('My own picture'))
  })
})

test('files are written whole or not at all, below their folder', async (t) => {
  const { fileStore } = await import('./store.ts')
  const folder = await mkdtemp(join(tmpdir(), 'handup-pictures-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const store = fileStore(folder)
  await store.put('abc.webp', Buffer.from('1'))
  assert.deepEqual(readdirSync(join(folder, 'ab')), ['abc.webp'])
  assert.equal(String(await store.get('abc.webp')), '1')
  await store.remove('abc.webp')
  await store.remove('abc.webp')
  assert.equal(await store.get('abc.webp'), null)
  assert.ok(existsSync(folder))
})

async function age(db: Database, url: string): Promise<void> {
  await setRows(
    db,
    'images',
    { name: url.slice('/uploads/'.length) },
    { uploaded_at: sql`now() - interval '25 hours'` },
  )
}
