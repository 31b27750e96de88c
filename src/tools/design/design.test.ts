import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createApp } from '../../app.ts'
import { readKeys } from '../../secrets/keys.ts'
import { SECRET, testApp, testConfig } from '../../testing/app.ts'
import { atEnd } from '../../testing/at-end.ts'
import { visitor } from '../../testing/browser.ts'
import { testDatabase } from '../../testing/database.ts'
import { PUBLIC } from '../../web/assets.ts'
import { registerDesign } from './design.ts'

const FOLDER = join(PUBLIC, 'css/components')
const COMPONENTS = readdirSync(FOLDER)

test('the page of components is there in development, and no part of the forum', async (t) => {
  const page = await visitor(await developedApp(t)).get('/design')
  assert.equal(page.statusCode, 200)
  assert.match(page.body, /class="post answer accepted"/)
  assert.match(page.body, /href="\/assets\/staff\.[\w-]{10}\.css"/)
  assert.equal((await visitor(await testApp(t, await testDatabase(t))).get('/design')).statusCode, 404)
})

test('the page of components shows each component, whose stylesheet is named as its class', async (t) => {
  const { body } = await visitor(await developedApp(t)).get('/design')
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

/** The forum as `npm run dev` starts it. */
async function developedApp(t: TestContext) {
  const app = await createApp(testConfig(), await testDatabase(t), readKeys(SECRET))
  registerDesign(app)
  atEnd(t, () => app.close())
  return app
}
