import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { parse } from 'yaml'
import { aFolder } from '../../database/embedded/testing.ts'
import { EVENTS } from '../../kernel/audit/kinds.ts'
import { someMail } from '../../mail/testing.ts'
import { aQuestion } from '../../testing/builders.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { until } from '../../testing/waiting.ts'
import { questionPath } from '../../web/paths.ts'
import { HttpBrowser } from '../start/browser-testing.ts'
import { assertStops, freePort, type StartedForum, startInProcess } from '../start/testing.ts'

test('METRICS_PORT: what is asked for, cached, waiting and used can be read, beside the forum', async (t) => {
  const { db, forum, url, question } = await aMeasuredForum(t, {
    ...{ BACKUP_EVERY: '6h', BACKUP_DIR: await aFolder(t) },
  })
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
    const duration = 'http_request_duration_seconds_count{route="/questions/:id/:slug",status="2xx"}'
    assert.equal(figureOf(text, duration), 5)
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
    // While the process starts, its own work may wait.
    await until('none waits', async () => figureOf(await read(url), 'handup_database_waiting') === 0)
    assert.equal(figureOf(text, jobsOf(text, 'mail', 'waiting')), 1)
    for (const name of ['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes'])
      figureOf(text, name)
    await aQuestion(db, { answers: 1 })
    assert.ok(figureOf(await read(url), 'handup_page_cache_drops_total{readers="visitors"}') >= 0)
  })

  await t.test('jobs of kinds of which none wait, streams, events, disks and backups', async () => {
    assert.equal(figureOf(text, jobsOf(text, 'promise', 'failed')), 0)
    assert.equal(figureOf(text, 'handup_streams_open'), 0)
    const leaving = new AbortController()
    const stream = await fetch(`${forum.url}/live/questions/${question.id}`, { signal: leaving.signal })
    assert.equal(stream.status, 200)
    assert.equal(figureOf(await read(url), 'handup_streams_open'), 1)
    leaving.abort()
    const browser = new HttpBrowser(forum.url)
    const _csrf = await browser.token('/sign-in')
    await browser.post('/sign-in', { _csrf, email: 'nobody@example.com', password: 'not the right one' })
    const later = await read(url)
    assert.equal(figureOf(later, 'handup_events_total{event="sign-in-refused"}'), 1)
    assert.equal(figureOf(later, 'handup_events_total{event="limited"}'), 0)
    assert.equal(figureOf(later, 'handup_mails_total{outcome="returned"}'), 0)
    assert.ok(figureOf(later, 'handup_disk_free_bytes{place="data"}') > 1e6)
    await until('a backup is made', async () => /^handup_backup_age_seconds \d/m.test(await read(url)))
  })

  await t.test('docs/alerts.yml has rules about metrics that exist, and nothing else', async () => {
    const rules = rulesIn(await readFile(join(import.meta.dirname, '../../../docs/alerts.yml'), 'utf8'))
    assert.ok(rules.length > 10)
    const now = await read(url)
    for (const { alert, expr, annotations } of rules) {
      assert.match(alert, /^Handup[A-Z]\w+$/)
      assert.ok((annotations?.summary ?? '').length > 20, alert)
      const metrics = expr
        .replaceAll('histogram_quantile', '')
        .matchAll(/\b([a-z]+_[a-z0-9_]+)(?:\{([^}]*)\})?/g)
      for (const [, name = '', labels = ''] of metrics) {
        assert.match(now, new RegExp(`^${name}[{ ]`, 'm'), `${alert}: ${name}`)
        for (const [, label = ''] of labels.matchAll(/(\w+)\s*(?:=|!=|=~|!~)"/g))
          if (label !== 'job')
            assert.match(now, new RegExp(`^${name}\\{[^}]*\\b${label}="`, 'm'), `${alert}: ${label}`)
      }
      for (const [, event = ''] of expr.matchAll(/event=~?"([^"]+)"/g))
        for (const one of event.split('|')) assert.ok(one in EVENTS, one)
    }
  })

  await t.test('nothing else is there, and nothing of it on the forum’s own port', async () => {
    assert.equal((await fetch(`${url}/`)).status, 404)
    assert.equal((await fetch(`${url}/metrics`, { method: 'POST' })).status, 404)
    assert.equal((await fetch(`${forum.url}/metrics`)).status, 404)
  })

  await t.test('the stop ends it too', async () => {
    await assertStops(forum)
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
  assert.equal(figureOf(text, jobsOf(text, 'mail', 'waiting')), 1)
  await assertStops(forum)
})

async function aMeasuredForum(t: TestContext, more: Readonly<Record<string, string>>) {
  const { db, url } = await testDatabaseWithUrl(t)
  // Before the forum hears of changes: late news of the question would drop its page, and be counted.
  const question = await aQuestion(db)
  const metricsPort = String(await freePort())
  const variables = { DATABASE_URL: url, DATA_DIR: await aFolder(t), METRICS_PORT: metricsPort, ...more }
  const forum: StartedForum = await startInProcess(t, variables)
  await forum.line(/^Handup is ready/)
  // A process that has just started may be late with everything, and refuse pages: each of two workers gets every other visit.
  await until('no process is late', async () => {
    const page = `${forum.url}/sign-in`
    return (await visitAlone(page)) === 200 && (await visitAlone(page)) === 200
  })
  return { db, forum, question, url: `http://127.0.0.1:${metricsPort}` }
}

async function read(url: string): Promise<string> {
  const answer = await fetch(`${url}/metrics`)
  assert.equal(answer.status, 200)
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  return answer.text()
}

/** The name of a figure about jobs, whose database has a name of its own. */
function jobsOf(text: string, kind: string, state: string): string {
  const name = new RegExp(`^handup_jobs\\{database="[^"]+",kind="${kind}",state="${state}"\\}`, 'm')
  return name.exec(text)?.[0] ?? `${name}`
}

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly annotations?: { readonly summary?: string }
}

function rulesIn(text: string): Rule[] {
  const { groups } = parse(text) as { groups: { rules: Rule[] }[] }
  return groups.flatMap(({ rules }) => rules)
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
