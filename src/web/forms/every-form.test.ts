import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { EXAMPLES } from '../../examples-testing.ts'
import { allOperations } from '../../rooms.ts'
import { differing, lookWhileUndone } from '../../testing/changes.ts'
import { anExampleForum, examplesOf, send, TYPED } from '../../testing/examples.ts'
import { elementIn, textOf } from '../../testing/page.ts'
import { tablePage } from '../../testing/table-page.ts'
import { assertErrorPage } from '../testing.ts'

const PAGE = join(import.meta.dirname, '../../../docs/forms.md')
const INTRODUCTION = `What every-form.test.ts finds when it sends each form by the example of its operation: without its token nothing
happens; a wrong field is refused, shown with what was typed, and nothing happens; as it should be, it writes to these tables;
sent again it does nothing more where it says "once"; too often it is refused by its limit. That each right holds for
everybody, everywhere, is tried by src/kernel/rights/routes.test.ts.`

test('every form takes its operation from its own page, as often as is right, or shows what was typed', async (t) => {
  const { forum, undone } = await anExampleForum(t)
  const { app, db } = forum
  const { prepare } = examplesOf(EXAMPLES, app.forms)
  const operations = new Map(allOperations().map((operation) => [operation.name, operation]))
  const look = await lookWhileUndone(db)
  const rows: string[][] = []

  for (const [form, names] of app.forms)
    for (const name of names)
      await t.test(`${form}: ${name}`, () =>
        undone(async () => {
          const sending = await prepare(forum, name, form)
          const { browser, fields, wrong } = sending
          const before = await look()
          const changed = async () => differing(before, await look())
          const token = await browser.token()

          if (!sending.isFromAnywhere) {
            const foreign = await send(sending, null)
            assert.equal(foreign.statusCode, 403, 'without its token')
            assert.deepEqual(await changed(), [])
          }

          if (wrong !== null) {
            const refused = await send({ ...sending, fields: { ...fields, ...wrong } }, token)
            assert.equal(refused.statusCode, 422, textOf(refused.body))
            const hasText = Object.values({ ...fields, ...wrong }).some((value) =>
              String(value).startsWith(TYPED),
            )
            if (hasText) assert.ok(refused.body.includes(TYPED), 'what was typed is shown')
            assert.deepEqual(await changed(), [])
          }

          const done = await send(sending, token)
          assert.ok([200, 201, 303].includes(done.statusCode), `${done.statusCode} ${textOf(done.body)}`)
          const written = await look()
          const tables = differing(before, written)
          assert.notDeepEqual(tables, [], 'it wrote something')

          if (operations.get(name)?.once === true) {
            const again = await send(sending, token)
            assert.equal(again.headers.location, done.headers.location)
            assert.deepEqual(differing(written, await look()), [], 'twice is once')
          }
          await sql`update tries set count = 1000000`.execute(db)
          const typed = { ...fields, body: TYPED, password: 'a secret of mine' }
          const limited = await send({ ...sending, fields: typed })
          const isPage = sending.isFromAnywhere !== 'program'
          if (isPage) assertErrorPage(limited, 429, 'too often')
          else assert.deepEqual([limited.statusCode, limited.json().error], [429, 'temporarily_unavailable'])
          const wait = Number(limited.headers['retry-after'])
          assert.ok(wait > 0 && wait <= 60 * 60, String(wait))
          if (isPage) assert.ok(elementIn(limited.body, 'typed-body').includes(TYPED))
          assert.doesNotMatch(limited.body, /a secret of mine/)

          const { right, limit, once } = operations.get(name) ?? assert.fail(name)
          rows.push([
            `\`${form}\`: ${name}`,
            `${sending.as}: ${right}`,
            sending.isFromAnywhere ? 'from anywhere' : 'its token',
            limit,
            once ? 'once' : 'each time',
            wrong === null ? 'has none' : Object.keys(wrong).join(', '),
            tables.join(', '),
          ])
        }),
      )
  const head = ['form', 'who: right', 'comes with', 'limit', 'twice', 'refused field', 'writes to']
  t.assert.fileSnapshot(tablePage('Forms', INTRODUCTION, head, rows), PAGE, { serializers: [String] })
})
