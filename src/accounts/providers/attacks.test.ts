import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { suite, type TestContext, test } from 'node:test'
import { exportSPKI } from 'jose'
import { testAppThatLogs } from '../../testing/app.ts'
import { visitor } from '../../testing/browser.ts'
import { testDatabase } from '../../testing/database.ts'
import { textOf } from '../../testing/page.ts'
import { addressRule, GuardedClient } from '../../web/guarded-fetch.ts'
import { isStorableSubject } from './claims.ts'
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
import { aForumWithProvider, comeBy, leave, personIn } from './testing.ts'

const now = () => Math.floor(Date.now() / 1000)
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/**
 * A provider, and who comes back from it: the claims, or why they don’t count.
 * @param deadline milliseconds until it counts as down
 */
async function aScene(t: TestContext, deadline = 60_000) {
  const provider = await aCraftedProvider(t)
  const client = new GuardedClient(() => true)
  t.after(() => client.close())
  const openid = new OpenIdClients(client, { deadline, maxBytes: 10_000 })
  const connection = { kind: 'openid', isFromEnvironment: true, issuer: provider.issuer, ...CLIENT } as const
  const checks = { state: 's', nonce: 'n', verifier: 'v'.repeat(43) }
  const origin = 'http://localhost:3000'
  async function comeBack(more: Readonly<Record<string, string>> = {}, answered: () => void = () => {}) {
    const address = await openid.signInAddress(connection, `${origin}/return`, checks, false)
    answered()
    const back = new URL(provider.waysBack(address, more), origin)
    return openid.whoReturned(connection, back, checks, [])
  }
  const failure = (more?: Readonly<Record<string, string>>) =>
    comeBack(more).then(
      () => null,
      (error) => (error instanceof ProviderFailure ? error.reason : assert.fail(error)),
    )
  return { ...provider, comeBack, failure }
}

suite('answers of a provider that are not what they must be', () => {
  test('name nobody: other keys, algorithms, audiences, issuers, nonces and times', async (t) => {
    const { answers, comeBack, failure } = await aScene(t)
    const other = await aKey('other')
    const claims =
      (more: Claims): Answers['idToken'] =>
      (honest, { key }) =>
        signed({ ...honest, ...more }, key)
    const tokens: Record<string, Answers['idToken']> = {
      'of an unknown key': (honest) => signed(honest, other),
      'of an unknown key under a known name': (honest, { key }) => signed(honest, { ...other, kid: key.kid }),
      'of another provider': (honest) => signed({ ...honest, iss: 'https://other.example' }, other),
      'with alg none': async (honest) => `${base64({ alg: 'none' })}.${base64(honest)}.`,
      'with HMAC by the public key': async (honest, { key }) => {
        const text = `${base64({ alg: 'HS256', kid: key.kid })}.${base64(honest)}`
        const pem = await exportSPKI(key.pair.publicKey)
        return `${text}.${createHmac('sha256', pem).update(text).digest('base64url')}`
      },
      'for another client': claims({ aud: 'another client' }),
      'for two clients, made for the other': claims({ aud: [CLIENT.clientId, 'another'], azp: 'another' }),
      'of another issuer': claims({ iss: 'https://other.example' }),
      'with another nonce': claims({ nonce: 'of another session' }),
      'without a nonce': claims({ nonce: undefined }),
      'without a subject': claims({ sub: undefined }),
    }
    const untimely: Record<string, Answers['idToken']> = {
      'that has expired': claims({ exp: now() - 90, iat: now() - 400 }),
      'that is not valid yet': claims({ nbf: now() + 90 }),
    }
    for (const [reason, wrong] of [
      ['answer', tokens],
      ['clock', untimely],
    ] as const)
      for (const [name, idToken] of Object.entries(wrong)) {
        answers.idToken = idToken
        assert.equal(await failure(), reason, name)
      }
    // A difference of less than a minute is taken.
    for (const more of [{ exp: now() - 20 }, { nbf: now() + 20 }]) {
      answers.idToken = claims(more)
      assert.equal((await comeBack()).claims.sub, 'mina')
    }
  })

  test('nor do pages instead of tokens, another issuer, and one that hangs', async (t) => {
    const { answers, failure } = await aScene(t)
    assert.equal(await failure({ iss: 'https://other.example' }), 'answer')
    for (const [status, type, body] of [
      [200, 'text/html', '<h1>Maintenance</h1>'],
      [500, 'application/json', '{}'],
    ] as const) {
      answers.token = { status, type, body }
      assert.equal(await failure(), 'down', `${status} ${body}`)
    }
    const hanging = await aScene(t, 300)
    hanging.answers.token = { status: 200, type: 'application/json', body: null }
    assert.equal(await hanging.failure(), 'down')
    const liar = await aScene(t)
    liar.answers.metadata = { issuer: 'https://other.example' }
    assert.equal(await liar.failure(), 'answer')
  })

  test('keys that change while somebody signs in are read again', async (t) => {
    const { answers, comeBack } = await aScene(t)
    await comeBack()
    const second = await aKey('second')
    const { claims } = await comeBack({}, () => {
      answers.keys = [second]
    })
    assert.equal(claims.sub, 'mina')
  })

  test('a subject is kept as it is, or not at all', () => {
    for (const no of ['', 'mi\0na', 'x'.repeat(256), '\uD800']) assert.equal(isStorableSubject(no), false, no)
    assert.ok(isStorableSubject('🙋'.repeat(255)))
  })
})

