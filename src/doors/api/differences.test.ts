import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aToken } from '../../accounts/tokens/testing.ts'
import { eventCursor, readEventLog } from '../../forum/events/cursor.ts'
import { numberEvents } from '../../forum/events/numbering.ts'
import {
  differencesBetween,
  everythingSeen,
  type Looking,
  type Writer,
  withoutChance,
} from '../../kernel/rights/differences-testing.ts'
import { addressesOf } from '../../kernel/rights/requests-testing.ts'
import type { Endpoint } from '../../web/json/endpoint.ts'
import { ENDPOINTS } from './endpoints.ts'
import { aProgram } from './testing.ts'

test('no program is told whether who is anonymous was seen before: all answers are equal but for times', async (t) => {
  const seenBy = (name: Writer) => everythingSeen(t, name, lookAtAnswers)
  const seen = await seenBy('seen')
  for (const what of [
    /^classmate, \/courses\/alike\/people|^classmate, \/people\/\d+/,
    /^classmate, \/questions\/\d+\?include=replies application\/prs/,
    /^classmate, \/questions\/\d+/,
    /^visitor, \/courses\/alike\/questions/,
    /^outsider, \/courses\/alike /,
  ])
    assert.ok(
      seen.keys().some((one) => what.test(one)),
      String(what),
    )
  assert.deepEqual(differencesBetween(seen, await seenBy('unseen')), [])
})

const isAmong = (name: string, query: Endpoint['query']) => query !== null && name in query.shape

async function lookAtAnswers({ seen, app, db, readers, addressed }: Looking): Promise<void> {
  app.apiRequests.count = () => ({ count: 1, ttl: 1000 })
  await numberEvents(db)
  const since = eventCursor(await readEventLog(db), 0)
  const urls = ENDPOINTS.filter(({ method }) => method === 'GET').flatMap(({ path, query }) =>
    addressesOf(path, addressed).flatMap((url) => [
      path === '/events' ? `${url}?limit=100` : url,
      ...(isAmong('include', query) ? [`${url}?include=replies`] : []),
      ...(isAmong('updated_after', query) ? [`${url}?updated_after=${since}`] : []),
    ]),
  )
  const tokens: Record<string, string | null> = { visitor: null }
  for (const [reader, person] of Object.entries(readers))
    tokens[reader] = await aToken({ db }, person, ['read', 'write', 'staff'])
  for (const [reader, token] of Object.entries(tokens))
    for (const url of urls)
      for (const accept of ['application/hal+json', 'application/prs.hal-forms+json']) {
        const { statusCode, headers, body } = await aProgram(app, token).get(url, { accept })
        // Entity tags stand for the whole text, times included.
        const text = withoutChance(`${statusCode} ${headers.link ?? ''}\n${body}`)
        seen.set(withoutChance(`${reader}, ${url} ${accept}`), text)
      }
}
