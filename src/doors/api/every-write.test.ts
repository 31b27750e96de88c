import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { aToken } from '../../accounts/tokens/testing.ts'
import { EXAMPLES } from '../../examples-testing.ts'
import { differing, lookWhileUndone } from '../../testing/changes.ts'
import { anExampleForum, examplesOf } from '../../testing/examples.ts'
import { tablePage } from '../../testing/table-page.ts'
import { ENDPOINTS } from './endpoints.ts'
import { aProgram } from './testing.ts'

const PAGE = join(import.meta.dirname, '../../../docs/endpoints.md')
const INTRODUCTION = `What every-write.test.ts of src/doors/api finds when it sends each endpoint that writes by the example of its operation:
without a token nothing happens; a wrong field is refused by its pointer, and nothing happens; as it should be, it writes to these
tables; again with its key it does nothing more; too often it is refused by its limit. Of a picture, src/doors/api/uploads.test.ts.`

test('every endpoint that writes does it by a token, once for a key and as often as is right, or says what is wrong', async (t) => {
  const { forum, undone } = await anExampleForum(t)
  const { app, db } = forum
  const { prepareForProgram } = examplesOf(EXAMPLES, app.forms)
  const look = await lookWhileUndone(db)
  const rows: string[][] = []
  for (const { method, path, operation, scopes, limit, body: taken, takesKey } of ENDPOINTS) {
    if (operation === null || taken?.hasFile === true) continue
    await t.test(`${method} ${path}`, () =>
      undone(async () => {
        const isTakenBack = method === 'DELETE' && !operation.startsWith('delete-')
        const example = await prepareForProgram(forum, operation, path, isTakenBack)
        const token = await aToken(forum, example.person, ['read', 'write', 'staff'])
        const program = aProgram(app, token)
        const fields = Object.keys(taken?.fields ?? {})
        const known = (sent: object) =>
          Object.fromEntries(Object.entries(sent).filter(([name]) => fields.includes(name)))
        const body = taken === null ? undefined : known(example.body)
        const etag = method === 'PATCH' ? String((await program.get(example.path)).headers.etag) : null
        const headers = { ...(etag !== null && { 'if-match': etag }) }
        // That a token is used is noted, whatever it is used for.
        await program.get('/me')
        const before = await look()

        const stranger = await aProgram(app).send(method, example.path, body, headers)
        assert.equal(stranger.statusCode, 401)
        const wrong = known(example.wrong ?? {})
        if (Object.keys(wrong).length > 0) {
          const refused = await program.send(method, example.path, { ...body, ...wrong }, headers)
          assert.equal(refused.statusCode, 422, refused.body)
          // A person who isn't there is no field's error.
          const { errors = [] }: { errors?: { pointer: string }[] } = refused.json()
          for (const { pointer } of errors) assert.ok(pointer.slice(1) in wrong, pointer)
        }
        assert.deepEqual(differing(before, await look()), [])

        const keyed = { ...headers, ...(takesKey && { 'idempotency-key': 'an-example' }) }
        const done = await program.send(method, example.path, body, keyed)
        assert.ok(done.statusCode < 300, done.body)
        const written = await look()
        const tables = differing(before, written)
        assert.notDeepEqual(tables, [], 'it wrote something')
        if (takesKey) {
          const again = await program.send(method, example.path, body, keyed)
          assert.deepEqual([again.statusCode, again.body], [done.statusCode, done.body])
          assert.deepEqual(differing(written, await look()), [], 'twice is once')
        }
        await sql`update tries set count = 1000000`.execute(db)
        assert.equal((await program.send(method, example.path, body, headers)).statusCode, 429)
        rows.push([
          `\`${method} ${path}\`: ${operation}`,
          `${example.as}: ${scopes.join(' ')}`,
          limit ?? '',
          takesKey ? 'once for a key' : 'each time',
          Object.keys(wrong).join(', ') || 'has none',
          tables.join(', '),
        ])
      }),
    )
  }
  const head = ['endpoint', 'who: scopes', 'limit', 'twice', 'refused field', 'writes to']
  t.assert.fileSnapshot(tablePage('Endpoints', INTRODUCTION, head, rows), PAGE, { serializers: [String] })
})
