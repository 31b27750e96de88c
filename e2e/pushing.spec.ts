import type { Page } from 'playwright/test'
import { aPushBrowser } from '../src/forum/pushing/testing.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aPerson } from '../src/testing/builders.ts'
import { expect, test } from './forum.ts'
import { barriers } from './inspection.ts'

const t = translatorOf('en')
const PATH = '/settings/notifications'

test('pushes are switched on, shown unless a page asks for them, and off', async ({ as, db, forum }) => {
  const page = await as(await aPerson(db), { isChanged: true })
  await page.context().grantPermissions(['notifications'])
  await withPushService(page)
  await page.goto(PATH)
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: t('pushing.start') }).click()
  await expect(page.getByText(t('pushing.flash.on'))).toBeVisible()
  await expect(page.getByText(t('pushing.on'))).toBeVisible()
  expect(await barriers(page)).toEqual([])

  await deliver(page, forum.url, { title: 'Mara answered How?', url: `${forum.url}/questions/1` })
  await expect.poll(() => shown(page)).toEqual([['Mara answered How?', `${forum.url}/questions/1`]])

  await page.getByRole('button', { name: t('pushing.end') }).click()
  await expect(page.getByText(t('pushing.flash.off'))).toBeVisible()
  await expect(page.getByRole('button', { name: t('pushing.start') })).toBeVisible()
})

test('a browser that allows no notifications is told how, and nothing is switched on', async ({ as, db }) => {
  const page = await as(await aPerson(db), { isChanged: true })
  await page.addInitScript(() => {
    Notification.requestPermission = async () => 'denied'
  })
  await page.goto(PATH)
  await page.getByRole('button', { name: t('pushing.start') }).click()
  await expect(page.getByRole('alert').filter({ hasText: t('pushing.denied') })).toBeVisible()
  await expect(page.getByText(t('pushing.without'))).toBeHidden()
})

test('without scripts, or without web push, the settings say what it needs', async ({ as, db }) => {
  const person = await aPerson(db)
  const plain = await as(person, { javaScriptEnabled: false })
  const old = await as(person, { isChanged: true })
  await old.addInitScript(() => {
    Reflect.deleteProperty(window, 'PushManager')
  })
  for (const page of [plain, old]) {
    await page.goto(PATH)
    await expect(page.getByText(t('pushing.without'))).toBeVisible()
    await expect(page.getByRole('button', { name: t('pushing.start') })).toBeHidden()
  }
})

/** The browser's own push service is on the Internet: it subscribes to one of ours instead. */
async function withPushService(page: Page): Promise<void> {
  const { endpoint, ...keys } = aPushBrowser().subscription
  await page.addInitScript(
    (json) => {
      PushManager.prototype.subscribe = async () => Object.assign(Object.create(null), { toJSON: () => json })
    },
    { endpoint, keys },
  )
}

/** As if a push service had sent this. */
async function deliver(page: Page, origin: string, message: object): Promise<void> {
  const browser = await page.context().newCDPSession(page)
  const registered = new Promise<string>((resolve) => {
    browser.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      for (const { registrationId } of registrations) resolve(registrationId)
    })
  })
  await browser.send('ServiceWorker.enable')
  const registrationId = await registered
  await browser.send('ServiceWorker.deliverPushMessage', {
    origin,
    registrationId,
    data: JSON.stringify(message),
  })
}

function shown(page: Page): Promise<readonly (readonly [string, unknown])[]> {
  return page.evaluate(async () => {
    const notifications = await (await navigator.serviceWorker.ready).getNotifications()
    return notifications.map(({ title, data }) => [title, data] as const)
  })
}
