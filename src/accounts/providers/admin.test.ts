import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import type { EventName } from '../../kernel/audit/kinds.ts'
import { act, refuses } from '../../testing/act.ts'
import { testApp } from '../../testing/app.ts'
import { type Browser, type Fields, signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aPerson } from '../../testing/builders.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf, rowsOf, setRows } from '../../testing/rows.ts'
import { aForum, anOwner, PASSWORD } from '../testing.ts'
import {
  environmentProviderChange,
  providerAddition,
  providerChange,
  providerMove,
  providerRemoval,
  providerState,
  providerTest,
  tested,
} from './operations.ts'
import { addLinkRow } from './row-testing.ts'
import { renewClientSecrets, unreadableProviders } from './seal-secrets.ts'
import { aForumWithProvider, comeBy, personIn, setOptions, signInBy, waitingAt } from './testing.ts'

const PATH = '/admin/sign-in'
const SECRET = 'a secret that no backup tells'
const GITHUB = { preset: 'github', label: 'GitHub', client_id: 'forum', client_secret: SECRET, creates: '1' }
const COMMON = 'https://login.microsoftonline.com/common/v2.0'
const ISSUER = 'https://sso.school.example/realms/main'
const KEYCLOAK = { ...GITHUB, preset: 'keycloak', label: 'Hanbit', issuer: ISSUER }

/** An admin, who has shown just now who they are. */
async function anAdmin(app: FastifyInstance) {
  const admin = await anOwner(app.db, { isAdmin: true, displayName: 'Ada' })
  return { admin, browser: await signedIn(app, admin, ['link']) }
}

/** Adds a provider. @returns the path of its page */
async function add(browser: Browser, fields: Fields): Promise<string> {
  const added = await browser.post(PATH, fields)
  assert.equal(added.statusCode, 303, added.body)
  return String(added.headers.location)
}

