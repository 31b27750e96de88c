import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import sharp from 'sharp'
import { fileStore } from '../../forum/pictures/store.ts'
import { atEnd } from '../../testing/at-end.ts'
import { testDatabase } from '../../testing/database.ts'
import { aDump, aDumpQuestion } from '../../testing/dumps.ts'
import { rowOf, rowsOf } from '../../testing/rows.ts'
import { GuardedClient } from '../../web/guarded-fetch.ts'
import { createServer } from '../../web/transport/node-http.ts'
import { aFolder } from '../exchange/course-testing.ts'
import { importSource, trySource } from './foreign-import.ts'
import { STACKEXCHANGE } from './stackexchange.ts'

/** A site with pictures, on this machine. */
async function aSite(t: TestContext) {
  const picture = await sharp({ create: { width: 30, height: 20, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  const asked: string[] = []
  const server = createServer((request, reply) => {
    asked.push(request.url ?? '')
    const type = { 'content-type': 'image/png' }
    if (request.url === '/a.png') return reply.writeHead(200, type).end(picture)
    if (request.url === '/away.png') return reply.writeHead(302, { location: '/a.png' }).end()
    if (request.url === '/around.png') return reply.writeHead(302, { location: '/around.png' }).end()
    if (request.url === '/page.png')
      return reply.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in')
    if (request.url === '/false.png') return reply.writeHead(200, type).end('no picture')
    if (request.url === '/long.png') return reply.writeHead(200, type).end(Buffer.alloc(12 * 1024 * 1024 + 1))
    return reply.writeHead(404, type).end(picture)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(t, async () => {
    server.closeAllConnections()
    server.close()
  })
  return { asked, at: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

async function optionsOf(t: TestContext, urls: readonly string[]) {
  const html = urls.map((url) => `<img src="${url}" alt="x">`).join(' ')
  const path = await aDump(t, { posts: [aDumpQuestion({ Body: `<p>${html}</p>` })] })
  return { path, source: STACKEXCHANGE, course: { slug: 'physics', title: 'Physics' } }
}

test('pictures are fetched once if asked for, and what can’t be had stays a link', async (t) => {
  const { at, asked } = await aSite(t)
  const names = ['a.png', 'away.png', 'around.png', 'page.png', 'false.png', 'long.png', 'none.png', 'a.png']
  const options = await optionsOf(
    t,
    names.map((name) => `${at}/${name}`),
  )
  const [db, store] = [await testDatabase(t), fileStore(await aFolder(t))]
  const { tally } = await importSource(db, store, {
    ...options,
    pictures: true,
    client: new GuardedClient(() => true),
  })
  const { body } = await rowOf(db, 'questions', {})
  const shown = Array.from(body.matchAll(/\]\(([^)]*)\)/g), ([, address = '']) =>
    address.replace(/^\/uploads\/.*/, 'here'),
  )
  assert.deepEqual(shown, [
    'here',
    'here',
    ...['around', 'page', 'false', 'long', 'none'].map((name) => `${at}/${name}.png`),
    'here',
  ])
  assert.equal(asked.filter((path) => path === '/a.png').length, 2)
  assert.equal(asked.filter((path) => path === '/around.png').length, 4)
  assert.equal(tally.notes.get('pictures that could not be fetched: links'), 4)
  assert.equal(tally.notes.get('pictures that are missing or can’t be read: left out'), 1)
  assert.equal(tally.counts.pictures?.imported, 2)
})

test('nothing is fetched unless asked for, in a dry run, or from an address that is not public', async (t) => {
  const { at, asked } = await aSite(t)
  const options = await optionsOf(t, [`${at}/a.png`])
  const store = fileStore(await aFolder(t))
  await trySource({ ...options, pictures: true, client: new GuardedClient(() => true) })
  await importSource(await testDatabase(t), store, options)
  const db = await testDatabase(t)
  await importSource(db, store, { ...options, pictures: true })
  assert.deepEqual(asked, [])
  assert.equal((await rowOf(db, 'questions', {})).body, `![x](${at}/a.png)`)
  assert.deepEqual(await rowsOf(db, 'images', {}), [])
})
