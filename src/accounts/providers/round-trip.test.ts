import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { aQuestion } from '../../testing/builders.ts'
import { valueIn } from '../../testing/page.ts'
import { setRows } from '../../testing/rows.ts'
import { PASSWORD } from '../testing.ts'
import { type Claims, signed } from './crafted-provider-testing.ts'
import type { FailureReason } from './failure.ts'
import { aForumWithProvider, comeBy, leave, setOptions, signInBy } from './testing.ts'

const TEXT = 'Because nobody <b>stays</b> for ever.'
const MAINTENANCE = { status: 200, type: 'text/html', body: '<h1>Maintenance</h1>' }

/** The address of the page's first link that begins like this. */
function linkTo(page: string, start: string): string {
  const href = page.split(`href="${start}`)[1]?.split('"')[0]
  assert.ok(href !== undefined, `no link to ${start}`)
  return (start + href).replaceAll('&amp;', '&')
}
const wayOut = (page: string) => linkTo(page, '/sign-in/with/oidc')

/** Follows that link and comes back, signed in there. */
async function goAndReturn(browser: Browser, { provider }: Scene, page: string) {
  const left = await browser.get(wayOut(page))
  assert.equal(left.statusCode, 303, left.body)
  return browser.get(provider.waysBack(String(left.headers.location)))
}

async function aScene(t: TestContext) {
  const scene = await aForumWithProvider(t)
  return { ...scene, question: await aQuestion(scene.db) }
}
type Scene = Awaited<ReturnType<typeof aScene>>

/** Sends an answer that needs signing in. @returns the page that asks to */
async function answerSignedOut(browser: Browser, { question }: Scene): Promise<string> {
  const sent = await browser.post(`/questions/${question.id}/answers`, { body: TEXT }, { token: null })
  assert.equal(sent.statusCode, 303)
  return (await browser.follow(sent)).body
}

/** Opens the page that signing in led to, where the text is in the form again. */
async function findsTheText(browser: Browser, answer: Parameters<Browser['follow']>[0]): Promise<void> {
  assert.equal(answer.statusCode, 303, answer.body)
  assert.match(String(answer.headers.location), /^\/questions\/\d+.*kept=/)
  const page = await browser.follow(answer)
  const form = page.statusCode === 200 ? page : await browser.follow(page)
  const areas = [...form.body.matchAll(/<textarea[^>]* name="body"[^>]*>[^<]*<\/textarea>/g)]
  assert.deepEqual(areas.map(([area]) => valueIn(area, 'body')).filter(Boolean), [TEXT])
}

suite('what someone typed before they left for a provider', () => {
  test('is in its form again: typed by a visitor, through a failure on the way', async (t) => {
    const scene = await aScene(t)
    const browser = visitor(scene.app)
    const asked = await answerSignedOut(browser, scene)
    scene.provider.answers.token = MAINTENANCE
    const failed = await goAndReturn(browser, scene, asked)
    assert.equal(failed.statusCode, 502)
    scene.provider.answers.token = null
    await findsTheText(browser, await goAndReturn(browser, scene, failed.body))
  })

  test('is there when the session had ended, also by the other way that the page of a failure offers', async (t) => {
    const scene = await aScene(t)
    const { app, db, provider } = scene
    const browser = await comeBy(app, provider)
    await db.deleteFrom('sessions').execute()
    const asked = await answerSignedOut(browser, scene)
    provider.answers.token = MAINTENANCE
    const failed = await goAndReturn(browser, scene, asked)
    provider.answers.token = null
    const signInPage = await browser.get(linkTo(failed.body, '/sign-in?next='))
    await findsTheText(browser, await goAndReturn(browser, scene, signInPage.body))
  })

  test('is there after the account that was there before was linked', async (t) => {
    const scene = await aScene(t)
    const { app, person, provider } = scene
    await setOptions(app, { trusts_addresses: true, allowed_domains: [person.email.split('@')[1] ?? ''] })
    provider.answers.claims = { email: person.email, email_verified: true }
    const browser = visitor(app)
    const back = await goAndReturn(browser, scene, await answerSignedOut(browser, scene))
    const offered = await browser.follow(back)
    const signInPage = await browser.get(linkTo(offered.body, '/sign-in?next='))
    const next = valueIn(signInPage.body, 'next') ?? ''
    const entered = await browser.post('/sign-in', { email: person.email, password: PASSWORD, next })
    const linked = await browser.post(String(entered.headers.location), { current_password: PASSWORD })
    await findsTheText(browser, linked)
  })
})

