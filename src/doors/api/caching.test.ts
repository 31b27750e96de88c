import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aToken } from '../../accounts/tokens/testing.ts'
import { hidePost } from '../../forum/posts/removal.ts'
import { testApp } from '../../testing/app.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { aHearingForum } from '../../testing/forum.ts'
import { recordStatements } from '../../testing/statements.ts'
import { within } from '../../testing/within.ts'
import { aProgram, type Program } from './testing.ts'

test('public answers to programs are cached: by media type, without asking the database, never with a token', async (t) => {
  const { app, db, changes } = await aHearingForum(t)
  const question = await aQuestion(db)
  const token = await aToken({ db }, await aPerson(db))
  const path = `/questions/${question.id}`
  const visitor = aProgram(app)
  const hal = { accept: 'application/hal+json' }
  await changes.caughtUp()
  for (let count = 0; count < 3; count += 1) {
    await visitor.get(path)
    await visitor.get(path, hal)
  }
  const { cache } = app.pageCache?.visitors ?? assert.fail()
  assert.equal(cache.size, 2)
  const statements = recordStatements(t)
  const first = await visitor.get(path)
  const linked = await visitor.get(path, hal)
  assert.equal(statements.length, 0)
  assert.ok('_links' in linked.json() && !('_links' in first.json()))
  assert.notEqual(first.headers.etag, linked.headers.etag)
  const etag = String(first.headers.etag)
  assert.equal((await visitor.get(path, { 'if-none-match': etag })).statusCode, 304)
  assert.equal((await visitor.get(path, { accept: 'text/csv' })).statusCode, 406)
  assert.equal((await visitor.get(path, { authorization: 'Bearer wrong' })).statusCode, 401)
  const own = await aProgram(app, token).get(path)
  assert.equal(own.headers['cache-control'], 'private, no-store')
  assert.equal(cache.size, 2)
})

test('an address that is spelled in another way is rendered each time: by media type, and for its token', async (t) => {
  const { app, db, changes } = await aHearingForum(t)
  const course = await aCourse(db, { isPublic: false })
  const token = await aToken({ db }, await aMember(db, course))
  await changes.caughtUp()
  const url = '/%61pi/v1/courses'
  const read = async (headers: Record<string, string>) => (await app.inject({ url, headers })).json()
  for (let count = 0; count < 3; count += 1) assert.deepEqual(await read({}), { items: [] })
  assert.ok('_links' in (await read({ accept: 'application/hal+json' })))
  const { items } = await read({ authorization: `Bearer ${token}` })
  assert.deepEqual(
    items.map(({ slug }: { slug: string }) => slug),
    [course.slug],
  )
  assert.equal(app.pageCache?.visitors.cache.size, 0)
})

test('a copy is known by its tag and its time until it was hidden, with a token and without', async (t) => {
  const { app, db, changes } = await aHearingForum(t)
  const question = await aQuestion(db)
  const answer = await anAnswer(db, { question })
  const reply = await aReply(db, { answer })
  const posts = [
    ...[
      { table: 'replies', id: reply.id },
      { table: 'answers', id: answer.id },
    ],
    { table: 'questions', id: question.id },
  ] as const
  const token = await aToken({ db }, await aPerson(db))
  for (const post of posts) {
    const path = `/${post.table}/${post.id}`
    const asked = async (program: Program) => {
      // The second answer to a visitor is a cached one.
      await program.get(path)
      const { statusCode, headers } = await program.get(path)
      assert.equal(statusCode, 200, path)
      const known = { 'if-none-match': String(headers.etag) }
      const modified = String(headers['last-modified'])
      const before = new Date(Date.parse(modified) - 1000).toUTCString()
      for (const other of [{ 'if-none-match': '"1-x"' }, { 'if-modified-since': before }])
        assert.equal((await program.get(path, other)).statusCode, 200, path)
      return { program, copies: [known, { 'if-modified-since': modified }] }
    }
    await changes.caughtUp()
    const readers = [await asked(aProgram(app)), await asked(aProgram(app, token))]
    for (const { program, copies } of readers)
      for (const copy of copies) assert.equal((await program.get(path, copy)).statusCode, 304, path)
    await within(db, hidePost, post)
    await changes.caughtUp()
    for (const { program, copies } of readers)
      for (const copy of [...copies, { 'if-none-match': '*' }]) {
        const gone = await program.get(path, copy)
        assert.deepEqual([gone.statusCode, gone.headers['last-modified']], [404, undefined], path)
      }
  }
})

