import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { suite, test } from 'node:test'
import { exportSPKI } from 'jose'
import { visitor } from '../../testing/browser.ts'
import { textOf } from '../../testing/page.ts'
import { GuardedClient } from '../../web/guarded-fetch.ts'
import {
  type Answers,
  aCraftedProvider,
  aKey,
  CLIENT,
  type Claims,
  signed,
} from './crafted-provider-testing.ts'
import { ProviderFailure } from './failure.ts'
import { OpenIdClients } from './openid.ts'
import { aForumWithProvider, comeBy, leave, personIn, signInBy } from './testing.ts'

const now = () => Math.floor(Date.now() / 1000)
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

suite('answers of a provider that are not what they must be', () => {
  test('sign nobody in: other keys, algorithms, audiences, issuers, nonces and times', async (t) => {
    const { app, db, provider } = await aForumWithProvider(t)
    const other = await aKey('other')
    const claims =
      (more: Claims): Answers['idToken'] =>
      (honest, { key }) =>
        signed({ ...honest, ...more }, key)
    const tokens: Record<string, [Answers['idToken'], RegExp]> = {
      'of an unknown key': [(honest) => signed(honest, other), /couldn’t be verified/],
      'of an unknown key under a known name': [
        (honest, { key }) => signed(honest, { ...other, kid: key.kid }),
        /couldn’t be verified/,
      ],
      'of another provider': [
        (honest) => signed({ ...honest, iss: 'https://other.example' }, other),
        /couldn’t be verified/,
      ],
      'with alg none': [
        async (honest) => `${base64({ alg: 'none' })}.${base64(honest)}.`,
        /couldn’t be verified/,
      ],
      'with HMAC by the public key': [
        async (honest, { key }) => {
          const text = `${base64({ alg: 'HS256', kid: key.kid })}.${base64(honest)}`
          const pem = await exportSPKI(key.pair.publicKey)
          return `${text}.${createHmac('sha256', pem).update(text).digest('base64url')}`
        },
        /couldn’t be verified/,
      ],
      'for another client': [claims({ aud: 'another client' }), /couldn’t be verified/],
      'for two clients, made for the other': [
        claims({ aud: [CLIENT.clientId, 'another client'], azp: 'another client' }),
        /couldn’t be verified/,
      ],
      'of another issuer': [claims({ iss: 'https://other.example' }), /couldn’t be verified/],
      'with another nonce': [claims({ nonce: 'of another session' }), /couldn’t be verified/],
      'without a nonce': [claims({ nonce: undefined }), /couldn’t be verified/],
      'that has expired': [claims({ exp: now() - 90, iat: now() - 400 }), /clocks don’t match/],
      'that is not valid yet': [claims({ nbf: now() + 90 }), /clocks don’t match/],
      'with a NUL in its subject': [claims({ sub: 'mi\0na' }), /couldn’t be completed/],
      'with an endless subject': [claims({ sub: 'x'.repeat(256) }), /couldn’t be completed/],
      'without a subject': [claims({ sub: undefined }), /couldn’t be verified/],
    }
    for (const [name, [idToken, said]] of Object.entries(tokens)) {
      provider.answers.idToken = idToken
      const browser = visitor(app)
      const refused = await signInBy(browser, provider)
      assert.equal(refused.statusCode, 502, name)
      assert.match(textOf(refused.body), said, name)
      assert.match(refused.body, /<code>[0-9a-f-]{36}<\/code>/, name)
      assert.equal(await personIn(browser), null, name)
    }
    assert.equal((await db.selectFrom('people').selectAll().execute()).length, 1)
    // What differs by less than a minute, and what is strange but allowed, is taken.
    for (const more of [{ exp: now() - 20 }, { nbf: now() + 20 }, { sub: '🙋'.repeat(255) }]) {
      provider.answers.idToken = claims(more)
      await comeBy(app, provider)
    }
  })

  test('nor do pages instead of tokens, another issuer in its own description, and refusals', async (t) => {
    const { app, provider } = await aForumWithProvider(t)
    provider.answers.token = { status: 200, type: 'text/html', body: '<h1>Maintenance</h1>' }
    const page = await signInBy(visitor(app), provider, '?next=/tags')
    assert.equal(page.statusCode, 502)
    assert.match(textOf(page.body), /Can’t reach the sign-in provider/)
    assert.match(page.body, /href="\/sign-in\/with\/oidc\?next=%2Ftags"/)
    assert.match(page.body, /href="\/sign-in\?next=%2Ftags"/)
    provider.answers.token = { status: 500, type: 'application/json', body: '{}' }
    assert.equal((await signInBy(visitor(app), provider)).statusCode, 502)
    const browser = visitor(app)
    const state = new URL(await leave(browser)).searchParams.get('state') ?? ''
    const denied = await browser.get(`/sign-in/with/oidc/return?error=access_denied&state=${state}`)
    assert.equal(denied.statusCode, 403)
    assert.match(textOf(denied.body), /Sign-in cancelled/)
    const mixed = visitor(app)
    const back = provider.waysBack(await leave(mixed), { iss: 'https://other.example' })
    assert.match(textOf((await mixed.get(back)).body), /couldn’t be verified/)

    const liar = await aForumWithProvider(t)
    liar.provider.answers.metadata = { issuer: 'https://other.example' }
    assert.match(textOf((await visitor(liar.app).get('/sign-in/with/oidc')).body), /couldn’t be verified/)
    const down = await aForumWithProvider(t, { oidc: { ...CLIENT, issuer: 'http://127.0.0.1:9' } })
    assert.equal((await visitor(down.app).get('/sign-in/with/oidc')).statusCode, 502)
  })

  test('one that hangs is given up', async (t) => {
    const provider = await aCraftedProvider(t)
    const client = new GuardedClient(() => true)
    t.after(() => client.close())
    const openid = new OpenIdClients(client, { deadline: 300, maxBytes: 10_000 })
    const connection = {
      kind: 'openid',
      isFromEnvironment: true,
      issuer: provider.issuer,
      ...CLIENT,
    } as const
    await openid.keysOf(connection)
    provider.answers.token = { status: 200, type: 'application/json', body: null }
    const checks = { state: 's', nonce: 'n', verifier: 'v'.repeat(43) }
    const returned = new URL('http://localhost:3000/return?code=x&state=s')
    await assert.rejects(
      openid.whoReturned(connection, returned, checks, []),
      (error) => error instanceof ProviderFailure && error.reason === 'down',
    )
  })

  test('keys that change while somebody signs in are read again', async (t) => {
    const { app, provider } = await aForumWithProvider(t)
    await comeBy(app, provider)
    const browser = visitor(app)
    const address = await leave(browser)
    provider.answers.keys = [await aKey('second')]
    assert.equal((await browser.get(provider.waysBack(address))).statusCode, 303)
    assert.equal(await personIn(browser), 'Mina Kim')
  })

  test('the same subject at two issuers is two people', async (t) => {
    const { app, db, person, provider } = await aForumWithProvider(t)
    const { id } = await db.selectFrom('identity_providers').select('id').executeTakeFirstOrThrow()
    const link = {
      person_id: person.id,
      provider_id: id,
      issuer: 'https://other.example',
      subject: 'mina',
      account_name: null,
    }
    await db.insertInto('linked_accounts').values(link).execute()
    const browser = await comeBy(app, provider)
    assert.equal(await personIn(browser), 'Mina Kim')
  })
})

