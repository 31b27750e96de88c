import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn, visitor } from '../../testing/browser.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf } from '../../testing/rows.ts'
import { aKey } from './crafted-provider-testing.ts'
import { aForumWithProvider, comeBy, logoutToken, personIn, sendLogout, setOptions } from './testing.ts'

suite('a provider that ends sessions', () => {
  test('ends those that began with an account there, or with one session of it, and no others', async (t) => {
    const { app, db, provider } = await aForumWithProvider(t)
    provider.answers.claims = { sid: 'at the office' }
    const office = await comeBy(app, provider)
    provider.answers.claims = { sid: 'at home' }
    const home = await comeBy(app, provider)
    provider.answers.claims = { sub: 'another', email: undefined, sid: 'of another' }
    const another = await comeBy(app, provider)
    const byPassword = await signedIn(app, await rowOf(db, 'people', { display_name: 'Mina Kim' }))
    const answer = await sendLogout(app, await logoutToken(provider, { sid: 'at the office' }))
    assert.deepEqual([answer.statusCode, answer.headers['cache-control'], answer.body], [200, 'no-store', ''])
    assert.deepEqual([await personIn(office), await personIn(home)], [null, 'Mina Kim'])
    assert.equal((await sendLogout(app, await logoutToken(provider))).statusCode, 200)
    const left = await Promise.all([home, another, byPassword].map(personIn))
    assert.deepEqual(left, [null, 'Mina Kim', 'Mina Kim'])
    // Nobody it knows: that is no mistake of the token.
    assert.equal((await sendLogout(app, await logoutToken(provider, { sub: 'unknown' }))).statusCode, 200)
  })

  test('is not heard with a token that is not what it must be, nor twice with one that is', async (t) => {
    const { app, provider } = await aForumWithProvider(t)
    const browser = await comeBy(app, provider)
    const now = Math.floor(Date.now() / 1000)
    const tokens = {
      'for another client': await logoutToken(provider, { aud: 'another client' }),
      'of another issuer': await logoutToken(provider, { iss: 'https://other.example' }),
      'of another key': await logoutToken(provider, {}, await aKey('other')),
      'without the event': await logoutToken(provider, { events: {} }),
      'with a nonce, as an ID token': await logoutToken(provider, { nonce: 'x' }),
      'without a name': await logoutToken(provider, { jti: undefined }),
      'of nobody': await logoutToken(provider, { sub: undefined }),
      'that has expired': await logoutToken(provider, { exp: now - 90 }),
      'that is old': await logoutToken(provider, { iat: now - 3600, exp: undefined }),
      'that is no token': 'x.y.z',
      'that is empty': '',
    }
    for (const [name, token] of Object.entries(tokens)) {
      const refused = await sendLogout(app, token)
      assert.equal(refused.statusCode, 400, name)
      assert.deepEqual(refused.json(), { error: 'invalid_request' }, name)
    }
    assert.equal(await personIn(browser), 'Mina Kim')
    const token = await logoutToken(provider)
    assert.equal((await sendLogout(app, token)).statusCode, 200)
    const later = await comeBy(app, provider)
    assert.equal((await sendLogout(app, token)).statusCode, 400)
    assert.equal(await personIn(later), 'Mina Kim')
    await setOptions(app, { is_on: false })
    assert.equal((await sendLogout(app, await logoutToken(provider))).statusCode, 404)
  })
})

test('signing out leads to a page with the way to sign out of the provider', async (t) => {
  const { app, person, provider } = await aForumWithProvider(t)
  const browser = await comeBy(app, provider)
  const out = await browser.post('/sign-out')
  assert.equal(out.headers.location, '/sign-out?with=oidc')
  assert.match(String(out.headers['clear-site-data']), /cache/)
  const page = await browser.follow(out)
  assert.match(textOf(page.body), /You may still be signed in to Hanbit University/)
  assert.match(page.body, new RegExp(`href="${provider.issuer}/end\\?[^"]*client_id=forum"`))
  assert.match(page.body, /post_logout_redirect_uri=http%3A%2F%2Flocalhost%3A3000%2F&amp;/)
  const byPassword = await signedIn(app, person)
  assert.equal((await byPassword.post('/sign-out')).headers.location, '/')
  assert.equal((await visitor(app).get('/sign-out')).headers.location, '/')
})
