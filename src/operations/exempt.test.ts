import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '../testing/app.ts'
import { testDatabase } from '../testing/database.ts'
import { routesOf } from '../testing/routes-of.ts'
import { EXEMPT_ROUTES } from './exempt-testing.ts'

test('each route that takes something performs an operation, or is exempt by name', async (t) => {
  const app = await testApp(t, await testDatabase(t))
  const taking = routesOf(app).filter(({ method }) => !/^(?:GET|HEAD)$/.test(method))
  const others = taking.map(({ path }) => path).filter((path) => !app.forms.has(path))
  assert.deepEqual([...new Set(others)].sort(), Object.keys(EXEMPT_ROUTES).sort())
})