suite('the way back from a provider', () => {
  test('works once, in the browser that left; what it leads to is ours', async (t) => {
    const { app, provider } = await aForumWithProvider(t)
    const browser = visitor(app)
    const back = provider.waysBack(await leave(browser, '?next=//evil.example'))
    const victim = visitor(app)
    for (const other of [victim, await comeBy(app, provider)]) {
      const refused = await other.get(back)
      assert.equal(refused.statusCode, 400)
      assert.match(textOf(refused.body), /Start again in this browser/)
    }
    assert.equal(await personIn(victim), null)
    assert.equal((await browser.get(back)).headers.location, '/')
    // Back after it worked; and the same address when nobody is signed in any more.
    assert.equal((await browser.get(back)).headers.location, '/')
    await browser.post('/sign-out')
    const used = await browser.get(back)
    assert.equal(used.statusCode, 410)
    assert.match(textOf(used.body), /already used/)
    for (const query of ['', '?code=x', '?code=x&state=', '?code=x&state=unknown', '?state=a&state=b'])
      assert.equal((await browser.get(`/sign-in/with/oidc/return${query}`)).statusCode, 410, query)
    assert.equal((await browser.get('/sign-in/with/nobody')).statusCode, 404)
  })

  test('works for two tabs at once, and brings kept text back', async (t) => {
    const { app, provider } = await aForumWithProvider(t)
    const browser = visitor(app)
    const next = encodeURIComponent('/questions/new?kept=abc')
    const [first, second] = [await leave(browser, `?next=${next}`), await leave(browser, '?next=/tags')]
    assert.equal((await browser.get(provider.waysBack(second))).headers.location, '/tags')
    assert.equal((await browser.get(provider.waysBack(first))).headers.location, '/questions/new?kept=abc')
  })

  test('is too old after an hour, and of no use for another account that is signed in', async (t) => {
    const { app, db, provider } = await aForumWithProvider(t)
    const browser = visitor(app)
    const back = provider.waysBack(await leave(browser))
    await db
      .updateTable('provider_sign_ins')
      .set({ begun_at: new Date(Date.now() - 61 * 60_000) })
      .execute()
    assert.equal((await browser.get(back)).statusCode, 410)
    await comeBy(app, provider)
    provider.answers.claims = { sub: 'another', email: undefined }
    const other = await comeBy(app, provider)
    provider.answers.claims = {}
    const taken = await signInBy(other, provider)
    assert.equal(taken.statusCode, 409)
    assert.match(textOf(taken.body), /Already linked/)
  })

  test('a label with markup stays text', async (t) => {
    const provider = await aCraftedProvider(t)
    const label = '<b>x</b>\u202E"\''
    const { app } = await aForumWithProvider(t, { oidc: { ...CLIENT, issuer: provider.issuer, label } })
    const page = (await visitor(app).get('/sign-in')).body
    assert.match(page, /<bdi>Continue with &lt;b&gt;x&lt;\/b&gt;/)
  })
})
