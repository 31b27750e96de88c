import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { makeSignInLink } from '../../accounts/sign-in/links.ts'
import { aFolder } from '../../database/embedded/testing.ts'
import { aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { untilWaiting } from '../../testing/waiting.ts'
import { questionPath } from '../../web/paths.ts'
import { HttpBrowser } from './browser-testing.ts'
import { assertStops, startInProcess } from './testing.ts'

test('a forum that drains is not ready, serves everybody, ends kept connections, and then stops with 0', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  const path = questionPath(await aQuestion(db))
  const start = async (DRAIN_SECONDS: string) => {
    const forum = await startInProcess(t, { DATABASE_URL: url, DATA_DIR: await aFolder(t), DRAIN_SECONDS })
    await forum.ready()
    return forum
  }
  await t.test('DRAIN_SECONDS=9999: it serves, and says that it will not for long', async () => {
    const forum = await start('9999')
    const browser = new HttpBrowser(forum.url)
    await browser.signIn(await makeSignInLink(db, (await aPerson(db)).id, forum.url))
    // The first is rendered, the second served from the cache.
    for (let visit = 0; visit < 2; visit += 1) await (await fetch(`${forum.url}${path}`)).text()
    const token = await browser.token(path)
    forum.kill('SIGTERM')
    const notReady = () => fetch(`${forum.url}/readyz`).then(({ status }) => status === 503)
    while (!(await notReady()));
    for (const page of ['/healthz', path, path, '/nowhere', '/questions?sort=votes', '/css/app.css']) {
      const answer = await fetch(`${forum.url}${page}`)
      assert.ok(answer.status < 500, page)
      assert.equal(answer.headers.get('connection'), 'close', page)
      await answer.text()
    }
    const id = /\d+/.exec(path)?.[0]
    const posted = await browser.post(`/questions/${id}/answers`, { _csrf: token, body: 'while it drains' })
    assert.equal(posted.status, 303)
    forum.kill('SIGKILL')
  })
  await t.test('DRAIN_SECONDS=1: it ends by itself', async () => {
    const forum = await start('1')
    await assertStops(forum)
  })
})

test('on an external database: no sample, a set-up link, ids of error pages in the log, and a stop that loses nothing', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  const variables = { DATABASE_URL: url, DATA_DIR: await aFolder(t), LOG_LEVEL: 'info' }
  const forum = await startInProcess(t, variables)
  await forum.ready()

  await t.test('it prints a set-up link that works, and no sign-in links', async () => {
    const link = (await forum.line(/^set-up http/)).split(' ')[1] ?? ''
    assert.ok(link.startsWith(`${forum.url}/set-up?token=`))
    assert.equal((await fetch(link)).status, 200)
    assert.deepEqual(
      forum.lines().filter((line) => /^(instructor|learner) /.test(line)),
      [],
    )
    assert.equal((await db.selectFrom('courses').select('id').execute()).length, 0)
  })

  await t.test('the number on an error page leads to its line in the log', async () => {
    for (const path of ['/nowhere', '/%ff', '/questions/0?token=secret-in-a-query']) {
      const id =
        /<code>([0-9a-f-]{36})</.exec(await (await fetch(`${forum.url}${path}`)).text())?.[1] ?? 'none'
      const line = await forum.line(new RegExp(id))
      assert.match(line, /"status":4\d\d/)
      assert.doesNotMatch(line, /secret-in-a-query/)
    }
  })

  await t.test(
    'SIGTERM: what is under way is finished, nothing new is taken, views are kept, the end is 0',
    async () => {
      const question = await aQuestion(db)
      const path = questionPath(question)
      const browser = new HttpBrowser(forum.url)
      await browser.signIn(await makeSignInLink(db, (await aPerson(db)).id, forum.url))
      const token = await browser.token(path)
      const isUnderWay = Promise.withResolvers<void>()
      const mayFinish = Promise.withResolvers<void>()
      const held = db.transaction().execute(async (write) => {
        await sql`select from questions where id = ${question.id} for update`.execute(write)
        isUnderWay.resolve()
        await mayFinish.promise
      })
      await isUnderWay.promise
      const posting = browser.post(`/questions/${question.id}/answers`, { _csrf: token, body: 'in time' })
      await untilWaiting(db)
      forum.kill('SIGTERM')
      while (
        await fetch(`${forum.url}/healthz`).then(
          (answer) => answer.ok,
          () => false,
        )
      );
      mayFinish.resolve()
      await held
      const posted = await posting
      assert.equal(posted.status, 303)
      assert.equal(posted.headers.get('connection'), 'close', 'the stop waits for no next request')
      assert.match(posted.headers.get('location') ?? '', /#answer-\d+$/)
      assert.deepEqual(await forum.ended, { code: 0, signal: null })
      const row = await db
        .selectFrom('questions')
        .select(['answers_count', 'views_count'])
        .executeTakeFirstOrThrow()
      assert.deepEqual(row, { answers_count: 1, views_count: 1 })
    },
  )
})
