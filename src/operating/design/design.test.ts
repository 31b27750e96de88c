import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { testApp } from '../../testing/app.ts'
import { visitor } from '../../testing/browser.ts'
import { testDatabase } from '../../testing/database.ts'
import { PUBLIC } from '../../web/asset-files.ts'

test('the page of components is there in development, and not in production', async (t) => {
  const db = await testDatabase(t)
  const page = await visitor(await testApp(t, db)).get('/design')
  assert.equal(page.statusCode, 200)
  assert.match(page.body, /class="post answer accepted"/)
  assert.match(page.body, /href="\/assets\/staff\.[\w-]{10}\.css"/)
  assert.equal((await visitor(await testApp(t, db, { isProduction: true })).get('/design')).statusCode, 404)
})

test('every stylesheet of a component is part of what pages load', () => {
  const sheets = ['main', 'text', 'staff']
    .map((name) => readFileSync(join(PUBLIC, `css/${name}.css`), 'utf8'))
    .join('')
  const files = readdirSync(join(PUBLIC, 'css/components'))
  assert.deepEqual(
    files.filter((file) => !sheets.includes(`components/${file}`)),
    [],
  )
})
