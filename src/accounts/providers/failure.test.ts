import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testAppThatLogs } from '../../testing/app.ts'
import { visitor } from '../../testing/browser.ts'
import { testDatabase } from '../../testing/database.ts'
import { textOf } from '../../testing/page.ts'
import { addressRule, GuardedClient } from '../../web/guarded-fetch.ts'
import { aCraftedProvider } from './crafted-provider-testing.ts'
import { ProviderFailure } from './failure.ts'
import { OpenIdClients } from './openid.ts'

const CLIENT = { clientId: 'forum', clientSecret: null }

/** Why a provider cannot be read. */
async function causeOf(issuer: string, { isFromEnvironment = true, isAllowed = true } = {}) {
  const rule = isAllowed
    ? () => true
    : addressRule({ privateHosts: ['127.0.0.1', 'localhost'], loopbackHost: null })
  const client = new GuardedClient(rule)
  const failure = await new OpenIdClients(client)
    .test({ kind: 'openid', isFromEnvironment, issuer, ...CLIENT })
    .then(
      () => null,
      (error: unknown) => error,
    )
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
