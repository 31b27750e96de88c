import { translatorOf } from '../src/messages/catalogue.ts'
import { anAnswer, aPerson, aQuestion } from '../src/testing/builders.ts'
import { passTime } from '../src/testing/pass-time.ts'
import { expect, test } from './forum.ts'

const t = translatorOf('en')

test('a mail is readable in light and dark on a phone, and its link ends mail without signing in', async ({
  as,
  forum,
}) => {
  const asker = await aPerson(forum.db)
  const question = await aQuestion(forum.db, { author: asker })
  await anAnswer(forum.db, {
    question,
    body: 'Leave the **door** open.\n\n```\nGET /a/very/long/address/that/does/not/fit/on/a/phone/at/all\n```',
  })
  // Its window is over, however much came.
  await passTime(forum.db, '20 minutes', [asker])
  const mailed = () =>
    forum.db.selectFrom('mails').selectAll().where('person_id', '=', asker.id).executeTakeFirst()
  await expect.poll(mailed, { timeout: 20_000 }).toBeTruthy()
  const mail = await mailed()
  const page = await as(null)
  await page.setViewportSize({ width: 390, height: 844 })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.setContent(mail?.html ?? '')
    await expect(page.locator('strong', { hasText: 'door' })).toBeVisible()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  }
  const path = /\/unsubscribe\/[\w.-]+/.exec(mail?.text ?? '')?.[0] ?? ''
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('mailing.end.title'))
  await page.getByRole('button', { name: t('mailing.end.yes') }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('mailing.end.doneTitle'))
  const { mail_rhythm } = await forum.db
    .selectFrom('people')
    .select('mail_rhythm')
    .where('id', '=', asker.id)
    .executeTakeFirstOrThrow()
  expect(mail_rhythm).toBe('never')
})