/** How each failure comes about, and who finds its page. */
const FAILURES: Readonly<Record<FailureReason, (scene: Scene) => Promise<LightMyRequestResponse>>> = {
  async down({ app, provider }) {
    provider.answers.token = MAINTENANCE
    return signInBy(visitor(app), provider, NEXT)
  },
  clock: (scene) => told(scene, { exp: Math.floor(Date.now() / 1000) - 90 }),
  async denied({ app }) {
    const browser = visitor(app)
    const state = new URL(await leave(browser, NEXT)).searchParams.get('state')
    return browser.get(`/sign-in/with/oidc/return?error=access_denied&state=${state}`)
  },
  answer: (scene) => told(scene, { nonce: 'of another session' }),
  async used({ app, provider }) {
    const browser = visitor(app)
    const back = provider.waysBack(await leave(browser, NEXT))
    await browser.get(back)
    await browser.post('/sign-out')
    return browser.get(back)
  },
  async expired({ app, db, provider }) {
    const browser = visitor(app)
    const back = provider.waysBack(await leave(browser, NEXT))
    await setRows(db, 'provider_sign_ins', {}, { begun_at: new Date(Date.now() - 61 * 60_000) })
    return browser.get(back)
  },
  async browser({ app, provider }) {
    const browser = visitor(app)
    const back = provider.waysBack(await leave(browser, NEXT))
    browser.cookies.clear()
    return browser.get(back)
  },
  async domain({ app, provider }) {
    await setOptions(app, { allowed_domains: ['elsewhere.example'] })
    return signInBy(visitor(app), provider, NEXT)
  },
  subject: (scene) => told(scene, { sub: 'mi\0na' }),
  async taken({ app, person, provider }) {
    await comeBy(app, provider)
    return signInBy(await signedIn(app, person), provider, NEXT)
  },
}
const NEXT = '?next=/tags'

/** Comes back with an ID token that differs in these claims. */
async function told({ app, provider }: Scene, more: Claims) {
  provider.answers.idToken = (honest, { key }) => signed({ ...honest, ...more }, key)
  return signInBy(visitor(app), provider, NEXT)
}

/** With which status, and under which title, the page of each failure comes. */
const PAGES: Readonly<Record<FailureReason, readonly [number, string]>> = {
  down: [502, 'Can’t reach the sign-in provider'],
  clock: [502, 'The clocks don’t match'],
  denied: [403, 'Sign-in cancelled'],
  answer: [502, 'Sign-in couldn’t be verified'],
  used: [410, 'This sign-in was already used'],
  expired: [410, 'This sign-in has expired'],
  browser: [400, 'Start again in this browser'],
  domain: [403, 'This address can’t be used here'],
  subject: [502, 'Sign-in couldn’t be completed'],
  taken: [409, 'Already linked'],
}

suite('a sign-in with a provider that fails', () => {
  for (const [reason, fail] of Object.entries(FAILURES))
    test(`says what to do, with a request number, and keeps the way: ${reason}`, async (t) => {
      const { statusCode, body } = await fail(await aScene(t))
      const [, title] = /<h1 class="page-title">([^<]*)</.exec(body) ?? []
      assert.deepEqual([statusCode, title], PAGES[reason as FailureReason])
      assert.equal(wayOut(body), '/sign-in/with/oidc?next=%2Ftags')
      assert.match(body, reason === 'taken' ? /href="\/tags"/ : /href="\/sign-in\?next=%2Ftags"/)
      assert.match(body, /<code>[0-9a-f-]{36}<\/code>/)
    })
})