suite('providers, set up by an admin', () => {
  test('are added on a page with the steps, turned on and moved; the secret is sealed', async (t) => {
    const { app, db } = await aForum(t)
    const { browser } = await anAdmin(app)
    for (const preset of ['google', 'entra', 'keycloak', 'github', 'openid'])
      assert.match((await browser.get(`${PATH}/new?preset=${preset}`)).body, /<ol class="steps"><li>/)
    const path = await add(browser, GITHUB)
    const page = (await browser.get(path)).body
    assert.match(page, /http:\/\/localhost:3000\/sign-in\/with\/github\/return/)
    assert.ok(!page.includes(SECRET))
    const { slug, title } = await aCourse(db)
    await browser.post(`${path}/roles`, { value: 'graders', course: slug, role: 'assistant' })
    assert.ok(textOf((await browser.get(path)).body).includes(`graders ${title} · Assistant`))
    const { client_secret: sealed } = await rowOf(db, 'identity_providers', {})
    assert.ok(sealed !== null && !sealed.includes(SECRET))
    assert.doesNotMatch((await visitor(app).get('/sign-in')).body, /sign-in\/with/)
    await browser.post(`${path}/state`, { value: 'on' })
    const other = await add(browser, KEYCLOAK)
    await browser.post(`${other}/state`, { value: 'on' })
    const buttons = async () =>
      (await visitor(app).get('/sign-in')).body.match(/(?<=href="\/sign-in\/with\/)\w+(?=")/g)
    assert.deepEqual(await buttons(), ['github', 'keycloak'])
    await browser.post(`${other}/move`, { direction: 'up' })
    assert.deepEqual(await buttons(), ['keycloak', 'github'])
    assert.equal((await app.providers.find('github'))?.connection.clientSecret, SECRET)
  })

  test('ask for the password with what was pressed, where only a button was', async (t) => {
    const { app } = await aForum(t)
    const { admin, browser } = await anAdmin(app)
    const path = await add(browser, GITHUB)
    const open = await signedIn(app, admin)
    const buttons: [string, Fields][] = [
      ['state', { value: 'on' }],
      ['move', { direction: 'up' }],
      ['test', {}],
      ['roles', { value: 'staff & <tutors>', course: 'rest', role: 'assistant' }],
      ['roles/removal', { given: '1' }],
      ['removal', {}],
    ]
    for (const [button, fields] of buttons) {
      const asked = await open.post(`${path}/${button}`, fields)
      assert.equal(asked.statusCode, 422, button)
      assert.match(asked.body, new RegExp(`action="${path}/${button}"`), button)
      assert.match(asked.body, /name="current_password"/, button)
      assert.doesNotMatch(asked.body, /role="alert"/, button)
      for (const name of Object.keys(fields))
        assert.match(asked.body, new RegExp(`type="hidden" name="${name}"`), `${button} ${name}`)
      if (button === 'roles') assert.match(asked.body, /value="staff &amp; &lt;tutors&gt;"/)
    }
  })

  test('are tested, changed, turned and removed by operations that are noted', async (t) => {
    const forum = await aForum(t)
    const { db } = forum
    const noted: EventName[] = []
    const actor = await anOwner(db, { isAdmin: true })
    const { id: key } = await act(forum, providerAddition, { actor, key: null, input: GITHUB, noted })
    const by = { actor, key, noted }
    const id = `${key}`
    const row = async () => (await rowsOf(db, 'identity_providers', {}))[0]
    const connection = { kind: 'github', clientId: 'forum', clientSecret: SECRET } as const
    const answered = await tested(connection, async () => undefined)
    await act(forum, providerTest, { ...by, input: { id, ...answered } })
    const change = { ...GITHUB, id, client_secret: '' }
    await act(forum, providerChange, { ...by, input: { ...change, label: 'Hub' } })
    assert.notEqual((await row())?.tested_at, null, 'a test counts for the connection')
    await act(forum, providerChange, { ...by, input: { ...change, client_id: 'another' } })
    assert.equal((await row())?.tested_at, null)
    await act(forum, providerTest, { ...by, input: { id, ...answered } })
    assert.equal((await row())?.tested_at, null, 'and for no other')
    await act(forum, providerState, { ...by, input: { id, value: 'on' } })
    assert.equal((await row())?.is_on, true)
    await act(forum, providerMove, { ...by, input: { id, direction: 'up' } })

    const stranded = await aPerson(db, { isConfirmed: false })
    await addLinkRow(db, stranded.id, key)
    await refuses(forum, providerRemoval, by, [[{ id }, 'removal: providers.remove.stranded']])
    await setRows(db, 'people', stranded.id, { password_hash: 'one' })
    await act(forum, providerRemoval, { ...by, input: { id } })
    assert.equal(await row(), undefined)
    assert.deepEqual(noted, Array(5).fill('provider-changed'))
  })

  test('are refused with addresses and domains that can’t be, and with a secret for another issuer', async (t) => {
    const forum = await aForum(t)
    const actor = await anOwner(forum.db, { isAdmin: true })
    const wrong = (input: Fields, refusal: string) => [{ ...KEYCLOAK, ...input }, refusal] as const
    await refuses(forum, providerAddition, { actor, key: null }, [
      wrong({ issuer: 'http://sso.school.example' }, 'issuer: providers.issuer.wrong'),
      wrong({ issuer: 'https://sso.school.example/?realm=main' }, 'issuer: providers.issuer.wrong'),
      wrong({ issuer: 'nothing' }, 'issuer: providers.issuer.wrong'),
      wrong({ preset: 'entra', issuer: COMMON }, 'issuer: providers.issuer.tenant'),
      wrong({ domains: 'school' }, 'domains: providers.domains.wrong'),
      wrong({ trusts: '1' }, 'domains: providers.domains.needed'),
      wrong({ label: '' }, 'label: providers.label.short'),
      wrong({ client_id: '' }, 'client_id: providers.clientId.short'),
      wrong({ scopes: 'gro"ups' }, 'scopes: providers.scopes.wrong'),
    ])
    const { app } = forum
    const browser = await signedIn(app, actor, ['link'])
    const path = await add(browser, { ...KEYCLOAK, domains: '@School.example other.example', trusts: '1' })
    const [provider = assert.fail()] = await app.providers.all()
    assert.deepEqual(provider.allowedDomains, ['school.example', 'other.example'])
    const change = { ...KEYCLOAK, client_secret: '', id: `${provider.id}` }
    await refuses(forum, providerChange, { actor, key: provider.id }, [
      [{ ...change, issuer: 'https://evil.example' }, 'client_secret: providers.secret.again'],
      [change, 'done'],
    ])
    const tried = await browser.post(`${path}/test`)
    assert.equal(tried.statusCode, 422, 'nothing answers there')
  })

  test('of the environment have options; turned off, the sessions that began with them end', async (t) => {
    const forum = await aForumWithProvider(t)
    const { app, db, provider } = forum
    const { admin, browser } = await anAdmin(app)
    const someone = await comeBy(app, provider)
    const { id: key } = await rowOf(db, 'identity_providers', {})
    const list = textOf((await browser.get(PATH)).body)
    assert.match(list, /Hanbit University On Set by OIDC_ISSUER 1 person linked/)
    assert.equal((await browser.post(`${PATH}/${key}/test`)).statusCode, 303)
    const by = { actor: admin, key }
    const id = `${key}`
    await act(forum, environmentProviderChange, { ...by, input: { id, domains: '' } })
    provider.answers.claims = { sub: 'another', email: undefined }
    waitingAt(await signInBy(visitor(app), provider))
    await refuses(forum, providerChange, by, [[{ ...KEYCLOAK, id }, 'notFound']])
    await refuses(forum, providerRemoval, by, [[{ id }, 'notFound']])
    await act(forum, providerState, { ...by, input: { id, value: 'off' } })
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
    await browser.post(`${path}/state`, { value: 'on' })
    await setRows(db, 'identity_providers', {}, { client_secret: Buffer.alloc(40) })
    const fresh = await testApp(t, db)
    assert.match(textOf((await (await anAdmin(fresh)).browser.get(PATH)).body), /GitHub Not set up/)
    assert.equal((await visitor(fresh).get('/sign-in/with/github')).statusCode, 404)
  })

  test('are asked for further scopes, and show an admin the claims that come, on or off', async (t) => {
    const { app, db, provider } = await aForumWithProvider(t)
    const { browser } = await anAdmin(app)
    const { id } = await rowOf(db, 'identity_providers', {})
    const path = `${PATH}/${id}`
    const options = { domains: 'school.example', scopes: 'groups, offline_access groups' }
    assert.equal((await browser.post(`${path}/options`, options)).statusCode, 303)
    assert.match((await browser.get(path)).body, /name="scopes"[^>]*value="groups offline_access"/)
    const asked = new URL(String((await visitor(app).get('/sign-in/with/oidc')).headers.location))
    assert.equal(asked.searchParams.get('scope'), 'openid profile email groups offline_access')
    const wrong = await browser.post(`${path}/options`, { ...options, scopes: 'gro"ups' })
    assert.match(wrong.body, /value="gro&quot;ups"/)

    await browser.post(`${path}/state`, { value: 'off' })
    provider.answers.claims = { groups: ['staff', '<b>'], email_verified: true }
    const left = await browser.get(`${path}/claims`)
    const back = provider.waysBack(String(left.headers.location))
    const people = () => rowsOf(db, 'people', {})
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
    const korean = textOf((await browser.get(path, { 'accept-language': 'ko' })).body)
    assert.match(korean, /이 도메인의 이메일 주소를 가진 계정이 2개 있습니다/)
    const trusting = { ...KEYCLOAK, domains: 'school.example', trusts: '1', client_secret: '' }
    await browser.post(path, trusting)
    assert.doesNotMatch(textOf((await browser.get(path)).body), warning)
  })
})
