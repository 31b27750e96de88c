import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { testApp } from '../../testing/app.ts'
import { type Browser, type Fields, signedIn, visitor } from '../../testing/browser.ts'
import { aPerson } from '../../testing/builders.ts'
import { textOf } from '../../testing/page.ts'
import { hashPassword } from '../identity/passwords.ts'
import { aForum, PASSWORD } from '../testing.ts'
import { addLinkRow } from './row-testing.ts'
import { renewClientSecrets, unreadableProviders } from './seal-secrets.ts'
import { aForumWithProvider, comeBy, personIn, setOptions, signInBy, waitingAt } from './testing.ts'

const PATH = '/admin/sign-in'
const SECRET = 'a secret that no backup tells'
const GITHUB = { preset: 'github', label: 'GitHub', client_id: 'forum', client_secret: SECRET, creates: '1' }
const KEYCLOAK = {
  ...GITHUB,
  preset: 'keycloak',
  label: 'Hanbit',
  issuer: 'https://sso.school.example/realms/main',
}

async function anAdmin(app: FastifyInstance) {
  const admin = await aPerson(app.db, {
    isAdmin: true,
    passwordHash: await hashPassword(PASSWORD),
    displayName: 'Ada',
  })
  return { admin, browser: await signedIn(app, admin) }
}

const CONFIRMED = { current_password: PASSWORD }

/** Adds a provider. @returns the path of its page */
async function add(browser: Browser, fields: Fields): Promise<string> {
  const added = await browser.post(PATH, { ...fields, current_password: PASSWORD })
  assert.equal(added.statusCode, 303, added.body)
  return String(added.headers.location)
}

