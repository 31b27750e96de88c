import assert from 'node:assert/strict'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { suite, test } from 'node:test'
import sharp from 'sharp'
import { UPLOADS } from '../../kernel/limits.ts'
import { atEnd } from '../../testing/at-end.ts'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf } from '../../testing/rows.ts'
import { encodePicture, storedSize } from './encode.ts'
import { animation, bomb, located, picture, upload, uploaded } from './pictures-testing.ts'

const TOO_LARGE = /This picture is too large \(max 20,000 pixels per side and 50 million in total\)/
const LEFT_OUT = { exif: undefined, icc: undefined, xmp: undefined, orientation: undefined }

suite('uploading a picture', () => {
  const forum = sharedForum()
  const somebody = async () => signedIn(forum.app, await aPerson(forum.db))
  /** A picture as browsers get it that take WebP, and those that don't. */
  const bothOf = async (browser: Browser, url: string) => [
    await browser.get(url, { accept: 'image/webp,*/*' }),
    await browser.get(url, { accept: '*/*' }),
  ]

  test('keeps it, and tells its address, its Markdown and its size', async () => {
    const browser = await somebody()
    const answer = await upload(browser, { file: await picture(30, 20), fields: { alt: 'A [red] square' } })
    assert.equal(answer.statusCode, 201)
    const { url, markdown, width, height } = answer.json()
    assert.match(url, /^\/uploads\/[\w-]{22}-30x20$/)
    assert.deepEqual([markdown, width, height], [`![A \\[red\\] square](${url})`, 30, 20])
    const [shown, other] = await bothOf(browser, url)
    assert.equal(shown?.headers['cache-control'], 'private, max-age=31536000, immutable')
    assert.equal(shown.headers['x-content-type-options'], 'nosniff')
    for (const [given, format] of [
      [shown, 'webp'],
      [other, 'jpeg'],
    ] as const) {
      assert.equal(given?.headers['content-type'], `image/${format}`)
      assert.equal((await sharp(given.rawPayload).metadata()).format, format)
    }
  })

  test('a program is refused a field that is not known, or that comes twice; a page takes what its form sends', async () => {
    const browser = await somebody()
    const file = await picture()
    const strange = await upload(browser, { file, fields: { alt: 'A', licence: 'CC0' } })
    assert.equal(strange.statusCode, 422)
    assert.match(strange.json().error, /isn’t known here/)
    const page = await upload(browser, { file, fields: { alt: 'A', licence: 'CC0' }, accept: 'text/html' })
    assert.equal(page.statusCode, 201)
    const fields = { alt: 'A', body: 'A text', to: '/questions' }
    assert.equal((await upload(browser, { file, fields })).statusCode, 201)
  })

  test('turns it upright and leaves out where it was taken', async () => {
    const browser = await somebody()
    const original = await located()
    assert.ok((await sharp(original).metadata()).exif)
    const { url, width, height } = (await upload(browser, { file: original })).json()
    assert.deepEqual([width, height], [20, 40])
    for (const { rawPayload } of await bothOf(browser, url)) {
      const { exif, icc, xmp, orientation, ...size } = await sharp(rawPayload).metadata()
      assert.deepEqual({ exif, icc, xmp, orientation }, LEFT_OUT)
      assert.deepEqual([size.width, size.height], [20, 40])
    }
  })

  test('makes a wide one smaller, keeps what is transparent, and what moves', async () => {
    const browser = await somebody()
    const wide = (await upload(browser, { file: await picture(4000, 100) })).json()
    assert.deepEqual([wide.width, wide.height], [2000, 50])
    const clear = await sharp({ create: { width: 9, height: 9, channels: 4, background: '#f000' } })
      .png()
      .toBuffer()
    const png = await browser.get((await upload(browser, { file: clear })).json().url, { accept: '*/*' })
    assert.equal(png.headers['content-type'], 'image/png')
    const moving = (await upload(browser, { file: await animation(3) })).json()
    assert.deepEqual([moving.width, moving.height], [8, 8])
    for (const { rawPayload } of await bothOf(browser, moving.url))
      assert.equal((await sharp(rawPayload, { animated: true }).metadata()).pages, 3)
  })

  test('keeps a capture of a phone readable, within what WebP can hold', async () => {
    const file = await picture(1080, 11_300)
    const { url, width, height } = (await upload(await somebody(), { file })).json()
    assert.match(url, /-1080x11300$/)
    assert.deepEqual([width, height], [1080, 11_300])
    const [most, area] = [16_383, 16_000_000]
    for (const [wide, high, stored] of [
      [1080, 11_300, [1080, 11_300]],
      [500, 20_000, [409, most]],
      [1, 20_000, [1, most]],
      [2500, 20_000, [1414, 11_313]],
      [20_000, 2500, [2000, 250]],
      [7000, 7000, [2000, 2000]],
      [20_000, 1, [2000, 1]],
      [300, 200, [300, 200]],
    ] as const) {
      const size = storedSize({ width: wide, height: high })
      assert.deepEqual([size.width, size.height], stored)
      assert.ok(size.width * size.height <= area)
    }
  })

  test('refuses every hostile kind with a word that says why', async () => {
    const browser = await somebody()
    const jpeg = await sharp({ create: { width: 300, height: 300, channels: 3, background: 'green' } })
      .jpeg()
      .toBuffer()
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    const html = '<script>alert(1)</script>'
    const unsupported = /This file type isn’t supported/
    const cases: readonly [what: string, file: Buffer | undefined, word: RegExp, status?: number][] = [
      ['no file', undefined, /Choose a picture/],
      ['an empty file', Buffer.alloc(0), /Choose a picture/],
      ['an SVG', Buffer.from(svg), unsupported],
      ['HTML as .png', Buffer.from(`<!doctype html>${html}`), unsupported],
      ['a PDF', Buffer.from('%PDF-1.7\n'), unsupported],
      ['the head of a GIF before HTML', Buffer.from(`GIF89a/*${html}*/`), /damaged/],
      ['a truncated JPEG', jpeg.subarray(0, jpeg.length / 2), /damaged/],
      ['a bomb of 20,000 by 20,000 pixels', bomb(), TOO_LARGE],
      ['20,001 pixels wide', await picture(20_001, 1), TOO_LARGE],
      ['an animation of 200 frames', await animation(200), /too long/],
      ['50 MB', Buffer.alloc(50 * 1024 * 1024), /too large/, 413],
    ]
    for (const [what, file, word, status = 422] of cases) {
      const answer = await upload(browser, { file })
      assert.equal(answer.statusCode, status, what)
      assert.match(answer.json().error, word, what)
    }
    assert.equal((await upload(browser, { file: await picture() })).statusCode, 201)
  })

  test('takes a polyglot for the picture it is, without what else is in it', async () => {
    const browser = await somebody()
    const polyglot = Buffer.concat([await picture(), Buffer.from('<script>alert(1)</script>PK\u0003\u0004')])
    const { url } = (await upload(browser, { file: polyglot, filename: 'x.html', type: 'text/html' })).json()
    for (const { rawPayload, headers } of await bothOf(browser, url)) {
      assert.match(String(headers['content-type']), /^image\//)
      assert.ok(!rawPayload.includes('script'))
    }
  })

  test('is for people who are signed in, with a token of ours', async () => {
    const question = await aQuestion(forum.db)
    const to = `/questions/${question.id}/answers`
    const fields = { to, body: 'Typed for long' }
    const stranger = await upload(visitor(forum.app), { file: await picture(), fields, accept: 'text/html' })
    assert.equal(stranger.statusCode, 303)
    assert.match(String(stranger.headers.location), /^\/sign-in\?next=.*kept/)
    const browser = await somebody()
    const forged = await upload(browser, { file: await picture(), fields, token: null, accept: 'text/html' })
    assert.equal(forged.statusCode, 403)
    assert.match(forged.body, /Typed for long/)
    const plain = await browser.post('/uploads', { alt: 'a' })
    assert.equal(plain.statusCode, 422)
    const form = { raw: 'x', contentType: 'multipart/form-data; boundary=x' }
    assert.equal((await browser.post('/preview', {}, form)).statusCode, 415)
  })

  test('refuses what says it is a form with a file and is none, or ends in the middle', async () => {
    const browser = await somebody()
    const part = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\n'
    for (const [raw, type] of [
      [`${part}x\r\n--b--\r\n`, 'multipart/form-data'],
      [`${part}x\r\n--b--\r\n`, 'multipart/form-data; boundary=another'],
      [`${part}half of it`, 'multipart/form-data; boundary=b'],
      ['--b\r\ncontent-disp', 'multipart/form-data; boundary=b'],
      ['', 'multipart/form-data; boundary=b'],
    ] as const) {
      const { statusCode } = await browser.post('/uploads', {}, { raw, contentType: type, token: null })
      assert.ok([400, 403, 422].includes(statusCode), `${statusCode} for ${type}: ${raw}`)
    }
    assert.equal((await upload(browser, { file: await picture() })).statusCode, 201)
  })

  test('without scripts leads back to the text, with the picture in it and all that was typed', async () => {
    const question = await aQuestion(forum.db)
    const browser = await somebody()
    const to = `/questions/${question.id}/answers`
    const fields = { to, body: 'Look:', alt: 'A stack trace' }
    const page = await upload(browser, { file: await picture(), fields, accept: 'text/html' })
    assert.equal(page.statusCode, 201)
    const [markdown = ''] = /!\[A stack trace\]\(\/uploads\/[\w-]+\)/.exec(page.body) ?? []
    assert.ok(page.body.includes(`\nLook:\n\n${markdown}</textarea>`))
    assert.match(
      page.body,
      /<article class="preview">[\s\S]*<img src="\/uploads\/[^"]+" alt="A stack trace" width="30" height="20"/,
    )
    assert.match(page.body, new RegExp(`<form class="stack" method="post" action="${to}">`))
    assert.deepEqual(await markupMistakes(page.body), [])
    const refused = await upload(browser, { file: Buffer.from('<svg/>'), fields, accept: 'text/html' })
    assert.equal(refused.statusCode, 422)
    assert.match(refused.body, /\nLook:<\/textarea>/)
    assert.match(textOf(refused.body), /This file type isn’t supported/)
    const asking = { to: '/questions', course: 'a', title: 'A title', tags: 'a, b', body: 'Look:' }
    const asked = await upload(browser, { file: await picture(), fields: asking, accept: 'text/html' })
    for (const name of ['title', 'tags', 'course'] as const)
      assert.ok(asked.body.includes(`name="${name}" value="${asking[name]}"`), name)
    assert.match(asked.body, /<form class="stack" method="post" action="\/questions">/)
  })

  test('decodes two at a time, and one that is large or has 16 bits a channel, however many come', async () => {
    const plain = await picture(600, 600)
    const deep = await sharp(plain).toColourspace('rgb16').png().toBuffer()
    assert.equal((await sharp(deep).metadata()).depth, 'ushort')
    for (const [bytes, most] of [
      [plain, 2],
      [deep, 1],
      [await picture(1000, 4100), 1],
    ] as const) {
      const seen: number[] = []
      const all = Promise.all(Array.from({ length: 8 }, () => encodePicture(bytes)))
      const looking = setInterval(() => seen.push(sharp.counters().process), 1)
      assert.equal((await all).length, 8)
      clearInterval(looking)
      assert.ok(Math.max(...seen) <= most, `${Math.max(...seen)} at a time`)
    }
  })

  test('on a full disk is refused with the text kept, and its name is on the disk with its file', async (t) => {
    const browser = await somebody()
    const file = await picture()
    const synced = t.mock.method(fs, 'open')
    syncBuiltinESMExports()
    atEnd(t, async () => syncBuiltinESMExports())
    assert.equal((await upload(browser, { file })).statusCode, 201)
    const opened = synced.mock.calls.map(({ arguments: [path] }) => String(path))
    assert.ok(
      opened.some((path) => /uploads\/[\w-]{2}$/.test(path)),
      'the folder is flushed',
    )
    const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' })
    synced.mock.mockImplementation(() => Promise.reject(full))
    const answer = await upload(browser, { file, fields: { body: 'Typed for long' }, accept: 'text/html' })
    assert.equal(answer.statusCode, 503)
    assert.ok(Number(answer.headers['retry-after']) > 0)
    assert.match(answer.body, /\nTyped for long<\/textarea>/)
    synced.mock.restore()
    syncBuiltinESMExports()
    assert.equal((await upload(browser, { file })).statusCode, 201)
  })

  test('keeps a limited number per person and day, however fast they come', async () => {
    const person = await aPerson(forum.db)
    const browser = await signedIn(forum.app, person)
    await uploaded(browser)
    const { id: _, name, ...others } = await rowOf(forum.db, 'images', { uploader_id: person.id })
    const more = Array.from({ length: UPLOADS.pictures - 1 }, (_, index) => ({
      ...others,
      name: `${String(index).padStart(22, 'x')}-1x1`,
    }))
    await forum.db.insertInto('images').values(more).execute()
    const typed = { fields: { body: 'Typed' }, accept: 'text/html' }
    const answer = await upload(browser, { file: await picture(), ...typed })
    assert.equal(answer.statusCode, 429)
    assert.ok(Number(answer.headers['retry-after']) > 0)
    assert.match(answer.body, /\nTyped<\/textarea>/)
    assert.match(name, /-30x20$/)
  })
})
