import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { dayAhead } from '../../accounts/tokens/own-tokens.ts'
import { aCourseToken, aToken } from '../../accounts/tokens/testing.ts'
import type { TokenScope } from '../../database/schema.ts'
import { eventCursor, readEventLog } from '../../forum/events/cursor.ts'
import { numberEvents } from '../../forum/events/numbering.ts'
import { numberAt } from '../../forum/events/testing.ts'
import { hideCourse, restoreCourse } from '../../forum/purging/course-deletion.ts'
import { addressesIn, aField, HELD, hide, plantAll } from '../../kernel/rights/canaries-testing.ts'
import { addressesOf } from '../../kernel/rights/requests-testing.ts'
import { type Addressed, SUBJECT } from '../../kernel/rights/secrets-testing.ts'
import { testApp, testAppThatHears } from '../../testing/app.ts'
import { aCourse, aMember, aPerson } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { openEventStream } from '../../testing/event-stream.ts'
import { undoneDatabase } from '../../testing/undone.ts'
import { until } from '../../testing/waiting.ts'
import { within } from '../../testing/within.ts'
import { ENDPOINTS } from './endpoints.ts'
import { holdAgainstDocument } from './testing.ts'

/** Every combination of scopes that reads something. */
const COMBINATIONS: readonly (readonly TokenScope[])[] = [
  ['read'],
  ['read', 'write'],
  ['staff'],
  ['write', 'staff'],
  ['read', 'staff'],
  ['read', 'write', 'staff'],
]

test('no program finds a word of a private question, of a held or hidden post, or the name behind an anonymous post, whose owner or scope may not know it', async (t) => {
  const db = await testDatabase(t)
  const { app, changes } = await testAppThatHears(t, db)
  app.renderLimit.count = () => {}
  app.apiRequests.count = () => ({ count: 1, ttl: 1000 })
  const field = await aField(db)
  const { kept, names, hidden, ofStaff, never, cases } = await plantAll(field)
  const words = [...kept, ...ofStaff, ...names, ...hidden, ...never]
  await numberEvents(db)
  const since = eventCursor(await readEventLog(db), 0)
  const urls = everyAddress(await addressesIn(field), since)
  assert.ok(cases.length > 1 && cases.every((url) => urls.includes(url)))
  assert.ok(urls.length > 60, `${urls.length} addresses`)

  const found = async (token: string | null) => {
    const seen = new Set<string>()
    for (const url of urls) for (const word of await wordsIn(app, url, token, words)) seen.add(word)
    const streamed = await streamOf(t, app, token, since)
    for (const word of words.filter((one) => streamed.includes(one))) seen.add(word)
    return [...seen].sort()
  }
  // While all of it is open it is there to be found, and answers are kept.
  for (let count = 0; count < 2; count += 1) assert.ok((await found(null)).length >= 5)
  await hide(field)
  await numberEvents(db)
  await changes.caughtUp()

  const elsewhere = await aCourse(db)
  const instructorElsewhere = await aMember(db, elsewhere, 'instructor')
  const admin = await aPerson(db, { isAdmin: true })
  const owners = {
    outsider: await aPerson(db),
    'instructor elsewhere': instructorElsewhere,
    'former staff': field.former,
    classmate: field.classmate,
    asker: field.asker,
    staff: field.staff,
    admin,
  }
  const look = (name: string, token: string | null, unentitled: readonly string[]) =>
    t.test(name, async () => {
      const told = (await found(token)).filter((word) => unentitled.includes(word))
      assert.deepEqual(told, [])
    })
  await look('no token', null, words)
  await look('token of another course', await aCourseToken({ db }, elsewhere), words)
  for (const [name, owner] of Object.entries(owners))
    for (const scopes of COMBINATIONS) {
      const isStaff = (name === 'staff' || name === 'admin') && scopes.includes('staff')
      const unentitled = name === 'asker' ? [...ofStaff, ...names, ...hidden, ...never] : words
      if (!isStaff) await look(`${name}, ${scopes}`, await aToken({ db }, owner, scopes), unentitled)
      const away = await aToken({ db }, owner, scopes, elsewhere.id)
      await look(`${name}, ${scopes}, in another course`, away, words)
    }
  const reading = [
    await aToken({ db }, field.staff, ['read', 'staff']),
    await aToken({ db }, field.staff, ['read', 'staff'], field.course.id),
    await aCourseToken({ db }, field.course),
  ]
  for (const token of reading) {
    const seen = await found(token)
    const missing = [
      'zyxquarkkepttitle',
      'zyxquarkkeptbody',
      'zyxquarkkeptanswer',
      'zyxquarkkeptreply',
      'zyxquarkkeptstaffnote',
      `${HELD}body`,
      `${HELD}reply`,
    ].filter((word) => !seen.includes(word))
    assert.deepEqual(missing, [], 'staff read what is theirs to read')
    assert.deepEqual(
      never.filter((word) => seen.includes(word)),
      [],
      'no program reads what is for no one',
    )
    assert.ok(names.some((name) => seen.includes(name)))
  }
  const asker = await found(await aToken({ db }, field.asker, ['read']))
  assert.ok(asker.includes('zyxquarkkeptbody'), 'the asker reads the question')

  await within(db, hideCourse, field.course.id)
  await changes.caughtUp()
  for (const [place, token] of reading.entries())
    await look(`token ${place} of staff after the course was deleted`, token, words)
  await within(db, restoreCourse, field.course.id)
  await changes.caughtUp()
  const [, ...ofCourse] = reading
  for (const token of ofCourse) await look('token of a course after it was restored', token, words)
})

