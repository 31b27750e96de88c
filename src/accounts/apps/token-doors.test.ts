import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { sweepTable } from '../../database/terms.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aPerson } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { rowsOf, setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { type App, findApp } from './app.ts'
import { appTables, endGrant } from './grants.ts'
import {
  agentsOn,
  anAppToken,
  aRegisteredApp,
  askingPath,
  backIn,
  CALLBACK,
  DESCRIBED,
  decide,
  sendAsApp,
  VERIFIER,
} from './testing.ts'

suite('an app changes what it got', () => {
  const forum = sharedForum()
  const take = (fields: Readonly<Record<string, string | readonly string[]>>) =>
    sendAsApp(forum.app, '/oauth/token', fields)

  const renewing =
    ({ clientId }: App) =>
    (refresh: string) =>
      take({ grant_type: 'refresh_token', client_id: clientId, refresh_token: refresh })

  /** Somebody who let an app in, and what the app sends for its tokens. */
  async function aScene(made: Partial<App> = {}) {
    await agentsOn(forum.db)
    const person = await aPerson(forum.db)
    const client = await aRegisteredApp(forum.db, made)
    const browser = await signedIn(forum.app, person)
    const code = backIn(await decide(browser, askingPath(forum.app, client))).get('code') ?? ''
    const sent = {
      ...{ grant_type: 'authorization_code', client_id: client.clientId, code },
      ...{ redirect_uri: CALLBACK, code_verifier: VERIFIER, resource: `${forum.app.config.baseUrl}/mcp` },
    }
    return { person, client, sent, renew: renewing(client) }
  }
  const grantsOf = (person: { readonly id: number }) =>
    rowsOf(forum.db, 'app_grants', { person_id: person.id })

  test('a code for an hour of access, and a refresh token; both say that they are ours and are stored as hashes', async () => {
    const { sent } = await aScene()
    const { answer, status, body } = await take(sent)
    assert.equal(status, 200)
    const { access_token: access = '', refresh_token: refresh = '', ...more } = body
    assert.match(access, /^handup_at_[0-9A-Za-z]{36}$/)
    assert.match(refresh, /^handup_rt_[0-9A-Za-z]{36}$/)
    assert.deepEqual(more, { token_type: 'Bearer', expires_in: 3600, scope: 'read draft waiting' })
    assert.equal(answer.headers['cache-control'], 'no-store')
    assert.match(String(answer.headers['content-type']), /^application\/json/)
    const rows = JSON.stringify(await rowsOf(forum.db, 'app_tokens', {}))
    for (const secret of [sent.code, access, refresh]) assert.ok(!rows.includes(secret.slice(10)))
  })

  test('an access token is none for the API, which says so', async () => {
    const { sent } = await aScene()
    const { access_token: token } = (await take(sent)).body
    const headers = { authorization: `Bearer ${token}` }
    for (const url of ['/api/v1/me', '/api/v1/questions'])
      assert.equal((await forum.app.inject({ url, headers })).statusCode, 401)
  })

  test('a code counts once: who comes with it again ends all that it led to', async () => {
    const { sent, renew, person } = await aScene()
    const { body } = await take(sent)
    const again = await take(sent)
    assert.deepEqual([again.status, again.body.error], [400, 'invalid_grant'])
    assert.deepEqual(await grantsOf(person), [])
    assert.equal((await renew(body.refresh_token ?? '')).body.error, 'invalid_grant')
  })

  test('a refresh token counts once: who comes with an old one ends all', async () => {
    const { sent, renew, person } = await aScene()
    const first = (await take(sent)).body.refresh_token ?? ''
    const second = (await renew(first)).body.refresh_token ?? ''
    assert.match(second, /^handup_rt_/)
    const third = (await renew(second)).body.refresh_token ?? ''
    assert.notEqual(third, second)
    assert.equal((await renew(first)).body.error, 'invalid_grant')
    assert.equal((await renew(third)).body.error, 'invalid_grant')
    assert.deepEqual(await grantsOf(person), [])
    const entries = await rowsOf(forum.db, 'audit', { actor_id: person.id })
    assert.ok(entries.some(({ act }) => act === 'app-replayed'))
  })

  test('of several who come with one refresh token at once, one gets more, and then none has any', async () => {
    const { sent, renew, person } = await aScene()
    const first = (await take(sent)).body.refresh_token ?? ''
    const answers = await Promise.all([1, 2, 3, 4].map(() => renew(first)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400])
    assert.deepEqual(await grantsOf(person), [])
  })

  test('what is not proven or meant for somebody else is refused, and the code still counts', async () => {
    const { sent } = await aScene()
    const other = await aRegisteredApp(forum.db)
    const wrong: readonly [Readonly<Record<string, string>>, number, string][] = [
      [{ grant_type: '' }, 400, 'invalid_request'],
      [{ grant_type: 'password' }, 400, 'unsupported_grant_type'],
      [{ grant_type: 'constructor' }, 400, 'unsupported_grant_type'],
      [{ grant_type: 'refresh_token' }, 400, 'invalid_request'],
      [{ code: '' }, 400, 'invalid_request'],
      [{ code: 'x'.repeat(3000) }, 400, 'invalid_request'],
      [{ code: 'handup_ac_unknown' }, 400, 'invalid_grant'],
      [{ client_id: 'nobody' }, 401, 'invalid_client'],
      [{ client_id: other.clientId }, 400, 'invalid_grant'],
      [{ redirect_uri: `${CALLBACK}/` }, 400, 'invalid_grant'],
      [{ redirect_uri: '' }, 400, 'invalid_grant'],
      [{ code_verifier: `${VERIFIER}x` }, 400, 'invalid_grant'],
      [{ code_verifier: '' }, 400, 'invalid_grant'],
      [{ resource: 'https://elsewhere.example/mcp' }, 400, 'invalid_target'],
    ]
    for (const [changed, status, error] of wrong) {
      const refused = await take({ ...sent, ...changed })
      assert.deepEqual([refused.status, refused.body.error], [status, error], JSON.stringify(changed))
    }
    const doubled = await take({ ...sent, code: [sent.code, sent.code] })
    assert.deepEqual([doubled.status, doubled.body.error], [400, 'invalid_request'])
    assert.equal((await take({ ...sent, unknown: ['1', '2'] })).body.error, 'invalid_request')
    assert.equal((await take(sent)).status, 200)
  })

  test('what browsers and other programs send gets JSON, and never a page or a wall', async () => {
    await agentsOn(forum.db)
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    for (const url of ['/oauth/token', '/oauth/revoke'])
      for (const [contentType, payload] of [
        ['application/x-www-form-urlencoded', ''],
        ['application/x-www-form-urlencoded', 'a=%FF'],
        ['application/x-www-form-urlencoded', 'grant_type=refresh_token&grant_type=refresh_token'],
        ['application/json', '{"grant_type":"authorization_code"}'],
        ['text/plain; charset=utf-16', 'x'],
      ] as const) {
        const answer = await forum.app.inject({
          ...{ method: 'POST', url, payload },
          headers: { ...headers, 'content-type': contentType },
        })
        assert.deepEqual([answer.statusCode, answer.json().error], [400, 'invalid_request'], payload)
        assert.equal(answer.headers['cache-control'], 'no-store')
        assert.equal(answer.headers['set-cookie'], undefined)
      }
  })

  test('a code is for a minute, a refresh token for 30 days, and all for 180', async () => {
    const { sent, renew, person } = await aScene()
    const ends = async (kind: 'code' | 'access' | 'refresh') => {
      const [grant] = await grantsOf(person)
      const rows = await rowsOf(forum.db, 'app_tokens', { grant_id: grant?.id ?? 0, kind })
      return Math.min(...rows.map(({ ends_at: at }) => (at.getTime() - Date.now()) / 1000))
    }
    const near = (seconds: number, wished: number) =>
      assert.ok(Math.abs(seconds - wished) <= 30, `${seconds} and not ${wished}`)
    near(await ends('code'), 60)
    const { body } = await take(sent)
    near(await ends('access'), 3600)
    near(await ends('refresh'), 30 * 86_400)
    const past = { created_at: sql`now() - interval '179 days'` }
    await setRows(forum.db, 'app_grants', { person_id: person.id }, past)
    const next = (await renew(body.refresh_token ?? '')).body.refresh_token ?? ''
    near(await ends('refresh'), 86_400)
    await setRows(forum.db, 'app_tokens', {}, { ends_at: sql`now() - interval '1 second'` })
    assert.equal((await renew(next)).body.error, 'invalid_grant')
    for (const swept of appTables) await sweepTable(forum.db, swept)
    assert.deepEqual(await grantsOf(person), [])
  })

  test('an app that describes itself is known as long as somebody lets it in', async () => {
    await agentsOn(forum.db)
    const { db } = forum
    const person = await aPerson(db)
    const used = { ...DESCRIBED, clientId: 'https://a.example/used' }
    const ended = { ...DESCRIBED, clientId: 'https://a.example/ended' }
    const registered = await aRegisteredApp(db)
    await anAppToken(db, person, { app: used })
    const { grantId } = await anAppToken(db, person, { app: ended })
    await within(db, endGrant, grantId, person.id)
    for (const swept of appTables) await sweepTable(db, swept)
    const known = async ({ clientId }: App) => (await findApp(db, clientId)) !== null
    assert.deepEqual(await Promise.all([used, ended, registered].map(known)), [true, false, true])
  })

  test('an app whose document changed has to ask again; that its host is away ends nothing', async () => {
    await agentsOn(forum.db)
    const { db, app } = forum
    const person = await aPerson(db)
    const client = { ...DESCRIBED, clientId: 'https://a.example/c' }
    const { refresh } = await anAppToken(db, person, { app: client })
    const renew = renewing(client)
    const found = test.mock.method(app.clientDocuments, 'find', async () => client)
    const second = (await renew(refresh)).body.refresh_token ?? ''
    found.mock.mockImplementation(async () => ({ ...client, redirectUris: ['https://evil.example/'] }))
    assert.equal((await renew(second)).body.error, 'invalid_grant')
    found.mock.restore()
    // No address of the test's network is public.
    assert.equal((await renew(second)).status, 200)
  })

  test('an app that may ask no longer gets nothing more', async () => {
    const { sent, renew } = await aScene()
    const client = { ...DESCRIBED, clientId: 'https://a.example/d' }
    const described = await anAppToken(forum.db, await aPerson(forum.db), { app: client })
    const { body } = await take(sent)
    await agentsOn(forum.db, { agents: 'registered' })
    assert.equal((await renewing(client)(described.refresh)).body.error, 'unauthorized_client')
    await agentsOn(forum.db, { agents: 'off' })
    assert.equal((await renew(body.refresh_token ?? '')).status, 404)
  })

  test('an app gives back what it has by either token, and what is unknown is given back already', async () => {
    const { db, app } = forum
    await agentsOn(db)
    for (const kind of ['access', 'refresh'] as const) {
      const person = await aPerson(db)
      const tokens = await anAppToken(db, person)
      const give = (fields: Readonly<Record<string, string>>) => sendAsApp(app, '/oauth/revoke', fields)
      assert.deepEqual((await give({})).body, { error: 'invalid_request' })
      const foreign = await give({ token: tokens[kind], client_id: 'another' })
      assert.deepEqual([foreign.status, foreign.body.error], [401, 'invalid_client'])
      assert.equal((await grantsOf(person)).length, 1)
      assert.equal((await give({ token: tokens[kind], client_id: tokens.app.clientId })).status, 200)
      assert.deepEqual(await grantsOf(person), [])
      assert.equal((await give({ token: tokens[kind] })).status, 200)
    }
  })

  test('discovery needs no account, and names all there is; where agents are off there is none', async () => {
    const reader = visitor(forum.app)
    const paths = ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-authorization-server']
    await agentsOn(forum.db, { agents: 'off' })
    for (const path of paths) assert.equal((await reader.get(path)).statusCode, 404)
    await agentsOn(forum.db)
    const [resource, server] = await Promise.all(paths.map((path) => reader.get(path)))
    const { baseUrl } = forum.app.config
    assert.deepEqual(resource?.json(), {
      resource: `${baseUrl}/mcp`,
      authorization_servers: [baseUrl],
      scopes_supported: ['read', 'draft', 'waiting'],
      bearer_methods_supported: ['header'],
    })
    assert.deepEqual(server?.json(), {
      issuer: baseUrl,
      authorization_endpoint: `${baseUrl}/oauth/authorize`,
      token_endpoint: `${baseUrl}/oauth/token`,
      revocation_endpoint: `${baseUrl}/oauth/revoke`,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      scopes_supported: ['read', 'draft', 'waiting'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    })
    assert.match(String(server?.headers['content-type']), /^application\/json/)
  })
})
