import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { loadSample } from '../operating/sample/sample.ts'
import { aHearingForum } from '../testing/forum.ts'
import { type AssetFile, assetFiles } from './assets.ts'

const KB = 1024
/** What a page may weigh on a phone in a lecture hall. */
const MAX_CSS_BYTES = 11 * KB
const MAX_READING_SCRIPT_BYTES = 6 * KB
const MAX_WRITING_SCRIPT_BYTES = 15 * KB
const MAX_FIRST_VISIT_BYTES = 27 * KB
const MAX_QUESTION_SCRIPT_BYTES = 8 * KB

suite('the weight of what pages are made with, gzipped', () => {
  test('the styles of a page are 11 KB at most', async () => {
    const { css } = await assetFiles()
    assert.ok(weightOf(css) <= MAX_CSS_BYTES, `${weightOf(css)} bytes`)
  })

  test('the scripts of a list and of a question are 6 KB at most, without what helps to write', async () => {
    const { js, writing } = await assetFiles()
    assert.ok(weightOf(js) <= MAX_READING_SCRIPT_BYTES, `${weightOf(js)} bytes`)
    assert.ok(!js.content.includes('setRangeText'))
    assert.ok(writing.content.includes('setRangeText'))
    assert.ok(weightOf(writing) <= MAX_WRITING_SCRIPT_BYTES, `${weightOf(writing)} bytes`)
  })

  test('what the search adds on its own pages is 1 KB at most, and what suggests 4 KB', async () => {
    const { searching, suggestions } = await assetFiles()
    assert.ok(weightOf(searching) <= KB, `${weightOf(searching)} bytes`)
    assert.ok(weightOf(suggestions) <= 4 * KB, `${weightOf(suggestions)} bytes`)
  })

  test('what switches pushes on is 1 KB at most, and the service worker half of that', async () => {
    const { push, serviceWorker } = await assetFiles()
    assert.ok(weightOf(push) <= KB, `${weightOf(push)} bytes`)
    assert.ok(weightOf(serviceWorker) <= KB / 2, `${weightOf(serviceWorker)} bytes`)
  })
})

test('a first visit of the list is 27 KB at most, and a question has 8 KB of scripts until somebody writes', async (t) => {
  const { app, db } = await aHearingForum(t)
  await loadSample(db)
  await app.changes?.caughtUp()
  const list = await visit(app, '/questions')
  const all = sumOf(list)
  assert.ok(list.length >= 4 && all <= MAX_FIRST_VISIT_BYTES, `${list.length} files, ${all} bytes`)
  const most = db.selectFrom('questions').select('id').orderBy('answers_count', 'desc')
  const { id } = await most.executeTakeFirstOrThrow()
  const moved = await app.inject({ url: `/questions/${id}` })
  const loaded = await visit(app, String(moved.headers.location))
  const scripts = loaded.filter(({ path }) => path.endsWith('.js'))
  const weight = sumOf(scripts)
  assert.ok(scripts.length > 0 && weight <= MAX_QUESTION_SCRIPT_BYTES, `${weight} bytes`)
})

/** A page and what a browser loads with it, without the icon for a phone's home screen: bytes with their headers, as browsers ask for them. */
async function visit(app: FastifyInstance, path: string) {
  const html = (await app.inject({ url: path })).body
  const tags = html.matchAll(/<(?!link rel="apple-touch-icon")[^>]*?(?:href|src)="(\/assets\/[^"#]+)/g)
  const paths = [path, ...new Set([...tags].map(([, asset = '']) => asset))]
  return Promise.all(paths.map(async (url) => ({ path: url, bytes: await bytesOf(app, url) })))
}

async function bytesOf(app: FastifyInstance, url: string): Promise<number> {
  const asked = { url, headers: { 'accept-encoding': 'gzip, deflate, br, zstd' } }
  // As from the second visitor on: a page is cached, and compressed well, when it is asked for again.
  await app.inject(asked)
  const answer = await app.inject(asked)
  assert.equal(answer.statusCode, 200, url)
  const head = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return head.join('').length + answer.rawPayload.length
}

const sumOf = (files: readonly { readonly bytes: number }[]) =>
  files.reduce((sum, { bytes }) => sum + bytes, 0)

function weightOf({ content }: AssetFile): number {
  return gzipSync(content, { level: 9 }).length
}