test('nothing that a program writes answers with a word of a private question, of a held or hidden post, or the name behind an anonymous post', async (t) => {
  const { db, undone } = await undoneDatabase(t)
  const app = await testApp(t, db)
  app.apiRequests.count = () => ({ count: 1, ttl: 1000 })
  const field = await aField(db)
  const { kept, ofStaff, ...planted } = await plantAll(field)
  await hide(field)
  const hidden = [...planted.names, ...planted.hidden]
  const words = [...kept, ...ofStaff, ...hidden]
  const addressed = await addressesIn(field)
  const writes = ENDPOINTS.filter(({ method }) => method !== 'GET').flatMap((endpoint) =>
    addressesOf(endpoint.path, addressed).map((url) => ({ ...endpoint, url })),
  )
  assert.ok(writes.length > 100, `${writes.length} writes`)
  const elsewhere = await aCourse(db)
  const instructor = await aMember(db, elsewhere, 'instructor')
  const owners = { instructor, 'former staff': field.former, classmate: field.classmate, asker: field.asker }
  const statuses = new Set<number>()
  for (const [name, owner] of Object.entries(owners))
    for (const scopes of WRITING)
      await t.test(`${name}, ${scopes}`, async () => {
        const unentitled = name === 'asker' ? hidden : words
        const token = await aToken({ db }, owner, scopes)
        const leaks: string[] = []
        for (const { method, url, body } of writes) {
          const headers = { authorization: `Bearer ${token}`, 'if-match': '*' }
          const payload =
            body === null || body.hasFile === true ? {} : { payload: sentTo(Object.keys(body.fields)) }
          const request = { method, url: `/api/v1${url}`, headers, remoteAddress: aNetwork(), ...payload }
          const answer = await undone(() => app.inject(request))
          holdAgainstDocument(method, url, answer)
          assert.notEqual(answer.statusCode, 429, url)
          statuses.add(answer.statusCode)
          const text = `${JSON.stringify(answer.headers)}\n${answer.body}`
          const told = unentitled.filter((word) => text.includes(word))
          if (told.length > 0) leaks.push(`${method} ${url}: ${told.join(', ')}`)
        }
        assert.deepEqual(leaks, [])
      })
  for (const status of [200, 201, 204, 403, 404])
    assert.ok(statuses.has(status), `none was answered ${status}`)
})