test('a list takes one round trip to the database, with a token', async (t) => {
  const { app, db, changes } = await aHearingForum(t)
  const course = await aCourse(db)
  const learner = await aMember(db, course)
  const question = await aQuestion(db, { course, answers: 3 })
  await aReply(db, { question })
  const program = aProgram(app, await aToken({ db }, learner))
  await changes.caughtUp()
  const statements = recordStatements(t)
  for (const path of [
    `/courses/${course.slug}/questions`,
    `/questions/${question.id}/answers`,
    `/questions/${question.id}/replies`,
    '/courses',
    '/me/notifications',
  ]) {
    await program.get(path)
    statements.length = 0
    await program.get(path)
    // The forum looks for due jobs of its own accord, between two requests.
    const asked = statements.filter((text) => !text.includes('from jobs'))
    assert.equal(asked.length, 1, path)
  }
})

test('cached answers to programs are what fresh ones would be after every change', async (t) => {
  const { app, db, changes } = await aHearingForum(t)
  app.renderLimit.count = () => {}
  const fresh = await testApp(t, db)
  const course = await aCourse(db, { lectures: ['One'] })
  const author = await aMember(db, course)
  const question = await aQuestion(db, { course, author, tags: ['http'] })
  const answer = await anAnswer(db, { question, author })
  const paths = [
    ...['/courses', `/courses/${course.slug}`, `/people/${author.id}`],
    ...['questions', 'tags', 'lectures', 'faq', 'announcements'].map(
      (part) => `/courses/${course.slug}/${part}`,
    ),
    ...[`/questions/${question.id}`, `/answers/${answer.id}`],
    ...['answers', 'replies'].map((part) => `/questions/${question.id}/${part}`),
    `/answers/${answer.id}/replies`,
  ]
  const program = aProgram(app, await aToken({ db }, author, ['read', 'write']))
  const voter = aProgram(app, await aToken({ db }, await aMember(db, course), ['write']))
  const writes: Readonly<Record<string, () => Promise<unknown>>> = {
    vote: () => voter.send('PUT', `/questions/${question.id}/vote`),
    'vote for the answer': () => voter.send('PUT', `/answers/${answer.id}/vote`),
    edit: () => program.send('PATCH', `/questions/${question.id}`, { tags: ['rest'] }, { 'if-match': '"1"' }),
    answer: () => program.send('POST', `/questions/${question.id}/answers`, { body: 'Another one.' }),
    reply: () => program.send('POST', `/answers/${answer.id}/replies`, { body: 'Why?' }),
    accept: () => program.send('PUT', `/answers/${answer.id}/acceptance`),
    'new name': () =>
      db.updateTable('people').set({ display_name: 'Zoe' }).where('id', '=', author.id).execute(),
    ask: () =>
      program.send('POST', `/courses/${course.slug}/questions`, { title: 'New here', body: 'Hello.' }),
    'delete the answer': () => program.send('DELETE', `/answers/${answer.id}`),
  }
  for (const [name, write] of Object.entries(writes)) {
    for (const path of paths) for (let count = 0; count < 2; count += 1) await app.inject(`/api/v1${path}`)
    await write()
    await changes.caughtUp()
    for (const path of paths) {
      const [kept, made] = [await app.inject(`/api/v1${path}`), await fresh.inject(`/api/v1${path}`)]
      assert.equal(kept.statusCode, made.statusCode, `${name}: ${path}`)
      if (kept.statusCode === 200) assert.equal(kept.body, made.body, `${name}: ${path}`)
    }
  }
})
