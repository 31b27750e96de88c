import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { testApp } from '../../testing/app.ts'
import { visitor } from '../../testing/browser.ts'
import { testDatabase } from '../../testing/database.ts'
import { PUBLIC } from '../../web/asset-files.ts'

const FOLDER = join(PUBLIC, 'css/components')
const COMPONENTS = readdirSync(FOLDER)

test('the page of components is there in development, and not in production', async (t) => {
  const db = await testDatabase(t)
  const page = await visitor(await testApp(t, db)).get('/design')
  assert.equal(page.statusCode, 200)
  assert.match(page.body, /class="post answer accepted"/)
  assert.match(page.body, /href="\/assets\/staff\.[\w-]{10}\.css"/)
  assert.equal((await visitor(await testApp(t, db, { isProduction: true })).get('/design')).statusCode, 404)
})

test('the page of components shows each component, whose stylesheet is named as its class', async (t) => {
  const { body } = await visitor(await testApp(t, await testDatabase(t))).get('/design')
  const shown = new Set([...body.matchAll(/ class="([^"]*)"/g)].flatMap(([, names = '']) => names.split(' ')))
  const components = COMPONENTS.map((file) => file.replace('.css', ''))
  assert.deepEqual(
    components.filter((name) => !readFileSync(join(FOLDER, `${name}.css`), 'utf8').includes(`.${name}`)),
    [],
    'each styles a class of its name',
  )
  assert.deepEqual(
    components.filter((name) => !shown.has(name)),
    [],
    'each is on the page',
  )
})

test('every stylesheet of a component is part of what pages load', () => {
  const sheets = ['main', 'text', 'staff']
    .map((name) => readFileSync(join(PUBLIC, `css/${name}.css`), 'utf8'))
    .join('')
  assert.deepEqual(
    COMPONENTS.filter((file) => !sheets.includes(`components/${file}`)),
    [],
  )
})
