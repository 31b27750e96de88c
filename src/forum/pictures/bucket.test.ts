import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { suite, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { readConfig } from '../../config.ts'
import { aTemporaryFolder } from '../../operating/backup/testing.ts'
import { checkPictures } from '../../operating/doctor/pictures.ts'
import { testApp } from '../../testing/app.ts'
import { signedIn } from '../../testing/browser.ts'
import { aPerson } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { textOf } from '../../testing/page.ts'
import { rowsOf } from '../../testing/rows.ts'
import { anS3Server } from '../../testing/s3-server.ts'
import { sweepPictures } from './commands.ts'
import { bucketStore } from './picture-store.ts'
import { picture, upload, uploaded } from './pictures-testing.ts'
import { fileStore, StoreUnavailable } from './store.ts'

/** A picture that somebody uploaded to a bucket. */
async function aPicture(t: TestContext) {
  const server = await anS3Server(t)
  const db = await testDatabase(t)
  const app = await testApp(t, db, { s3Url: server.url })
  const browser = await signedIn(app, await aPerson(db))
  return { server, db, app, browser, ...(await uploaded(browser)) }
}

suite('pictures in a bucket', () => {
  test('are kept whole, given and removed byte for byte, and so are those in a folder', async (t) => {
    const server = await anS3Server(t)
    const folder = await aTemporaryFolder(t)
    const content = randomBytes(300_000)
    for (const [store, files, kept] of [
      [bucketStore(server.url), () => server.keys(), 'forum/ab/abc.webp'],
      [fileStore(folder), () => readdir(join(folder, 'ab')), 'abc.webp'],
    ] as const) {
      await store.put('abc.webp', content)
      assert.deepEqual(await files(), [kept])
      assert.deepEqual(await store.get('abc.webp'), content)
      await store.remove('abc.webp')
      await store.remove('abc.webp')
      assert.equal(await store.get('abc.webp'), null)
    }
  })

  test('files of any size are beside them, streamed, in a bucket as in a folder', async (t) => {
    const folder = await aTemporaryFolder(t)
    const path = join(folder, 'whole')
    const content = randomBytes(3_000_000)
    await writeFile(path, content)
    for (const store of [bucketStore((await anS3Server(t)).url), fileStore(join(folder, 'uploads'))]) {
      await store.putFile('abc.tar.zst', path)
      await store.putFile('abc.tar.zst', path)
      const kept = await store.stream('abc.tar.zst')
      assert.deepEqual(kept && (await buffer(kept)), content)
      await store.remove('abc.tar.zst')
      assert.equal(await store.stream('abc.tar.zst'), null)
    }
    assert.deepEqual(await readFile(path), content, 'it stays where it was')
  })

  test('are uploaded, shown and swept as those in a folder are', async (t) => {
    const { server, db, app, browser, url } = await aPicture(t)
    assert.equal((await server.keys()).length, 2)
    const shown = await browser.get(url, { accept: 'image/webp' })
    assert.deepEqual([shown.statusCode, shown.headers['content-type']], [200, 'image/webp'])
    await sql`update images set uploaded_at = now() - interval '2 days'`.execute(db)
    assert.equal(await sweepPictures(db, app.pictures), 1)
    assert.deepEqual(await server.keys(), [])
    assert.equal((await browser.get(url)).statusCode, 404)
  })

  test('a store that is away refuses uploads with their text, and nothing is left of them', async (t) => {
    const { server, db, app, browser, url } = await aPicture(t)
    await server.stop()
    const away = await browser.get(url)
    assert.deepEqual([away.statusCode, away.headers['retry-after']], [503, '30'])
    const file = await picture()
    const asked = await upload(browser, { file })
    assert.deepEqual([asked.statusCode, asked.headers['retry-after']], [503, '30'])
    assert.match(asked.json().error, /Picture storage isn’t responding/)
    const page = await upload(browser, { file, accept: 'text/html', fields: { body: 'What I typed' } })
    assert.equal(page.statusCode, 503)
    assert.match(textOf(page.body), /What I typed/)
    const kept = async () => (await rowsOf(db, 'images', {})).map(({ name }) => `/uploads/${name}`)
    assert.deepEqual(await kept(), [url])
    // A sweep that cannot remove the files keeps the rows for the next one.
    await sql`update images set uploaded_at = now() - interval '2 days'`.execute(db)
    await assert.rejects(sweepPictures(db, app.pictures), StoreUnavailable)
    assert.deepEqual(await kept(), [url])
  })

  test('a wrong secret and a missing bucket are told in one line, without the secret', async (t) => {
    const server = await anS3Server(t)
    const wrong = bucketStore(server.wrongUrl)
    const isRefused = (error: unknown) =>
      error instanceof StoreUnavailable &&
      /was answered 403 SignatureDoesNotMatch$/.test(error.message) &&
      !error.message.includes('wrong')
    await assert.rejects(wrong.put('abc.webp', Buffer.from('x')), isRefused)
    const missing = bucketStore(server.url.replace('/pictures/', '/nothing/'))
    for (const ask of [missing.get, missing.remove])
      await assert.rejects(ask('abc.webp'), /404 NoSuchBucket$/)
  })

  test('the doctor tries the bucket, and leaves nothing in it', async (t) => {
    const server = await anS3Server(t)
    assert.equal((await checkPictures({ s3Url: server.url })).state, 'ok')
    assert.deepEqual(await server.keys(), [])
    const refused = await checkPictures({ s3Url: server.wrongUrl })
    assert.equal(refused.state, 'problem')
    assert.doesNotMatch(refused.says, /S3RVER|wrong/)
    assert.equal((await checkPictures({ s3Url: null })).state, 'ok')
  })

  test('an address that is none of a bucket stops the start', () => {
    const read = (url: string) => readConfig({ S3_URL: url }).s3Url
    const good = 'https://KEY:se%2Fcret@s3.eu-central-1.amazonaws.com/bucket/forum?region=eu-central-1'
    assert.equal(read(good), good)
    for (const bad of [
      'https://s3.example.org/bucket',
      'https://KEY@s3.example.org/bucket',
      'https://KEY:secret@s3.example.org/',
      'https://KEY:%ZZ@s3.example.org/bucket',
      'https://KEY:secret@s3.example.org/bucket?signature=1',
      's3://KEY:secret@bucket',
    ])
      assert.throws(() => read(bad), /^Error: S3_URL must be (?:an|the) address/, bad)
  })
})
