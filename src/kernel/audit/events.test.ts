import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { hashPassword } from '../../accounts/identity/passwords.ts'
import { aCraftedProvider } from '../../accounts/providers/crafted-provider-testing.ts'
import { PASSWORD } from '../../accounts/testing.ts'
import { connect } from '../../database/connection.ts'
import { EXAMPLES } from '../../examples-testing.ts'
import { aMailServer } from '../../mail/testing.ts'
import { allOperations } from '../../rooms.ts'
import { testAppThatLogs } from '../../testing/app.ts'
import { atEnd } from '../../testing/at-end.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aPerson } from '../../testing/builders.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { anExampleForum, examplesOf, send, TYPED } from '../../testing/examples.ts'
import { aProxy } from '../../testing/proxy.ts'
import { until } from '../../testing/waiting.ts'
import { DOINGS, type World, WRONG } from './doings-testing.ts'
import { EVENTS, type EventName } from './kinds.ts'
import { eventsPage } from './page.ts'

/** Fields of every line: pino's, ours, and the error's stack where something failed. */
const COMMON = ['level', 'time', 'pid', 'hostname', 'reqId', 'msg', 'event', 'personId', 'err']
const LEVELS = { info: 30, warn: 40, error: 50 } as const
/** Words that are typed, mailed, or secret in these scenarios, and must not be logged. */
const UNSAID = [
  PASSWORD,
  WRONG,
  'six blue doors',
  '@example',
  'nobody reads this',
  'receiver.example',
  'whsec_',
  TYPED,
]

suite('the log', { concurrency: 2 }, () => {
  test('has one line of JSON for what each operation notes', async (t) => {
    const { forum, lines, undone } = await anExampleForum(t)
    const { prepare } = examplesOf(EXAMPLES, forum.app.forms)
    const formed = new Set([...forum.app.forms.values()].flat())
    const seen = new Set<string>()
    for (const { name, events } of allOperations()) {
      if (events.length === 0 || !formed.has(name)) continue
      await t.test(name, () =>
        undone(async () => {
          const sending = await prepare(forum, name)
          lines.length = 0
          await send(sending)
          const noted = entriesOf(lines).filter(({ event }) => events.some((one) => one === event))
          for (const entry of noted) {
            const event = String(entry.event) as EventName
            mustBeLine(event, entry)
            if (sending.as === 'visitor') continue
            assert.equal(entry.personId, forum[sending.as].id)
            seen.add(event)
          }
          mustTellNothing(lines)
        }),
      )
    }
    const others = Object.keys(EVENTS).filter((event) => !seen.has(event))
    assert.deepEqual(others, Object.keys(DOINGS), 'events of no example are in doings-testing.ts')
  })

  for (const [name, [whose, act]] of Object.entries(DOINGS))
    test(`has one line of JSON when there is: ${name}`, async (t) => {
      const world = await aWorld(t)
      await act(world)
      await world.noted(name as EventName)
      const entry = entriesOf(world.lines).findLast(({ event }) => event === name) ?? {}
      mustBeLine(name as EventName, entry)
      if (whose !== 'unasked') {
        assert.match(String(entry.reqId), /^[0-9a-f-]{36}$/)
        assert.equal(entry.personId, await personIdOf(world, whose))
      }
      mustTellNothing(world.lines)
    })

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

const entriesOf = (lines: readonly string[]) => lines.map((line): Record<string, unknown> => JSON.parse(line))

/** That a line is one of its event, with fields of that and no others. */
function mustBeLine(name: EventName, entry: Readonly<Record<string, unknown>>): void {
  assert.equal(entry.level, LEVELS[EVENTS[name].level])
  assert.equal(entry.msg, EVENTS[name].says)
  const known: readonly string[] = [...COMMON, ...EVENTS[name].fields]
  assert.deepEqual(
    Object.keys(entry).filter((field) => !known.includes(field)),
    [],
  )
}

function mustTellNothing(lines: readonly string[]): void {
  for (const line of lines) {
    for (const words of UNSAID) assert.ok(!line.includes(words), `${words} is in ${line}`)
    assert.doesNotMatch(line, /[\w-]{43}/, 'a token')
    assert.doesNotMatch(line, /REP_ALREADY_SENT/, 'answered twice')
  }
}

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
