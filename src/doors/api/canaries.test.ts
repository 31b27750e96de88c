import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { aCourseToken, aToken } from '../../accounts/tokens/testing.ts'
import type { TokenScope } from '../../database/schema.ts'
import { addressesIn, aField, type Canaries, hide, PLANTERS } from '../../rights/canaries-testing.ts'
import { addressesOf } from '../../rights/requests-testing.ts'
import { type Addressed, SUBJECT } from '../../rights/secrets-testing.ts'
import { testAppThatHears } from '../../testing/app.ts'
import { setAudience } from '../../testing/audience.ts'
import { aCourse, aMember, aPerson } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
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

test('no program finds a word of a private question, or the name behind an anonymous post, whose owner or scope may not know it', async (t) => {
  const db = await testDatabase(t)
  const { app, changes } = await testAppThatHears(t, db)
  app.renderLimit.count = () => {}
  app.apiRequests.count = () => ({ count: 1, ttl: 1000 })
  const field = await aField(db)
  const planted: Canaries[] = []
  for (const plant of Object.values(PLANTERS)) planted.push(await plant(field))
  const kept = planted.flatMap((canaries) => canaries.private ?? [])
  const names = planted.flatMap((canaries) => canaries.name ?? [])
  const words = [...kept, ...names]
  const urls = everyAddress(await addressesIn(field))
  assert.ok(urls.length > 60, `${urls.length} addresses`)

  const found = async (token: string | null) => {
    const seen = new Set<string>()
    for (const url of urls) for (const word of await wordsIn(app, url, token, words)) seen.add(word)
    return [...seen].sort()
  }
  // While all of it is open it is there to be found, and answers are kept.
  for (let count = 0; count < 2; count += 1) assert.ok((await found(null)).length >= 5)
  await hide(field)
  await setAudience(db, field.question.id, 'staff')
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
  const leaks: string[] = []
  const look = async (name: string, token: string | null, unentitled: readonly string[]) => {
    const told = (await found(token)).filter((word) => unentitled.includes(word))
    if (told.length > 0) leaks.push(`${name}: ${told.join(', ')}`)
  }
  await look('no token', null, words)
  await look('token of another course', await aCourseToken({ db }, elsewhere), words)
  for (const [name, owner] of Object.entries(owners))
    for (const scopes of COMBINATIONS) {
      const isStaff = (name === 'staff' || name === 'admin') && scopes.includes('staff')
      const unentitled = name === 'asker' ? names : words
      if (!isStaff) await look(`${name}, ${scopes}`, await aToken({ db }, owner, scopes), unentitled)
      const away = await aToken({ db }, owner, scopes, elsewhere.id)
      await look(`${name}, ${scopes}, in another course`, away, words)
    }
  assert.deepEqual(leaks, [])
  for (const token of [
    await aToken({ db }, field.staff, ['read', 'staff']),
    await aCourseToken({ db }, field.course),
  ]) {
    const seen = await found(token)
    const missing = [
      'zyxquarkkepttitle',
      'zyxquarkkeptbody',
      'zyxquarkkeptanswer',
      'zyxquarkkeptreply',
    ].filter((word) => !seen.includes(word))
    assert.deepEqual(missing, [], 'staff read what is theirs to read')
    assert.ok(names.some((name) => seen.includes(name)))
  }
  const asker = await found(await aToken({ db }, field.asker, ['read']))
  assert.ok(asker.includes('zyxquarkkeptbody'), 'the asker reads the question')
})

/** Every address that something can be read at, with queries that look for what is private. */
function everyAddress(addressed: Addressed): string[] {
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
    ],
    listDesk: ['', '?view=all', '?view=private'],
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
    accept: 'application/hal+json, application/jsonl',
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
