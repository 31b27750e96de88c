import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { agentsOn, aRegisteredApp, askingPath } from '../src/accounts/apps/testing.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aMember } from '../src/testing/builders.ts'
import { expect, test } from './forum.ts'
import { barriers, tooWide } from './inspection.ts'
import { expectSaid } from './journey.ts'
import { WAYS } from './ways.ts'

/** A program on the person's machine, which waits for an answer. @param host an address of this machine */
async function aProgram(host: string) {
  const server = createServer((_, response) => {
    // Without an icon of its own, the browser would ask for one when nobody answers any more.
    const page = '<!doctype html><link rel="icon" href="data:,"><title>Done</title>You can close this page.'
    response.writeHead(200, { 'content-type': 'text/html' }).end(page)
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  // The browser may ask for an icon after all else.
  server.unref()
  const { port } = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}/callback`
}

for (const { how, options, t } of WAYS) {
  const allow = { name: t('apps.consent.allow'), exact: true }
  const cancel = { name: t('apps.consent.cancel'), exact: true }

  test(`someone lets a program on their machine in, or doesn’t, ${how}`, async ({ as, db, forum }) => {
    const { url } = forum
    await agentsOn(db)
    const course = await aCourse(db, { title: `Apps ${Date.now()}` })
    const page = await as(await aMember(db, course), options)
    for (const host of ['127.0.0.1', '::1']) {
      const address = await aProgram(host)
      const name = `Program at ${host} ${Date.now()}`
      // Registered with another port.
      const redirectUris = [address.replace(/:\d+\//, '/')]
      const client = {
        ...(await aRegisteredApp(db, { name, redirectUris })),
        redirectUris: [address],
      }
      const path = askingPath({ config: { baseUrl: url } }, client)

      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toContainText(name)
      // Axe is a script.
      if (!('javaScriptEnabled' in options)) expect(await barriers(page)).toEqual([])
      expect(await tooWide(page)).toEqual([])
      await page.getByRole('button', cancel).click()
      await page.waitForURL(`${address}?*`)
      expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied')

      await page.goto(path)
      await page.getByLabel(course.title).check()
      await page.getByRole('button', allow).click()
      await page.waitForURL(`${address}?*`)
      const back = new URL(page.url()).searchParams
      expect(back.get('code')).toMatch(/^handup_ac_/)
      expect([back.get('state'), back.get('iss')]).toEqual(['kept as it is', url])

      await page.goto('/settings/apps')
      const row = page.getByRole('row').filter({ hasText: name })
      await expect(row).toContainText(course.title)
      await row.locator('summary').click()
      await row.getByRole('button').click()
      await expectSaid(page, t('apps.flash.ended'))
      await expect(page.getByText(name)).toHaveCount(0)
    }
  })

  test(`somebody lets an app on the web in, or doesn’t, ${how}`, async ({ as, db, forum }) => {
    const { url } = forum
    await agentsOn(db)
    const page = await as(await aMember(db, await aCourse(db)), options)
    const path = askingPath({ config: { baseUrl: url } }, await aRegisteredApp(db))
    for (const [button, parameter] of [
      [cancel, 'error'],
      [allow, 'code'],
    ] as const) {
      await page.goto(path)
      // Nothing answers there: what counts is that the browser goes.
      const asked = page.waitForRequest(/^https:\/\/assistant\.example\/callback\?/)
      await page.getByRole('button', button).click()
      const request = await asked
      expect(request.isNavigationRequest()).toBe(true)
      await expect.poll(() => page.url()).toMatch(/^chrome-error:/)
      expect(new URL(request.url()).searchParams.has(parameter)).toBe(true)
      // The page that says so would come in the way of the next.
      await page.waitForURL(/^chrome-error:/)
    }
  })
}

test('an admin opens the forum to registered apps, registers one and ends it', async ({ as, db }) => {
  const t = translatorOf('en')
  const admin = await aMember(db, await aCourse(db))
  await db.updateTable('people').set({ is_admin: true }).where('id', '=', admin.id).execute()
  const page = await as(admin)
  await page.goto('/admin/apps')
  const name = `Registered ${Date.now()}`
  await page.getByLabel(t('apps.name.label')).fill(name)
  const addresses = page.getByLabel(t('apps.redirect_uris.label'))
  await addresses.fill('http://assistant.example/callback')
  await page.getByRole('button', { name: t('apps.admin.button') }).click()
  await expect(addresses).toHaveValue('http://assistant.example/callback')
  await addresses.fill('https://assistant.example/callback\nhttp://127.0.0.1/callback')
  await page.getByRole('button', { name: t('apps.admin.button') }).click()
  await expectSaid(page, t('apps.flash.registered'))
  const row = page.getByRole('row').filter({ hasText: name })
  await expect(row).toContainText('http://127.0.0.1/callback')
  expect(await barriers(page)).toEqual([])
  await row.locator('summary').click()
  await row.getByRole('button').click()
  await expectSaid(page, t('apps.flash.removed'))
  await expect(page.getByText(name)).toHaveCount(0)
})
