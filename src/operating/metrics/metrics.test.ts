import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { aFolder } from '../../database/embedded/testing.ts'
import { someMail } from '../../mail/testing.ts'
import { aQuestion } from '../../testing/builders.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { until } from '../../testing/waiting.ts'
import { questionPath } from '../../web/paths.ts'
import { assertOneLine, freePort, type StartedForum, startInProcess } from '../start/testing.ts'

test('METRICS_PORT: what is asked for, cached, waiting and used can be read, beside the forum', async (t) => {
  const { db, forum, url, question } = await aMeasuredForum(t, {})
  const path = questionPath(question)
  for (let visit = 0; visit < 5; visit += 1) await visitAlone(`${forum.url}${path}`)
  await visitAlone(`${forum.url}/no-such-page/with-words-of-mine`)
  await visitAlone(`${forum.url}/search?q=words-of-mine`)
  await someMail(db, {})
  const text = await read(url)

  await t.test('answers, by the pattern of their route and their status', () => {
    assert.equal(
      figureOf(text, 'http_requests_total{method="GET",route="/questions/:id/:slug",status="200"}'),
      5,
    )
    assert.equal(figureOf(text, 'http_requests_total{method="",route="(none)",status="404"}'), 1)
    assert.equal(figureOf(text, 'http_request_duration_seconds_count{route="/questions/:id/:slug"}'), 5)
    assert.doesNotMatch(text, /words-of-mine/)
    assert.ok(!text.includes(question.title))
  })

  await t.test('cached pages', () => {
    assert.equal(figureOf(text, 'handup_page_cache_hits_total{readers="visitors"}'), 3)
    assert.ok(figureOf(text, 'handup_page_cache_misses_total{readers="visitors"}') >= 1)
    assert.ok(figureOf(text, 'handup_page_cache_pages{readers="visitors"}') >= 1)
    assert.ok(figureOf(text, 'handup_page_cache_bytes{readers="visitors"}') > 1000)
    assert.equal(figureOf(text, 'handup_changes_live'), 1)
  })

  await t.test('connections, mails, the event loop, the process', async () => {
    assert.ok(figureOf(text, 'handup_database_connections') >= 1)
    assert.equal(figureOf(text, 'handup_database_waiting'), 0)
    assert.equal(figureOf(text, 'handup_jobs{kind="mail",state="waiting"}'), 1)
    for (const name of ['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes'])
      figureOf(text, name)
    await aQuestion(db, { answers: 1 })
    assert.ok(figureOf(await read(url), 'handup_page_cache_drops_total{readers="visitors"}') >= 0)
  })

  await t.test('nothing else is there, and nothing of it on the forum’s own port', async () => {
    assert.equal((await fetch(`${url}/`)).status, 404)
    assert.equal((await fetch(`${url}/metrics`, { method: 'POST' })).status, 404)
    assert.equal((await fetch(`${forum.url}/metrics`)).status, 404)
  })

  await t.test('the stop ends it too', async () => {
    forum.kill('SIGTERM')
    assert.deepEqual(await forum.ended, { code: 0, signal: null })
    await assert.rejects(fetch(`${url}/metrics`))
  })
})

test('METRICS_PORT with WORKERS: one reading has all of them', async (t) => {
  const { db, forum, url, question } = await aMeasuredForum(t, { WORKERS: '2' })
  const path = questionPath(question)
  await someMail(db, {})
  for (let visit = 0; visit < 8; visit += 1) await visitAlone(`${forum.url}${path}`)
  const text = await read(url)
  assert.equal(
    figureOf(text, 'http_requests_total{method="GET",route="/questions/:id/:slug",status="200"}'),
    8,
  )
  assert.equal(
    figureOf(text, 'handup_page_cache_hits_total{readers="visitors"}'),
    4,
    'each rendered it twice',
  )
  assert.equal(figureOf(text, 'handup_changes_live'), 1)
  assert.equal(figureOf(text, 'handup_jobs{kind="mail",state="waiting"}'), 1)
  forum.kill('SIGTERM')
  assert.deepEqual(await forum.ended, { code: 0, signal: null })
})

test('METRICS_PORT: one that is taken stops the start with one line that names it', async (t) => {
  const { variables, metricsPort } = await aMeasuredForum(t, {})
  const second = await startInProcess(t, { ...variables, METRICS_PORT: metricsPort })
  await assertOneLine(second, /METRICS_PORT \d+ on 127\.0\.0\.1 is in use/)
})

async function aMeasuredForum(t: TestContext, more: Readonly<Record<string, string>>) {
  const { db, url } = await testDatabaseWithUrl(t)
  // Before the forum hears of changes: late news of the question would drop its page, and be counted.
  const question = await aQuestion(db)
  const metricsPort = String(await freePort())
  const variables = { DATABASE_URL: url, DATA_DIR: await aFolder(t), ...more }
  const forum: StartedForum = await startInProcess(t, { ...variables, METRICS_PORT: metricsPort })
  await forum.line(/^Handup is ready/)
  // A process that has just started may be late with everything, and refuse pages: each of two workers gets every other visit.
  await until('no process is late', async () => {
    const page = `${forum.url}/sign-in`
    return (await visitAlone(page)) === 200 && (await visitAlone(page)) === 200
  })
  return { db, forum, question, variables, metricsPort, url: `http://127.0.0.1:${metricsPort}` }
}

async function read(url: string): Promise<string> {
  const answer = await fetch(`${url}/metrics`)
  assert.equal(answer.status, 200)
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  return answer.text()
}

/** The value of the line with this prefix. */
function figureOf(text: string, name: string): number {
  const line = text.split('\n').find((one) => one.startsWith(`${name} `))
  assert.ok(line !== undefined, `${name} is not in\n${text}`)
  return Number(line.slice(name.length))
}

/** On a connection of its own: each one goes to the next worker. @returns the status */
async function visitAlone(url: string): Promise<number> {
  const answer = await fetch(url, {
    headers: { connection: 'close', 'user-agent': 'Mozilla/5.0 Firefox/140.0' },
  })
  await answer.arrayBuffer()
  return answer.status
}
