import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Fetched, GuardedClient, type Outgoing } from '../../web/guarded-fetch.ts'
import { GithubClient } from './clients.ts'
import { ProviderFailure } from './failure.ts'

const CONNECTION = { kind: 'github', clientId: 'forum', clientSecret: 'secret' } as const
const TOKEN = { access_token: 'a token', token_type: 'bearer', scope: 'read:user,user:email' }
const CHECKS = { state: 'the state', verifier: 'v'.repeat(43) }
const RETURNED = new URL('http://localhost:3000/sign-in/with/github/return?code=x&state=the+state')

/** GitHub, as its documentation says that it answers. */
class Documented extends GuardedClient {
  readonly asked: Outgoing[] = []
  emails: unknown = [
    { email: 'old@example.org', primary: false, verified: true },
    { email: 'Mina@School.example', primary: true, verified: true },
  ]
  user: unknown = { id: 583231, login: 'mina', name: null }

  override async fetch(outgoing: Outgoing): Promise<Fetched> {
    this.asked.push(outgoing)
    const { pathname } = new URL(outgoing.url)
    const answers: Record<string, unknown> = {
      '/login/oauth/access_token': TOKEN,
      '/user': this.user,
      '/user/emails': this.emails,
    }
    const body = Buffer.from(JSON.stringify(answers[pathname]))
    return { status: 200, headers: { 'content-type': 'application/json' }, body, isWhole: true }
  }
}

test('GitHub tells who somebody is by the number of the account; PKCE and state protect the way', async (t) => {
  const fetcher = new Documented()
  t.after(() => fetcher.close())
  const github = new GithubClient(fetcher)
  const address = new URL(await github.signInAddress(CONNECTION, 'http://localhost:3000/return', CHECKS))
  assert.equal(address.origin + address.pathname, 'https://github.com/login/oauth/authorize')
  assert.equal(address.searchParams.get('code_challenge_method'), 'S256')
  const told = await github.whoReturned(CONNECTION, RETURNED, CHECKS)
  assert.deepEqual(told, {
    issuer: 'https://github.com',
    claims: { sub: '583231', name: 'mina', email: 'Mina@School.example', email_verified: true },
  })
  const [token, user] = fetcher.asked
  assert.match(String(token?.body), /code_verifier=vvv/)
  assert.equal(user?.headers?.authorization, 'Bearer a token')
  const others = github.whoReturned(CONNECTION, RETURNED, { ...CHECKS, state: 'another' })
  await assert.rejects(others, ProviderFailure)
})

test('only its primary address counts, and only if it is verified', async (t) => {
  const fetcher = new Documented()
  t.after(() => fetcher.close())
  const github = new GithubClient(fetcher)
  fetcher.emails = [
    { email: 'mina@school.example', primary: true, verified: false },
    { email: 'other@school.example', primary: false, verified: true },
  ]
  const { claims } = await github.whoReturned(CONNECTION, RETURNED, CHECKS)
  assert.equal('email' in claims, false)
  fetcher.user = { login: 'nobody' }
  await assert.rejects(github.whoReturned(CONNECTION, RETURNED, CHECKS), ProviderFailure)
})
