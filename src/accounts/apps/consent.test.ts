import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { caseOf, decided, reported } from '../../forum/cases/testing.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { rowsOf, setRows } from '../../testing/rows.ts'
import { anOwner, PASSWORD } from '../testing.ts'
import { type App, leadsTo } from './app.ts'
import { NoDocument } from './client-document.ts'
import {
  agentsOn,
  anAppToken,
  aRegisteredApp,
  askingPath,
  backIn,
  CALLBACK,
  DESCRIBED,
  decide,
  versionShown,
} from './testing.ts'

suite('an app asks a person for access', () => {
  const forum = sharedForum()

  async function aScene(made: Partial<App> = {}) {
    await agentsOn(forum.db)
    const person = await aPerson(forum.db)
    const client = await aRegisteredApp(forum.db, made)
    return { person, client, browser: await signedIn(forum.app, person), path: askingPath(forum.app, client) }
  }

  test('the page says who asks, where it leads and what it could do, and no other page can frame it', async () => {
    const { browser, path } = await aScene({ name: 'A <b>bold</b> one' })
    const shown = await browser.get(path)
    const text = textOf(shown.body)
    for (const said of [
      'A <b>bold</b> one',
      'assistant.example',
      'Draft answers',
      'See what waits for staff',
    ])
      assert.ok(text.includes(said), said)
    const policy = String(shown.headers['content-security-policy'])
    assert.match(policy, /frame-ancestors 'none'/)
    assert.match(policy, /form-action 'self' https:\/\/assistant\.example;/)
    assert.equal(shown.headers['x-frame-options'], 'DENY')
    assert.match(String(shown.headers['cache-control']), /no-store/)
    const other = await browser.get('/settings/apps')
    assert.match(String(other.headers['content-security-policy']), /form-action 'self';/)
  })

  test('Allow leads back with a code, the state and who answers; Cancel with access_denied', async () => {
    const { browser, path, person } = await aScene()
    const answer = await decide(browser, path)
    assert.ok(String(answer.headers.location).startsWith(`${CALLBACK}?`))
    const back = backIn(answer)
    assert.match(back.get('code') ?? '', /^handup_ac_\w{36}$/)
    assert.deepEqual([back.get('state'), back.get('iss')], ['kept as it is', forum.app.config.baseUrl])
    const denied = backIn(await decide(browser, path, 'deny'))
    assert.deepEqual([denied.get('error'), denied.get('code')], ['access_denied', null])
    assert.deepEqual([denied.get('state'), denied.get('iss')], ['kept as it is', forum.app.config.baseUrl])
    assert.equal((await rowsOf(forum.db, 'app_grants', { person_id: person.id })).length, 1)
  })

  test('what is wrong with a request is told to the app that asks, at its own address', async () => {
    const { browser, client } = await aScene()
    const wrong: readonly [Readonly<Record<string, string | null>>, string][] = [
      [{ response_type: null }, 'invalid_request'],
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ code_challenge: null }, 'invalid_request'],
      [{ code_challenge: 'too-short' }, 'invalid_request'],
      [{ code_challenge_method: null }, 'invalid_request'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ resource: null }, 'invalid_target'],
      [{ resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
      [{ scope: 'everything' }, 'invalid_scope'],
    ]
    for (const [changed, error] of wrong) {
      const back = backIn(await browser.get(askingPath(forum.app, client, changed)))
      const told = [back.get('error'), back.get('state')]
      assert.deepEqual(told, [error, 'kept as it is'], JSON.stringify(changed))
    }
    const twice = `${askingPath(forum.app, client)}&state=another`
    const back = backIn(await browser.get(twice))
    assert.deepEqual([back.get('error'), back.get('state')], ['invalid_request', ''])
  })

  test('a link with a mistake leads nobody to the address of an app that only describes itself: it is a page', async () => {
    const { browser } = await aScene()
    const app = { ...DESCRIBED, clientId: 'https://assistant.example/mistaken.json' }
    test.mock.method(forum.app.clientDocuments, 'find', async () => app)
    const path = askingPath(forum.app, app, { scope: 'everything' })
    for (const shown of [await browser.get(path), await browser.post(path, { decision: 'allow' })]) {
      assert.deepEqual([shown.statusCode, shown.headers.location], [400, undefined])
      assert.match(textOf(shown.body), /Its request is incorrect.*Return to assistant\.example/)
      assert.match(shown.body, /href="https:\/\/assistant\.example\/callback\?error=invalid_scope/)
    }
    test.mock.restoreAll()
  })

  test('an app that is unknown, or an address that is not its own, gets a page and never a redirect', async () => {
    const { browser, client } = await aScene()
    const wrong: readonly Readonly<Record<string, string | null>>[] = [
      { client_id: null },
      { client_id: 'nobody' },
      { client_id: 'http://assistant.example/client.json' },
      { redirect_uri: null },
      { redirect_uri: `${CALLBACK}/` },
      { redirect_uri: `${CALLBACK}?more=1` },
      { redirect_uri: 'https://assistant.example:444/callback' },
      { redirect_uri: 'https://assistant.example.evil.example/callback' },
      { redirect_uri: 'javascript:alert(1)' },
    ]
    for (const changed of wrong) {
      const path = askingPath(forum.app, client, changed)
      for (const answer of [await browser.get(path), await browser.post(path, { decision: 'deny' })]) {
        assert.deepEqual([answer.statusCode, answer.headers.location], [400, undefined], path)
        assert.match(textOf(answer.body), /This app can’t connect/)
      }
    }
    const twice = `${askingPath(forum.app, client)}&redirect_uri=${encodeURIComponent(CALLBACK)}`
    assert.equal((await browser.get(twice)).statusCode, 400)
    const long = askingPath(forum.app, client, { state: 'x'.repeat(9000) })
    assert.equal((await browser.get(long)).statusCode, 400)
  })

  test('a visitor signs in on the way, and the request is as it was, however long its state is', async () => {
    const { client } = await aScene()
    const { email } = await anOwner(forum.db)
    for (const state of ['short', 'long'.repeat(1000), 'what?', `${'long'.repeat(1000)}?`]) {
      // A question mark may stand in a query as it is.
      const path = askingPath(forum.app, client, { state }).replaceAll('%3F', '?')
      const browser = visitor(forum.app)
      const asked = await browser.get(path)
      assert.equal(asked.statusCode, 303)
      const next = new URL(String(asked.headers.location), 'http://x').searchParams.get('next') ?? ''
      assert.ok(next.length < 2000)
      const entered = await browser.post('/sign-in', { email, password: PASSWORD, next })
      assert.equal(entered.headers.location, next)
      const action = textOf(
        /action="(\/oauth\/authorize\?[^"]+)"/.exec((await browser.get(next)).body)?.[1] ?? '',
      )
      const back = backIn(await decide(browser, action))
      assert.deepEqual([back.get('state'), back.has('code')], [state, true])
    }
  })

  test('somebody chooses courses of theirs, none means all, and a foreign one is refused with the others ticked', async () => {
    const { person, browser, path } = await aScene()
    const [first, second] = [await aCourse(forum.db), await aCourse(forum.db)]
    for (const course of [first, second]) await aMember(forum.db, course, 'learner', person)
    const foreign = await aCourse(forum.db)
    const refused = await decide(browser, path, 'allow', { course: [first.slug, foreign.slug] })
    assert.equal(refused.statusCode, 422)
    assert.match(refused.body, new RegExp(`value="${first.slug}"[^>]* checked`))
    assert.match(String(refused.headers['content-security-policy']), /https:\/\/assistant\.example/)
    assert.ok(backIn(await decide(browser, path, 'allow', { course: [first.slug, second.slug] })).has('code'))
    assert.ok(backIn(await decide(browser, path)).has('code'))
    const grants = await forum.db
      .selectFrom('app_grants')
      .leftJoin('app_grant_courses as its', 'its.grant_id', 'app_grants.id')
      .select(['is_everywhere', 'its.course_id'])
      .where('person_id', '=', person.id)
      .orderBy('app_grants.id')
      .orderBy('its.course_id')
      .execute()
    assert.deepEqual(grants, [
      { is_everywhere: false, course_id: first.id },
      { is_everywhere: false, course_id: second.id },
      { is_everywhere: true, course_id: null },
    ])
  })

  test('a suspended person can let an app read, and nothing else', async () => {
    const { person, browser, path } = await aScene()
    const question = await aQuestion(forum.db, { author: person })
    const admin = await aPerson(forum.db, { isAdmin: true })
    const subject = { about: 'question', id: question.id } as const
    await reported(forum.db, subject, admin.id)
    const measure = { note: 'Wait.', isEverywhere: true }
    assert.ok(await decided(forum.db, admin.id, await caseOf(forum.db, subject), ['suspend'], measure))
    assert.match(textOf((await browser.get(path)).body), /suspended, so the app can only read/)
    assert.ok(backIn(await decide(browser, path)).has('code'))
    const [grant] = await rowsOf(forum.db, 'app_grants', { person_id: person.id })
    assert.deepEqual(grant?.scopes, ['read'])
  })

  test('which apps may ask is up to the policy', async () => {
    const { browser } = await aScene()
    const app = { ...DESCRIBED, clientId: 'https://apps.assistant.example/client.json' }
    test.mock.method(forum.app.clientDocuments, 'find', async () => app)
    const path = askingPath(forum.app, app)
    const status = async () => (await browser.get(path)).statusCode
    assert.equal(await status(), 200)
    await agentsOn(forum.db, { agents: 'domains', agentDomains: ['assistant.example'] })
    assert.equal(await status(), 200)
    await agentsOn(forum.db, { agents: 'domains', agentDomains: ['ssistant.example', 'other.example'] })
    assert.equal(await status(), 400)
    await agentsOn(forum.db, { agents: 'registered' })
    assert.equal(await status(), 400)
    const registered = askingPath(forum.app, await aRegisteredApp(forum.db))
    assert.equal((await browser.get(registered)).statusCode, 200)
    await agentsOn(forum.db, { agents: 'off' })
    for (const answer of [await browser.get(registered), await visitor(forum.app).get(registered)])
      assert.equal(answer.statusCode, 404)
    test.mock.restoreAll()
  })

  test('what changed since it was shown is shown again, and asked again of whoever allowed it before', async () => {
    const { browser, person } = await aScene()
    const app = { ...DESCRIBED, clientId: 'https://assistant.example/changing.json' }
    test.mock.method(forum.app.clientDocuments, 'find', async () => app)
    const path = askingPath(forum.app, app)
    const version = await versionShown(browser, path)
    app.name = 'Another name'
    const refused = await browser.post(path, { version, decision: 'allow' })
    assert.equal(refused.statusCode, 422)
    assert.match(textOf(refused.body), /Another name.*The app has just changed/)
    assert.deepEqual(await rowsOf(forum.db, 'app_grants', { person_id: person.id }), [])
    assert.ok(backIn(await decide(browser, path)).has('code'))
    assert.doesNotMatch((await browser.get(path)).body, /have changed since/)
    app.redirectUris = [...app.redirectUris, 'https://evil.example/']
    assert.match((await browser.get(path)).body, /have changed since/)
    test.mock.restoreAll()
  })

  test('a document that can’t be had, or isn’t right, is said on a page', async () => {
    const { browser } = await aScene()
    const path = askingPath(forum.app, { ...DESCRIBED, clientId: 'https://assistant.example/away.json' })
    for (const [reason, said] of [
      ['unreachable', /couldn’t be loaded/],
      ['document', /is incorrect/],
    ] as const) {
      test.mock.method(forum.app.clientDocuments, 'find', async () => {
        throw new NoDocument(reason)
      })
      const answer = await browser.get(path)
      assert.equal(answer.statusCode, 400)
      assert.match(textOf(answer.body), said)
    }
    test.mock.restoreAll()
  })

  test('people see what they let in, and end it; others can’t', async () => {
    const { person, browser } = await aScene()
    const course = await aCourse(forum.db, { title: 'Web APIs' })
    await aMember(forum.db, course, 'learner', person)
    const given = { scopes: ['read', 'draft'], courseIds: [course.id] } as const
    const { grantId } = await anAppToken(forum.db, person, given)
    const text = textOf((await browser.get('/settings/apps')).body)
    for (const said of ['Assistant', 'Read, Draft answers', 'Web APIs', 'Never'])
      assert.ok(text.includes(said), said)
    // A private course that they left is told of nowhere.
    await setRows(forum.db, 'courses', course.id, { is_public: false })
    await forum.db.deleteFrom('course_members').where('course_id', '=', course.id).execute()
    for (const path of ['/settings/apps', '/settings/account/data'])
      assert.ok(!(await browser.get(path)).body.includes('Web APIs'), path)
    const stranger = await signedIn(forum.app, await aPerson(forum.db))
    assert.equal((await stranger.post(`/settings/apps/${grantId}/end`)).statusCode, 404)
    assert.equal((await browser.post(`/settings/apps/${grantId}/end`)).statusCode, 303)
    assert.match(textOf((await browser.get('/settings/apps')).body), /Access ended\..*No apps yet/)
  })
})

