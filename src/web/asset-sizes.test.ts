import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type AssetFile, assetFiles } from './asset-files.ts'

const KB = 1024
/** What a page may weigh on a phone in a lecture hall. */
const MAX_CSS_BYTES = 11 * KB
const MAX_READING_SCRIPT_BYTES = 6 * KB
const MAX_WRITING_SCRIPT_BYTES = 13 * KB

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

  test('what switches pushes on is 1 KB at most, and the service worker half of that', async () => {
    const { push, serviceWorker } = await assetFiles()
    assert.ok(weightOf(push) <= KB, `${weightOf(push)} bytes`)
    assert.ok(weightOf(serviceWorker) <= KB / 2, `${weightOf(serviceWorker)} bytes`)
  })
})

function weightOf({ content }: AssetFile): number {
  return gzipSync(content, { level: 9 }).length
}