/** Combinations of scopes that write; what the others are told, the endpoints decide before they look. */
const WRITING: readonly (readonly TokenScope[])[] = [['write'], ['read', 'write', 'staff']]

/** What endpoints can take, of these fields. */
function sentTo(fields: readonly string[]): Readonly<Record<string, unknown>> {
  const values: Readonly<Record<string, unknown>> = {
    ...{ title: 'What do programs write?', body: 'Nothing that is secret.', until: dayAhead(3) },
    ...{ of: 1, assignee: 'me', decision: 'decline', version: 1 },
  }
  return Object.fromEntries(fields.flatMap((name) => (name in values ? [[name, values[name]]] : [])))
}

/** All that a stream of events tells a program. @param since a cursor */
async function streamOf(t: TestContext, app: FastifyInstance, token: string | null, since: string) {
  const stream = await openEventStream(t, app, `/api/v1/events?after=${since}`, {
    accept: 'text/event-stream',
    ...(token !== null && { authorization: `Bearer ${token}` }),
  })
  // Its token has ended, or doesn't read.
  if ([401, 403].includes(stream.response.statusCode ?? 0)) return ''
  assert.equal(stream.response.statusCode, 200)
  await until('it has told all', async () => {
    await app.eventStreams.keepAlive()
    const [, place] = /:\nid: (.+)\n\n$/.exec(stream.text) ?? []
    return place !== undefined && (await numberAt(app.db, place)) === (await numberAt(app.db, 'latest'))
  })
  app.eventStreams.end(() => true)
  return stream.text
}

/** Every address that something can be read at, with queries that look for what is private. @param since a cursor of events */
function everyAddress(addressed: Addressed, since: string): string[] {
  const subject = encodeURIComponent(SUBJECT)
  const queries: Readonly<Record<string, readonly string[]>> = {
    search: [`?q=${subject}`, '?q=zyxquark', '?q=by%3Azyxquarkhidden'],
    similarQuestions: [`?title=${subject}`],
    listQuestions: [
      '',
      '?sort=active',
      '?status=unresolved&sort=votes',
      '?tag=http',
      '?lecture=1',
      '?mine=1',
      '?include=answers,replies',
      `?updated_after=${since}`,
    ],
    readQuestion: ['', '?include=answers,replies'],
    listQuestionsOfPerson: ['', '?include=answers,replies'],
    listAnswers: ['', '?include=replies', `?updated_after=${since}`],
    listReplies: ['', `?updated_after=${since}`],
    listRepliesToQuestion: ['', `?updated_after=${since}`],
    listEvents: ['?limit=100', `?after=${since}&limit=100`],
    readAnswer: ['', '?include=replies'],
    listDesk: ['', '?view=all', '?view=private'],
    listCases: ['', '?view=decided'],
    exportCourse: ['', '?pseudonymous=1'],
  }
  return ENDPOINTS.filter(({ method }) => method === 'GET').flatMap(({ path, name }) =>
    addressesOf(path, addressed).flatMap((url) => (queries[name] ?? ['']).map((query) => `${url}${query}`)),
  )
}

async function wordsIn(
  app: FastifyInstance,
  url: string,
  token: string | null,
  words: readonly string[],
): Promise<string[]> {
  const headers = {
    // What is in a post is read with the forms that are made of it, too.
    accept: url.includes('include=')
      ? 'application/prs.hal-forms+json'
      : 'application/hal+json, application/jsonl',
    ...(token !== null && { authorization: `Bearer ${token}` }),
  }
  const answer = await app.inject({ url: `/api/v1${url}`, headers, remoteAddress: aNetwork() })
  assert.notEqual(answer.statusCode, 429, url)
  holdAgainstDocument('GET', url, answer)
  const text = `${JSON.stringify(answer.headers)}\n${answer.body}`
  return words.filter((word) => !url.includes(word) && text.includes(word))
}

let networks = 0
/** Each request from another one: what is looked for here is not how often. */
function aNetwork(): string {
  networks += 1
  return `10.${(networks >> 16) & 255}.${(networks >> 8) & 255}.${networks & 255}`
}
