import assert from 'node:assert/strict'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { type TestContext, test } from 'node:test'
import { testApp } from '../testing/app.ts'
import { visitor } from '../testing/browser.ts'
import { testDatabase } from '../testing/database.ts'

test('a template is read and compiled once, in development as in production', async (t) => {
  const db = await testDatabase(t)
  for (const isProduction of [false, true]) {
    const reader = visitor(await testApp(t, db, { isProduction }))
    await reader.get('/sign-in')
    const templates = watchTemplates(t)
    assert.equal((await reader.get('/sign-in')).statusCode, 200)
    assert.deepEqual(templates(), [])
  }
})

/** @returns the templates that were read since the call */
function watchTemplates(t: TestContext): () => string[] {
  const read = t.mock.method(fs, 'readFileSync')
  syncBuiltinESMExports()
  t.after(() => {
    read.mock.restore()
    syncBuiltinESMExports()
  })
  return () =>
    read.mock.calls.map((call) => String(call.arguments[0])).filter((path) => path.endsWith('.eta'))
}
