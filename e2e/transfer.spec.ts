import { hashPassword } from '../src/accounts/identity/passwords.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../src/testing/builders.ts'
import { expect, test } from './forum.ts'
import { expectSaid } from './journey.ts'
import { PASSWORD } from './refused-pages.ts'
import { expectSoundIn, WAYS } from './ways.ts'

for (const { how, options, t } of WAYS)
  test(`an instructor exports a course and imports it into another, ${how}`, async ({ as, db }) => {
    const before = await aCourse(db, { title: 'Last term', isPublic: false })
    const title = `Which verb creates, ${how}?`
    await anAnswer(db, { question: await aQuestion(db, { course: before, title }) })
    await aQuestion(db, { course: before, title: 'Kept between us', audience: 'staff' })
    const after = await aCourse(db, { title: 'This term', isPublic: false })
    const instructor = await aPerson(db, { passwordHash: await hashPassword(PASSWORD) })
    await aMember(db, before, 'instructor', instructor)
    await aMember(db, after, 'instructor', instructor)
    const page = await as(instructor, options)
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()

    await page.goto(`/courses/${before.slug}/settings/export`)
    await page.getByLabel(t('accounts.current.label')).fill('not the password')
    await press(t('transfer.export.button'))
    await expect(page.getByRole('alert')).toContainText(t('accounts.current.wrong'))
    await page.getByLabel(t('accounts.current.label')).fill(PASSWORD)
    await press(t('transfer.export.button'))
    await expectSaid(page, t('transfer.export.asked'))
    const link = page.getByRole('link', { name: t('transfer.export.download'), exact: true })
    await expect(async () => {
      await page.goto(`/courses/${before.slug}/settings/export`)
      await expect(link).toBeVisible({ timeout: 1000 })
    }).toPass()
    await expectSoundIn(page, how)
    const downloading = page.waitForEvent('download')
    await link.click()
    const path = await (await downloading).path()

    await page.goto(`/courses/${after.slug}/settings/import`)
    await page.getByLabel(t('transfer.file.label'), { exact: true }).setInputFiles(path)
    await page.getByLabel(t('accounts.current.label')).fill(PASSWORD)
    await expectSoundIn(page, how)
    await press(t('transfer.import.bring'))
    await expectSaid(page, t('transfer.import.brought'))
    const reloadUntil = (text: string) =>
      expect(async () => {
        await page.goto(`/courses/${after.slug}/settings/import`)
        await expect(page.locator('#content')).toContainText(text, { timeout: 1000 })
      }).toPass()
    await reloadUntil(t('transfer.import.tried'))
    const count = { text: t('transfer.said.questions'), count: 2 }
    await expect(page.locator('#content')).toContainText(t('transfer.told.line', count))
    await expectSoundIn(page, how)
    await press(t('transfer.import.start'))
    await expectSaid(page, t('transfer.import.started'))
    await reloadUntil(t('transfer.import.questions'))
    await expectSoundIn(page, how)
    await page.getByRole('link', { name: t('transfer.import.questions'), exact: true }).click()
    await page.getByRole('link', { name: title }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(title)
  })
