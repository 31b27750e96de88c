import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { aToken } from '../../accounts/tokens/testing.ts'
import { EXAMPLES } from '../../examples-testing.ts'
import { differing, lookOf } from '../../testing/changes.ts'
import { anExampleForum, examplesOf } from '../../testing/examples.ts'
import { ENDPOINTS } from './endpoints.ts'
import { aProgram } from './testing.ts'

test('every endpoint that writes does it by a token, once for a key and as often as is right, or says what is wrong', async (t) => {
  const { forum, undone } = await anExampleForum(t)
  const { app, db } = forum
  const { prepareForProgram } = examplesOf(EXAMPLES, app.forms)
  const look = await lookOf(db)
  for (const { method, path, operation, body: taken, takesKey } of ENDPOINTS) {
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
        assert.notDeepEqual(differing(before, written), [], 'it wrote something')
        if (takesKey) {
          const again = await program.send(method, example.path, body, keyed)
          assert.deepEqual([again.statusCode, again.body], [done.statusCode, done.body])
          assert.deepEqual(differing(written, await look()), [], 'twice is once')
        }
        await sql`update tries set count = 1000000`.execute(db)
        assert.equal((await program.send(method, example.path, body, headers)).statusCode, 429)
      }),
    )
  }
})
