import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import type { Database } from '../../database/schema.ts'
import { refreshStatistics } from '../../forum/search/statistics.ts'
import { registerFigures } from '../../operating/metrics/figures.ts'
import { testAppThatHears } from '../../testing/app.ts'
import { setAudience } from '../../testing/audience.ts'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { type EventStream, openEventStream } from '../../testing/event-stream.ts'
import { until } from '../../testing/waiting.ts'
import { handupHere } from '../../tools/cli/testing.ts'
import { aField, type Field, hide, plantAll, TAG } from './canaries-testing.ts'

/** Somebody, and whether they read the private question and work at the desk. */
interface Listener {
  readonly name: string
  readonly browser: Browser
  readonly reads: boolean
  readonly isStaff: boolean
}

interface Stream extends EventStream {
  readonly status: number
  /** The event that it is for; bells ring in all of them. */
  readonly event: string
}

test('no live stream tells that something happens in a private question, or whose an anonymous one is', async (t) => {
  const { app, db, field, words } = await aHiddenField(t)
  const listeners = await everybody(app, db, field)
  const heard = new Map<string, Stream>()
  const opened = async (path: string, sees: (listener: Listener) => number) => {
    for (const listener of listeners) {
      const stream = await listen(t, app, listener.browser, path)
      assert.equal(stream.status, sees(listener), `${path} for ${listener.name}`)
      if (stream.status === 200) heard.set(`${path} for ${listener.name}`, stream)
    }
  }
  const { course, question, hidden, asker, staff } = field
  const tag = await db.selectFrom('tags').select('id').where('name', '=', TAG).executeTakeFirstOrThrow()
  const lists = ['', `course=${course.id}`, `course=${course.id}&lecture=${course.lectureIds[0]}`]
  const silent = [`tag=${tag.id}`, `author=${hidden.id}`, `author=${asker.id}`]
  for (const query of [...lists, ...silent]) await opened(`/live/questions?${query}`, () => 200)
  await opened(`/live/questions/${question.id}`, ({ reads }) => (reads ? 200 : 404))
  const isVisitor = ({ name }: Listener) => name === 'visitor'
  await opened(`/courses/${course.slug}/desk/live`, (one) => (isVisitor(one) ? 303 : one.isStaff ? 200 : 403))
  await opened('/live/notifications', (one) => (isVisitor(one) ? 303 : 200))
  const first = new Map<string, number>()
  for (const [name, stream] of heard) {
    await until(`${name} begins`, () => numbersIn(stream).length > 0)
    first.set(name, numbersIn(stream)[0] ?? 0)
  }

  const more = { course, lectureId: course.lectureIds[0] ?? 0, tags: [TAG] }
  await anAnswer(db, { question, author: staff })
  await aReply(db, { question, author: asker })
  await aQuestion(db, { ...more, author: asker, audience: 'staff' })
  await aQuestion(db, { ...more, tags: [], author: hidden, isAnonymous: true })
  for (const [name, stream] of heard) {
    const base = first.get(name) ?? 0
    if (lists.some((query) => name.startsWith(`/live/questions?${query} for`))) {
      await until(`${name} hears of the anonymous one`, () => numbersIn(stream).includes(base + 1))
      assert.deepEqual(new Set(numbersIn(stream)), new Set([base, base + 1]), name)
    }
    if (silent.some((query) => name.startsWith(`/live/questions?${query} for`)))
      assert.deepEqual(new Set(numbersIn(stream)), new Set([base]), name)
    assert.deepEqual(
      words.filter((word) => stream.text.includes(word)),
      [],
      name,
    )
  }
  for (const { name, reads } of listeners) {
    const path = `/live/notifications for ${name}`
    const bell = heard.get(path)
    // What was public may have rung it before.
    if (bell !== undefined && !reads) assert.deepEqual(numbersIn(bell), [first.get(path)], name)
  }
})

test('a live stream of a question ends for everybody when it becomes private', async (t) => {
  const { db } = await testDatabaseWithUrl(t)
  const { app } = await testAppThatHears(t, db)
  const field = await aField(db)
  const path = `/live/questions/${field.question.id}`
  const listeners = await everybody(app, db, field)
  const streams = await Promise.all(listeners.map(({ browser }) => listen(t, app, browser, path)))
  for (const stream of streams) await until('it begins', () => numbersIn(stream).length > 0)
  await setAudience(db, field.question.id, 'staff')
  for (const stream of streams) await until('it ends', () => stream.hasEnded)
  await anAnswer(db, { question: field.question, author: field.staff })
  for (const { name, browser, reads } of listeners)
    assert.equal((await listen(t, app, browser, path)).status, reads ? 200 : 404, name)
})

