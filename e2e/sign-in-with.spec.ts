import { type Browser, expect, type Page, test } from 'playwright/test'
import { hashPassword } from '../src/accounts/identity/passwords.ts'
import { aRealProvider, REAL_CLIENT } from '../src/accounts/providers/real-provider-testing.ts'
import type { Database } from '../src/database/schema.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aPerson } from '../src/testing/builders.ts'
import { markupMistakes } from '../src/testing/markup.ts'
import { ensureTemplate } from '../src/testing/template.ts'
import { startOnCopy } from './forum-process.ts'
import { barriers, PHONE, tooWide } from './inspection.ts'

const t = translatorOf('en')
const PASSWORD = 'four words in a row'
const provider = REAL_CLIENT.label

/** A forum and a real provider of OpenID Connect, each a process or a server of its own. */
async function forumWithProvider() {
  const started: Awaited<ReturnType<typeof aRealProvider>>[] = []
  const forum = await startOnCopy(ensureTemplate, async (forumUrl) => {
    const real = await aRealProvider(forumUrl)
    started.push(real)
    const { clientId, clientSecret, label } = REAL_CLIENT
    return {
      OIDC_ISSUER: real.issuer,
      OIDC_CLIENT_ID: clientId,
      OIDC_CLIENT_SECRET: clientSecret,
      OIDC_LABEL: label,
    }
  })
  const stop = async () => {
    await forum.stop()
    for (const real of started) await real.stop()
  }
  return { ...forum, issuer: started[0]?.issuer ?? '', stop }
}

let forum: Awaited<ReturnType<typeof forumWithProvider>>
test.beforeAll(async () => {
  test.setTimeout(180_000)
  forum = await forumWithProvider()
})
test.afterAll(() => forum.stop())

async function aWindow(browser: Browser) {
  const context = await browser.newContext({ baseURL: forum.url, reducedMotion: 'reduce' })
  return { page: await context.newPage() }
}

/** On the provider's own pages: any name with any password, and that the forum may know who it is. */
async function signInThere(page: Page, name: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(name)
  await page.getByPlaceholder('and password').fill('anything')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

async function isSound(page: Page): Promise<void> {
  expect(await barriers(page)).toEqual([])
  expect(await markupMistakes(await (await page.request.get(page.url())).text())).toEqual([])
  const size = page.viewportSize()
  await page.setViewportSize(PHONE)
  expect(await tooWide(page)).toEqual([])
  if (size !== null) await page.setViewportSize(size)
}

test('somebody signs in with a provider, which then ends the session', async ({ browser }) => {
  const { page } = await aWindow(browser)
  await page.goto('/sign-in?next=/tags')
  await isSound(page)
  await page.getByRole('link', { name: t('accounts.signIn.with', { provider }) }).click()
  await signInThere(page, 'mina')
  await expect(page).toHaveURL('/tags')
  await expect(page.getByRole('status').first()).toContainText(t('accounts.flash.signedUp'))
  await page.goto('/settings/security')
  const row = page.getByRole('listitem').filter({ hasText: provider })
  await expect(row).toContainText('mina@school.example')
  await expect(row.getByRole('button', { name: t('accounts.ways.unlink') })).toBeDisabled()
  await isSound(page)

  // Back to where they came from: they are in.
  await page.goBack()
  await expect(page).toHaveURL('/tags')

  await page.goto(`${forum.issuer}/session/end`)
  await page.getByRole('button', { name: /yes/i }).click()
  await expect(page.getByText(/sign-out success/i).first()).toBeVisible()
  await page.goto('/settings')
  await expect(page).toHaveURL(/\/sign-in\?next=/)
  await page.context().close()
})

test('somebody who has an account links it, and signs out here and there', async ({ browser }) => {
  const person = await aPerson(forum.db, { passwordHash: await hashPassword(PASSWORD) })
  const { page } = await aWindow(browser)
  await page.goto('/sign-in?next=/settings/sign-in')
  await page.getByLabel(t('accounts.email.label')).fill(person.email)
  await page.getByLabel(t('accounts.password.label')).fill(PASSWORD)
  await page.getByRole('button', { name: t('accounts.signIn.button'), exact: true }).click()
  await page.getByRole('link', { name: `${t('accounts.ways.link')} ${provider}` }).click()
  await signInThere(page, 'jun')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    t('accounts.with.link.title', { provider }),
  )
  await isSound(page)
  await page.setExtraHTTPHeaders({ 'accept-language': 'ko' })
  await page.reload()
  await isSound(page)
  await page.setExtraHTTPHeaders({})
  await page.reload()
  await page.getByLabel(t('accounts.current.label')).fill(PASSWORD)
  await page.getByRole('button', { name: t('accounts.with.link.button') }).click()
  await expect(page.getByRole('status').first()).toHaveText(t('accounts.with.linked', { provider }))
  await page.goto(`/sign-in/with/oidc?next=/tags`)
  await expect(page).toHaveURL('/tags')
  expect(await namesIn(forum.db)).toContain(person.displayName)

  await page.locator('header details.menu summary').last().click()
  await page.getByRole('button', { name: t('layout.signOut') }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('accounts.with.signedOut.title'))
  await isSound(page)
  await page.getByRole('link', { name: t('accounts.with.signedOut.there', { provider }) }).click()
  await page.getByRole('button', { name: /yes/i }).click()
  await expect(page).toHaveURL('/')
  await page.context().close()
})

test('a way back that was lost or cancelled says what to do', async ({ browser }) => {
  const { page } = await aWindow(browser)
  await page.goto('/sign-in/with/oidc?next=/tags')
  await page.getByRole('link', { name: /cancel/i }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('accounts.with.failed.denied.title'))
  await isSound(page)
  await page.getByRole('link', { name: t('accounts.with.failed.other') }).click()
  await expect(page).toHaveURL('/sign-in?next=%2Ftags')
  await page.context().close()
})

async function namesIn(db: Database): Promise<string[]> {
  const people = await db
    .selectFrom('linked_accounts as linked')
    .innerJoin('people as person', 'person.id', 'linked.person_id')
    .select('person.display_name')
    .execute()
  return people.map(({ display_name }) => display_name)
}
