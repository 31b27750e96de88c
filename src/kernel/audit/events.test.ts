import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { hashPassword } from '../../accounts/identity/passwords.ts'
import { aCraftedProvider } from '../../accounts/providers/crafted-provider-testing.ts'
import { PASSWORD } from '../../accounts/testing.ts'
import { connect } from '../../database/connection.ts'
import { aMailServer } from '../../mail/testing.ts'
import { allOperations } from '../../rooms.ts'
import { testAppThatLogs } from '../../testing/app.ts'
import { atEnd } from '../../testing/at-end.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aPerson } from '../../testing/builders.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { aProxy } from '../../testing/proxy.ts'
import { until } from '../../testing/waiting.ts'
import { DOINGS, type World, WRONG } from './doings-testing.ts'
import { EVENTS, type EventName } from './kinds.ts'
import { eventsPage } from './page.ts'

/** Fields of every line: pino's, ours, and the error's stack where something failed. */
const COMMON = ['level', 'time', 'pid', 'hostname', 'reqId', 'msg', 'event', 'personId', 'err']
const LEVELS = { info: 30, warn: 40, error: 50 } as const
/** Words that are typed, mailed, or secret in these scenarios, and must not be logged. */
const UNSAID = [PASSWORD, WRONG, 'six blue doors', '@example', 'nobody reads this']

suite('the log', { concurrency: 2 }, () => {
  for (const name of Object.keys(EVENTS) as EventName[]) {
    test(`has one line of JSON when there is: ${name}`, async (t) => {
      const world = await aWorld(t)
      const [whose, act] = DOINGS[name]
      await act(world)
      await world.noted(name)

      const entries = world.lines.map((line): Record<string, unknown> => JSON.parse(line))
      const entry = entries.findLast(({ event }) => event === name) ?? {}
      assert.equal(entry.level, LEVELS[EVENTS[name].level])
      assert.equal(entry.msg, EVENTS[name].says)
      const known: readonly string[] = [...COMMON, ...EVENTS[name].fields]
      assert.deepEqual(
        Object.keys(entry).filter((field) => !known.includes(field)),
        [],
      )
      if (whose !== 'unasked') {
        assert.match(String(entry.reqId), /^[0-9a-f-]{36}$/)
        assert.equal(entry.personId, await personIdOf(world, whose))
      }
      for (const line of world.lines) {
        for (const words of UNSAID) assert.ok(!line.includes(words), `${words} is in ${line}`)
        assert.doesNotMatch(line, /[\w-]{43}/, 'a token')
        assert.doesNotMatch(line, /REP_ALREADY_SENT/, 'answered twice')
      }
    })
  }

  test('names the route of a page that is not there, and nothing that somebody typed', async (t) => {
    const { app, lines, noted } = await aWorld(t)
    const typed = 'my-secret-word'
    for (const path of [`/tags/${typed}`, `/courses/${typed}`, `/api/v1/courses/${typed}/questions`])
      assert.equal((await visitor(app).get(path, { accept: '*/*' })).statusCode, 404)
    await noted('error-page')
    const paths = lines.map((line): unknown => JSON.parse(line).path).filter((path) => path !== undefined)
    assert.deepEqual(paths, ['/tags/:tag', '/courses/:course', '/api/v1/courses/:course/questions'])
    assert.ok(!lines.join('').includes(typed))
  })

  test('cannot be given lines by what people send', async (t) => {
    const { app, lines } = await aWorld(t)
    const forged = '\n{"level":30,"event":"sign-in","personId":1}'
    await visitor(app).get(`/nowhere/${encodeURIComponent(forged)}`, { 'user-agent': 'x', referer: forged })
    await visitor(app).post('/sign-in', { email: `a${forged}@b.example`, password: forged })
    for (const line of lines) {
      assert.equal(line.trimEnd().split('\n').length, 1)
      assert.notEqual(JSON.parse(line).event, 'sign-in')
    }
    assert.ok(lines.length > 0)
  })

  test('is documented: docs/events.md is the table of events', async () => {
    assert.equal(
      await readFile(join(import.meta.dirname, '../../../docs/events.md'), 'utf8'),
      eventsPage(allOperations()),
    )
  })
})

async function aWorld(t: TestContext): Promise<World & { readonly lines: readonly string[] }> {
  const { db, url } = await testDatabaseWithUrl(t)
  const proxy = await aProxy(t, url)
  const wired = connect(proxy.url)
  atEnd(t, () => wired.destroy())
  const provider = await aCraftedProvider(t)
  const { app, lines } = await testAppThatLogs(t, wired, provider.config)
  const server = await aMailServer(t)
  const passwordHash = await hashPassword(PASSWORD)
  const [person, admin] = [
    await aPerson(db, { passwordHash }),
    await aPerson(db, { passwordHash, isAdmin: true }),
  ]
  const noted = (name: EventName) =>
    until(`${name} is in the log`, () => lines.some((line) => line.includes(`"event":"${name}"`)))
  const [browser, adminBrowser] = [await signedIn(app, person), await signedIn(app, admin)]
  const { url: smtpUrl } = server
  return {
    app,
    db,
    lines,
    person,
    browser,
    admin,
    adminBrowser,
    smtpUrl,
    provider,
    noted,
    cut: () => proxy.close(),
    mend: () => proxy.open(),
  }
}

async function personIdOf({ db, person, admin }: World, whose: 'person' | 'admin' | 'nobody') {
  if (whose === 'nobody') return null
  if (whose === 'person') return person.id
  const { id } = await db
    .selectFrom('people')
    .select('id')
    .where('email', '=', admin.email)
    .executeTakeFirstOrThrow()
  return id
}
