import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { aToken } from '../../accounts/tokens/testing.ts'
import { aCourse, aMember, anAnswer, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { aDayAhead } from '../../testing/pass-time.ts'
import { untilWaiting } from '../../testing/waiting.ts'
import { ENDPOINTS } from './endpoints.ts'
import { aProgram } from './testing.ts'

suite('If-Match', () => {
  const forum = sharedForum()

  /** Posts of a learner at their third version, and programs of staff and of a classmate. */
  async function aThread() {
    const { db } = forum
    const course = await aCourse(db)
    const [staff, classmate] = [await aMember(db, course, 'instructor'), await aMember(db, course)]
    const question = await aQuestion(db, { course })
    const answer = await anAnswer(db, { question })
    const reply = await aReply(db, { answer })
    const ids = { questions: question.id, answers: answer.id, replies: reply.id } as const
    for (const table of ['questions', 'answers', 'replies'] as const)
      await db.updateTable(table).set({ version: 3 }).where('id', '=', ids[table]).execute()
    const scopes = ['read', 'write', 'staff'] as const
    const program = aProgram(forum.app, await aToken(forum, staff, [...scopes]))
    const other = aProgram(forum.app, await aToken(forum, classmate, ['read', 'write']))
    const original = await aQuestion(db, { course })
    const reason = 'unclear'
    const sent = { reason, until: aDayAhead(3), of: original.id }
    const at = (path: string) => {
      const table = (['questions', 'answers', 'replies'] as const).find((name) =>
        path.startsWith(`/${name}/`),
      )
      return path.replace(':id', String(ids[table ?? assert.fail(path)]))
    }
    return { program, other, at, sent, ids }
  }

  test('every PUT and DELETE compares it with the version of the post, where it is sent', async () => {
    const acts = ENDPOINTS.filter(({ method }) => method === 'PUT' || method === 'DELETE')
    assert.ok(acts.length > 20)
    const { program, at, sent } = await aThread()
    // Deleting comes last: replies, answers, questions.
    const isLast = (path: string) => /^\/\w+\/:id$/.test(path)
    const ordered = [
      ...acts.filter(({ path }) => !isLast(path)),
      ...acts.filter(({ path }) => isLast(path)).reverse(),
    ]
    for (const { method, path, body } of ordered) {
      const where = `${method} ${path}`
      const fields = Object.entries(sent).filter(([name]) => body?.required.includes(name))
      const send = (tag: string) =>
        program.send(method, at(path), body === null ? undefined : Object.fromEntries(fields), {
          'if-match': tag,
        })
      for (const stale of ['"2"', '"2-abc", "4"', 'W/"1-abc"', '""', '"abc"'])
        assert.equal((await send(stale)).statusCode, 412, `${where} ${stale}`)
      for (const junk of ['3', '', '"3', 'W/3', '*, "3"'])
        assert.equal((await send(junk)).statusCode, 400, `${where} ${junk}`)
      for (const right of isLast(path) ? ['"3"'] : ['"3-abc"', '"1", W/"3-x"', ' * ']) {
        const done = await send(right)
        const expected = path.endsWith('/done') ? [204, 422] : [204]
        assert.ok(expected.includes(done.statusCode), `${where} ${right}: ${done.body}`)
      }
    }
  })

  test('it tells nothing to those who may not do it, nothing is asked of those who send none, and deleting twice is once', async () => {
    const { program, other, at } = await aThread()
    for (const path of ['/replies/:id', '/answers/:id', '/questions/:id']) {
      for (const tag of ['"2"', '"3"'])
        assert.equal((await other.send('DELETE', at(path), undefined, { 'if-match': tag })).statusCode, 403)
      for (let count = 0; count < 2; count += 1)
        assert.equal((await program.send('DELETE', at(path))).statusCode, 204, path)
      assert.equal((await program.get(at(path))).statusCode, 410, path)
      assert.equal((await other.send('DELETE', at(path))).statusCode, 410, path)
    }
  })

  test('an edit that is committed while a DELETE waits makes it stale', async () => {
    const { program, ids, at } = await aThread()
    const { sent } = await forum.db.transaction().execute(async (write) => {
      const another = { version: 4, title: 'Another text' }
      await write.updateTable('questions').set(another).where('id', '=', ids.questions).execute()
      const sent = program.send('DELETE', at('/questions/:id'), undefined, { 'if-match': '"3"' })
      await untilWaiting(forum.db)
      return { sent }
    })
    assert.equal((await sent).statusCode, 412)
    assert.equal((await program.get(at('/questions/:id'))).statusCode, 200)
  })

  test('a PATCH that changes nothing makes no version and leaves no mark', async () => {
    const { program, at } = await aThread()
    for (const path of ['/questions/:id', '/answers/:id', '/replies/:id']) {
      const before = (await program.get(at(path))).json()
      const patches: Record<string, unknown>[] = [
        {},
        { body: before.body },
        { body: `\n${before.body}  `, reason: 'None' },
      ]
      if (path === '/questions/:id')
        patches.push({ title: before.title, tags: before.tags, category: before.category })
      for (const patch of patches) {
        const same = await program.send('PATCH', at(path), patch, { 'if-match': '"3"' })
        assert.deepEqual([same.statusCode, same.json()], [200, before], path)
      }
      const changed = await program.send('PATCH', at(path), { body: 'Another text.' }, { 'if-match': '"3"' })
      assert.deepEqual([changed.json().version, typeof changed.json().edited_at], [4, 'string'])
    }
  })
})