test('no command prints and no figure has a word of a private question, or the name behind an anonymous post', async (t) => {
  const { app, db, url, field, words } = await aHiddenField(t, { metrics: { host: '127.0.0.1', port: 0 } })
  const admin = await aPerson(db, { isAdmin: true, email: 'admin@example.org' })
  const environment = { DATABASE_URL: url, NODE_ENV: 'production', SECRET: 's'.repeat(40), SAMPLE: 'off' }
  // A counter is wrong: what is printed of it is its question's number.
  await db.updateTable('questions').set({ votes_count: 77 }).where('audience', '=', 'staff').execute()
  const commands = [
    'course list',
    'recount',
    'recount --fix',
    'reindex',
    'rerender',
    'migrate',
    'doctor',
    `user link ${admin.email}`,
  ]
  for (const command of commands) {
    const { output } = await handupHere(environment, ...command.split(' '))
    assert.ok(output.length > 0, command)
    assert.deepEqual(
      words.filter((word) => output.includes(word)),
      [],
      `${command}: ${output}`,
    )
  }
  const { metrics } = app
  assert.ok(metrics !== null)
  await registerFigures(app, metrics)
  for (const { browser } of await everybody(app, db, field))
    for (const path of ['/questions', '/search?q=zyxquarkkepttitle']) await browser.get(path)
  const figures = await metrics.metrics()
  assert.match(figures, /http_requests_total/)
  assert.deepEqual(
    words.filter((word) => figures.includes(word)),
    [],
  )
})

/** A forum in which everything is planted, and hidden by now. */
async function aHiddenField(t: TestContext, overrides: Partial<Config> = {}) {
  const { db, url } = await testDatabaseWithUrl(t)
  const { app, changes } = await testAppThatHears(t, db, overrides)
  const field = await aField(db)
  const { kept, names, hidden, own, never } = await plantAll(field)
  await refreshStatistics(db)
  await hide(field)
  await changes.caughtUp()
  return { app, db, url, field, words: [...kept, ...names, ...hidden, ...own, ...never] }
}

async function everybody(app: FastifyInstance, db: Database, field: Field): Promise<Listener[]> {
  const elsewhere = await aMember(db, await aCourse(db), 'instructor')
  const known = [
    { name: 'outsider', person: await aPerson(db), reads: false, isStaff: false },
    { name: 'instructor elsewhere', person: elsewhere, reads: false, isStaff: false },
    { name: 'classmate', person: field.classmate, reads: false, isStaff: false },
    { name: 'asker', person: field.asker, reads: true, isStaff: false },
    { name: 'staff', person: field.staff, reads: true, isStaff: true },
    { name: 'admin', person: await aPerson(db, { isAdmin: true }), reads: true, isStaff: true },
  ]
  const listeners: Listener[] = [{ name: 'visitor', browser: visitor(app), reads: false, isStaff: false }]
  for (const { person, ...one } of known) listeners.push({ ...one, browser: await signedIn(app, person) })
  return listeners
}

/** Opens a stream, until the test ends. */
async function listen(t: TestContext, app: FastifyInstance, browser: Browser, path: string): Promise<Stream> {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const stream = await openEventStream(t, app, path, { cookie })
  const event = EVENTS.find(([pattern]) => pattern.test(path))?.[1] ?? assert.fail(path)
  return Object.assign(stream, { status: stream.response.statusCode ?? 0, event })
}

const EVENTS: readonly (readonly [RegExp, string])[] = [
  [/^\/live\/questions\/\d/, 'answers'],
  [/^\/live\/questions/, 'questions'],
  [/\/desk\/live$/, 'desk'],
  [/^\/live\/notifications$/, 'notifications'],
]

/** What a stream told, in order. */
function numbersIn({ event, text }: Stream): number[] {
  return [...text.matchAll(new RegExp(`event: ${event}\ndata: (\\d+)`, 'g'))].map((match) => Number(match[1]))
}
