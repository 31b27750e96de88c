import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differencesBetween, everythingSeen } from './differences-testing.ts'

test('no page, mail or push tells whether who is anonymous was seen before: all are equal but for ids and times', async (t) => {
  const seen = await everythingSeen(t, 'seen')
  const looked = [
    /^classmate, mail/,
    /^classmate, push/,
    /^classmate, \/notifications$/,
    /^classmate, \/answers\/\d+\/reports$/,
    /^classmate, \/settings\/standing$/,
    /^classmate, \/courses\/alike\/moderation$/,
    /^classmate, \/cases\/\d+$/,
    /^visitor, \/feed\.atom$/,
  ]
  for (const what of looked)
    assert.ok(
      seen.keys().some((one) => what.test(one)),
      String(what),
    )
  assert.deepEqual(differencesBetween(seen, await everythingSeen(t, 'unseen')), [])
})