suite('the way back from a provider', () => {
  test('works once, in the browser that left; what it leads to is ours', async (t) => {
    const { app, provider } = await aForumWithProvider(t)
    const browser = visitor(app)
    const back = provider.waysBack(await leave(browser, '?next=//evil.example'))
    const victim = visitor(app)
    for (const other of [victim, await comeBy(app, provider)])
      assert.equal((await other.get(back)).statusCode, 400)
    assert.equal(await personIn(victim), null)
    assert.equal((await browser.get(back)).headers.location, '/')
    assert.equal((await browser.get(back)).headers.location, '/', 'back after it worked')
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

  test('a label with markup stays text', async (t) => {
    const provider = await aCraftedProvider(t)
    const label = '<b>x</b>\u202E"\''
    const { app } = await aForumWithProvider(t, { oidc: { ...CLIENT, issuer: provider.issuer, label } })
    const page = (await visitor(app).get('/sign-in')).body
    assert.match(page, /<bdi>Continue with &lt;b&gt;x&lt;\/b&gt;/)
  })
})

/** Why a provider cannot be read. */
async function causeOf(issuer: string, { isFromEnvironment = true, isAllowed = true } = {}) {
  const rule = isAllowed
    ? () => true
    : addressRule({ privateHosts: ['127.0.0.1', 'localhost'], loopbackHost: null })
  const client = new GuardedClient(rule)
  const tested = new OpenIdClients(client).test({ kind: 'openid', isFromEnvironment, issuer, ...CLIENT })
  const failure = await tested.catch((error: unknown) => error)
  client.close()
  assert.ok(failure instanceof ProviderFailure, String(failure))
  return [failure.causedBy, failure.status]
}

suite('a failure to reach a provider names its cause', () => {
  test('by address, name, connection, certificate, HTTP status and issuer', async (t) => {
    const { issuer, answers } = await aCraftedProvider(t)
    const { port } = new URL(issuer)
    assert.deepEqual(await causeOf(issuer, { isAllowed: false }), ['address', 0])
    assert.deepEqual(await causeOf(`http://localhost:${port}`, { isAllowed: false }), ['address', 0])
    assert.deepEqual(await causeOf('https://no-such-host.invalid'), ['dns', 0])
    assert.deepEqual(await causeOf('http://127.0.0.1:1'), ['connection', 0])
    assert.deepEqual(await causeOf(`https://127.0.0.1:${port}`, { isFromEnvironment: false }), ['tls', 0])
    assert.deepEqual(await causeOf(`${issuer}/elsewhere`), ['status', 404])
    answers.metadata = { issuer: 'https://other.example' }
    assert.deepEqual(await causeOf(issuer), ['issuer', 0])
  })

  test('in the page and in the log', async (t) => {
    const provider = await aCraftedProvider(t)
    const { app, lines } = await testAppThatLogs(t, await testDatabase(t), provider.config)
    provider.answers.metadata = { issuer: 'https://other.example' }
    const page = await visitor(app).get('/sign-in/with/oidc')
    assert.match(textOf(page.body), /It describes itself with another issuer/)
    const korean = await visitor(app).get('/sign-in/with/oidc', { 'accept-language': 'ko' })
    assert.match(textOf(korean.body), /발급자\(issuer\)가 다릅니다/)
    assert.match(lines.join(''), /"event":"sign-in-refused".*"reason":"oidc answer issuer /)
  })
})