suite('providers, set up by an admin', () => {
  test('are added with the password, turned on, moved, and removed; the secret is sealed', async (t) => {
    const { app, db, person } = await aForum(t)
    const { browser } = await anAdmin(app)
    for (const preset of ['google', 'entra', 'keycloak', 'github', 'openid'])
      assert.match((await browser.get(`${PATH}/new?preset=${preset}`)).body, /<ol class="steps"><li>/)
    assert.equal((await browser.post(PATH, { ...GITHUB, current_password: 'wrong' })).statusCode, 422)
    const path = await add(browser, GITHUB)
    const page = (await browser.get(path)).body
    assert.match(page, /http:\/\/localhost:3000\/sign-in\/with\/github\/return/)
    assert.ok(!page.includes(SECRET))
    const { client_secret: sealed } = await db
      .selectFrom('identity_providers')
      .select('client_secret')
      .executeTakeFirstOrThrow()
    assert.ok(sealed !== null && !sealed.includes(SECRET))
    assert.doesNotMatch((await visitor(app).get('/sign-in')).body, /sign-in\/with/)
    await browser.post(`${path}/state`, { value: 'on', ...CONFIRMED })
    const other = await add(browser, KEYCLOAK)
    await browser.post(`${other}/state`, { value: 'on', ...CONFIRMED })
    const buttons = async () =>
      [...(await visitor(app).get('/sign-in')).body.matchAll(/href="\/sign-in\/with\/(\w+)"/g)].map(
        ([, name]) => name,
      )
    assert.deepEqual(await buttons(), ['github', 'keycloak'])
    await browser.post(`${other}/move`, { direction: 'up', ...CONFIRMED })
    assert.deepEqual(await buttons(), ['keycloak', 'github'])
    assert.equal((await app.providers.find('github'))?.connection.clientSecret, SECRET)

    const id = Number(path.split('/').at(-1))
    const stranded = await aPerson(db, { isConfirmed: false })
    await addLinkRow(db, stranded.id, id)
    const kept = await browser.post(`${path}/removal`, CONFIRMED)
    assert.equal(kept.statusCode, 409)
    assert.match(textOf(kept.body), /1 person couldn’t sign in anymore/)
    await db
      .updateTable('people')
      .set({ password_hash: await hashPassword(PASSWORD) })
      .where('id', '=', stranded.id)
      .execute()
    assert.equal((await browser.post(`${path}/removal`, CONFIRMED)).headers.location, PATH)
    assert.deepEqual(await buttons(), ['keycloak'])
    for (const other of [visitor(app), await signedIn(app, person)])
      assert.notEqual((await other.get(PATH)).statusCode, 200)
  })

  test('are changed by no button without the password, which is asked for with what was pressed', async (t) => {
    const { app, db } = await aForum(t)
    const { admin, browser } = await anAdmin(app)
    const path = await add(browser, GITHUB)
    const state = () => db.selectFrom('identity_providers').select(['is_on', 'position']).execute()
    const before = await state()
    const buttons: [string, Fields][] = [
      ['state', { value: 'on' }],
      ['move', { direction: 'up' }],
      ['test', {}],
      ['roles', { value: 'staff & <tutors>', course: 'rest', role: 'assistant' }],
      ['roles/removal', { given: '1' }],
      ['removal', {}],
    ]
    for (const [button, fields] of buttons) {
      const asked = await browser.post(`${path}/${button}`, fields)
      assert.equal(asked.statusCode, 422, button)
      assert.match(asked.body, new RegExp(`action="${path}/${button}"`), button)
      assert.match(asked.body, /name="current_password"/, button)
      assert.doesNotMatch(asked.body, /role="alert"/, button)
      for (const name of Object.keys(fields))
        assert.match(asked.body, new RegExp(`type="hidden" name="${name}"`), `${button} ${name}`)
      const wrong = await browser.post(`${path}/${button}`, { ...fields, current_password: 'wrong' })
      assert.equal(wrong.statusCode, 422, button)
    }
    assert.deepEqual(await state(), before)
    const role = await browser.post(`${path}/roles`, buttons[3]?.[1] ?? {})
    assert.match(role.body, /value="staff &amp; &lt;tutors&gt;"/)
    // A passkey that opened this session a moment ago is proof enough.
    const recent = await signedIn(app, admin)
    await db.updateTable('sessions').set({ proof: 'passkey', proved_at: new Date() }).execute()
    assert.equal((await recent.post(`${path}/state`, { value: 'on' })).statusCode, 303)
  })

  test('are tested as they are: a test counts for the connection that was tested', async (t) => {
    const { app, db } = await aForum(t)
    const { browser } = await anAdmin(app)
    const path = await add(browser, GITHUB)
    const tested = async () =>
      (await db.selectFrom('identity_providers').select('tested_at').executeTakeFirstOrThrow()).tested_at
    assert.equal((await browser.post(`${path}/test`, CONFIRMED)).headers.location, path)
    assert.ok((await tested()) !== null)
    await browser.post(path, { ...GITHUB, client_secret: '', label: 'Hub', ...CONFIRMED })
    assert.ok((await tested()) !== null)
    await browser.post(path, { ...GITHUB, client_secret: '', client_id: 'another', ...CONFIRMED })
    assert.equal(await tested(), null)
  })

  test('are refused with addresses and domains that can’t be, and with a secret for another issuer', async (t) => {
    const { app } = await aForum(t)
    const { browser } = await anAdmin(app)
    const refused: [Fields, RegExp][] = [
      [{ issuer: 'http://sso.school.example' }, /begins with https/],
      [{ issuer: 'https://sso.school.example/?realm=main' }, /begins with https/],
      [{ issuer: 'nothing' }, /begins with https/],
      [{ preset: 'entra', issuer: 'https://login.microsoftonline.com/common/v2.0' }, /your tenant’s id/],
      [{ domains: 'school' }, /such as school\.example/],
      [{ trusts: '1' }, /Enter the domains/],
      [{ label: '' }, /Enter a label/],
      [{ client_id: '' }, /Enter the client ID/],
    ]
    for (const [fields, said] of refused) {
      const answer = await browser.post(PATH, { ...KEYCLOAK, ...fields, current_password: PASSWORD })
      assert.equal(answer.statusCode, 422, JSON.stringify(fields))
      assert.match(textOf(answer.body), said)
    }
    const path = await add(browser, { ...KEYCLOAK, domains: '@School.example other.example', trusts: '1' })
    const provider = (await app.providers.all())[0]
    assert.deepEqual(provider?.allowedDomains, ['school.example', 'other.example'])
    const change = { ...KEYCLOAK, client_secret: '', current_password: PASSWORD }
    assert.equal((await browser.post(path, change)).statusCode, 303)
    const elsewhere = await browser.post(path, { ...change, issuer: 'https://evil.example' })
    assert.equal(elsewhere.statusCode, 422)
    assert.match(textOf(elsewhere.body), /Enter the client secret again/)
    // Nothing answers there: the test of the connection says so.
    assert.equal((await browser.post(`${path}/test`, CONFIRMED)).statusCode, 422)
  })

  test('of the environment have options; turned off, the sessions that began with them end', async (t) => {
    const { app, db, provider } = await aForumWithProvider(t)
    const { browser } = await anAdmin(app)
    const someone = await comeBy(app, provider)
    const { id } = await db.selectFrom('identity_providers').select('id').executeTakeFirstOrThrow()
    const path = `${PATH}/${id}`
    assert.match(
      textOf((await browser.get(PATH)).body),
      /Hanbit University On Set by OIDC_ISSUER 1 person linked/,
    )
    assert.equal((await browser.post(`${path}/test`, CONFIRMED)).statusCode, 303)
    const options = { domains: '', current_password: PASSWORD }
    assert.equal((await browser.post(`${path}/options`, options)).statusCode, 303)
    provider.answers.claims = { sub: 'another', email: undefined }
    const unlinked = await signInBy(visitor(app), provider)
    waitingAt(unlinked)
    assert.equal((await browser.post(path, { ...KEYCLOAK, current_password: PASSWORD })).statusCode, 404)
    assert.equal((await browser.post(`${path}/removal`, CONFIRMED)).statusCode, 404)
    await browser.post(`${path}/state`, { value: 'off', ...CONFIRMED })
    assert.equal(await personIn(someone), null)
    assert.equal((await visitor(app).get('/sign-in/with/oidc')).statusCode, 404)
  })

  test('that are required leave passwords to admins, and to who links an account', async (t) => {
    const { app, person, provider } = await aForumWithProvider(t)
    const { admin } = await anAdmin(app)
    await setOptions(app, { is_required: true, creates_accounts: false })
    const page = (await visitor(app).get('/sign-in')).body
    assert.match(page, /<details>\s*<summary[^>]*>Sign in as an admin/)
    assert.doesNotMatch(page.slice(page.indexOf('<main')), /href="\/sign-up/)
    assert.equal((await visitor(app).get('/sign-up')).statusCode, 303)
    const known = { email: person.email, password: PASSWORD }
    const browser = visitor(app)
    const refused = await browser.post('/sign-in', known)
    assert.equal(refused.headers.location, '/sign-in')
    assert.match(textOf((await browser.follow(refused)).body), /Passwords are for admins only/)
    assert.equal(await personIn(browser), null)
    assert.equal((await browser.post('/sign-in', { ...known, password: 'wrong one' })).statusCode, 422)
    const signUp = { display_name: 'Eve', email: 'eve@example.org', password: 'six blue doors in a row' }
    assert.equal((await visitor(app).post('/sign-up', signUp)).headers.location, '/sign-in')
    const asAdmin = visitor(app)
    await asAdmin.post('/sign-in', { email: admin.email, password: PASSWORD })
    assert.equal(await personIn(asAdmin), 'Ada')

    const { path, state } = waitingAt(await signInBy(browser, provider))
    await browser.post('/sign-in', { ...known, next: path })
    await browser.post('/sign-in/with/oidc/link', { state, current_password: PASSWORD })
    assert.equal(await personIn(await comeBy(app, provider)), person.displayName)
    assert.equal((await visitor(app).post('/sign-in', known)).headers.location, '/sign-in')
  })

  test('whose secret no key opens any more are shown as not set up, and named to the operator', async (t) => {
    const { app, db } = await aForum(t)
    const { browser } = await anAdmin(app)
    const path = await add(browser, GITHUB)
    const [NEW, OLD] = ['a new secret, of which nothing is known', app.secretKeys[0]]
    assert.deepEqual(await unreadableProviders(db, [NEW]), ['github'])
    assert.equal(await renewClientSecrets(db, [NEW, OLD]), 1)
    assert.equal(await renewClientSecrets(db, [NEW, OLD]), 0)
    assert.deepEqual(await unreadableProviders(db, [NEW]), [])
    await browser.post(`${path}/state`, { value: 'on', ...CONFIRMED })
    await db
      .updateTable('identity_providers')
      .set({ client_secret: Buffer.alloc(40) })
      .execute()
    const fresh = await testApp(t, db)
    assert.match(
      textOf((await (await signedIn(fresh, (await anAdmin(fresh)).admin)).get(PATH)).body),
      /GitHub Not set up/,
    )
    assert.equal((await visitor(fresh).get('/sign-in/with/github')).statusCode, 404)
  })

  test('are asked for further scopes, and show an admin the claims that come, on or off', async (t) => {
    const { app, db, provider } = await aForumWithProvider(t)
    const { browser } = await anAdmin(app)
    const { id } = await db.selectFrom('identity_providers').select('id').executeTakeFirstOrThrow()
    const path = `${PATH}/${id}`
    const options = { domains: 'school.example', scopes: 'groups, offline_access groups', ...CONFIRMED }
    assert.equal((await browser.post(`${path}/options`, options)).statusCode, 303)
    assert.match((await browser.get(path)).body, /name="scopes"[^>]*value="groups offline_access"/)
    const asked = new URL(String((await visitor(app).get('/sign-in/with/oidc')).headers.location))
    assert.equal(asked.searchParams.get('scope'), 'openid profile email groups offline_access')
    const wrong = await browser.post(`${path}/options`, { ...options, scopes: 'gro"ups' })
    assert.equal(wrong.statusCode, 422)
    assert.match(wrong.body, /value="gro&quot;ups"/)

    await browser.post(`${path}/state`, { value: 'off', ...CONFIRMED })
    provider.answers.claims = { groups: ['staff', '<b>'], email_verified: true }
    const left = await browser.get(`${path}/claims`)
    const back = provider.waysBack(String(left.headers.location))
    const people = () => db.selectFrom('people').select('id').execute()
    const before = await people()
    assert.equal((await visitor(app).get(back)).statusCode, 303, 'a visitor is sent to sign in')
    assert.equal((await (await signedIn(app, await aPerson(db))).get(back)).statusCode, 403)
    const claims = await browser.get(back)
    assert.equal(claims.statusCode, 200)
    assert.match(textOf(claims.body), /groups \["staff","<b>"\]/)
    for (const claim of ['email mina@school\\.example', 'email_verified true', 'sub mina'])
      assert.match(textOf(claims.body), new RegExp(`\\b${claim}\\b`))
    assert.equal(claims.headers['cache-control'], 'private, no-store')
    assert.equal((await people()).length, before.length + 1, 'nobody but the learner of this test')
    assert.equal(await personIn(browser), 'Ada')
    assert.equal((await browser.get(back)).statusCode, 410, 'it works once')
    assert.equal((await (await signedIn(app, await aPerson(db))).get(`${path}/claims`)).statusCode, 403)
  })

  test('warn of the accounts that would be doubled, until they are trusted', async (t) => {
    const { app, db } = await aForum(t)
    const { browser } = await anAdmin(app)
    for (const name of ['one', 'two']) await aPerson(db, { email: `${name}@school.example` })
    const path = await add(browser, { ...KEYCLOAK, domains: 'school.example' })
    const warning = /2 accounts have email addresses at these domains/
    assert.match(textOf((await browser.get(path)).body), warning)
    assert.match(
      textOf((await browser.get(path, { 'accept-language': 'ko' })).body),
      /이 도메인의 이메일 주소를 가진 계정이 2개 있습니다/,
    )
    const trusting = { ...KEYCLOAK, domains: 'school.example', trusts: '1', client_secret: '', ...CONFIRMED }
    await browser.post(path, trusting)
    assert.doesNotMatch(textOf((await browser.get(path)).body), warning)
  })
})