test('addresses match exactly, but for the port of a program on one’s own machine', () => {
  const app = (...redirectUris: string[]) => ({ clientId: 'x', name: 'x', redirectUris, isRegistered: true })
  const local = app('http://127.0.0.1:3000/callback', 'http://[::1]/callback', 'http://localhost/callback')
  for (const origin of ['http://127.0.0.1', 'http://127.0.0.1:61023', 'http://[::1]:9'])
    assert.equal(leadsTo(local, `${origin}/callback`), true, origin)
  for (const address of [
    ...['http://127.0.0.1:3000/callback/', 'http://127.0.0.1:3000/callback?x=1', 'http://127.0.0.2/callback'],
    ...['http://127.0.0.1:80@evil.example/callback', 'http://localhost.evil.example/callback'],
    ...['https://127.0.0.1:3000/callback', 'http://127.0.0.1:3000\\@evil.example/callback'],
    '//127.0.0.1/callback',
    ...['http://127.0.0.1:3000/callback#x', 'http:127.0.0.1/callback', 'http://0x7f.1/callback'],
    ...['http://127.1:9/callback', 'http://127.0.0.1./callback', 'http://LOCALHOST/callback'],
    ...['http://127.0.0.1:9/./callback', 'http://127.0.0.1:9/%2e/callback', 'http://127.0.0.1:9/c%61llback'],
  ])
    assert.equal(leadsTo(local, address), false, address)
  for (const host of ['//*.example', '//a;sandbox', "//a'b.example", 'a.example']) {
    const address = `https:${host}/cb`
    assert.equal(leadsTo(app(address), address), false, address)
  }
  const secure = app('https://a.example/cb')
  assert.equal(leadsTo(secure, 'https://a.example/cb'), true)
  const others = [
    'https://a.example:443/cb',
    'https://A.example/cb',
    'http://a.example/cb',
    'https://a.example/cb#',
  ]
  for (const address of others) assert.equal(leadsTo(secure, address), false, address)
})
