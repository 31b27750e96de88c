import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedUrl } from './shared-url.ts'

const LIST = { parameters: ['tag', 'sort'], personalParameters: ['mine', 'following'] }

const URLS: Record<string, string | null> = {
  '/': '/',
  '/?': '/',
  '/?sort=votes&tag=http': '/?tag=http&sort=votes',
  '/?utm_source=letter&sort=votes': '/?sort=votes',
  '/?tag=what?': '/?tag=what?',
  '/?sort=votes&sort=views': '/',
  '/?tag=': '/',
  '/?tag': '/',
  '/?mine=1': null,
  '/?following=1': null,
  '/?sort=votes&mine=1': null,
  '/?m%69ne=1': null,
  '/tags/..': null,
  '//tags': null,
  '/?tag=a#b': null,
  [`/?tag=${'a'.repeat(600)}`]: null,
}

test('the address of a shared page has the parameters that it reads, in their order, and no others', () => {
  for (const [url, expected] of Object.entries(URLS)) assert.equal(sharedUrl(url, LIST), expected, url)
})

test('a page that refuses other parameters, and doubled ones, is not shared under an address that has them', () => {
  const closed = { ...LIST, isClosed: true }
  assert.equal(sharedUrl('/?sort=votes&&tag=http', closed), '/?tag=http&sort=votes')
  for (const url of ['/?utm_source=letter', '/?sort=votes&sort=votes', '/?=1', '/?tag=&other'])
    assert.equal(sharedUrl(url, closed), null, url)
})
