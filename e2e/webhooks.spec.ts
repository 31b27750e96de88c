import { hashPassword } from '../src/accounts/identity/passwords.ts'
import { aCourse, aMember, aPerson } from '../src/testing/builders.ts'
import { rowOf, setRows } from '../src/testing/rows.ts'
import { expect, test } from './forum.ts'
import { expectSaid } from './journey.ts'
import { PASSWORD } from './refused-pages.ts'
import { expectSoundIn, WAYS } from './ways.ts'

for (const { how, options, t } of WAYS)
  test(`an instructor makes, tries, changes a webhook, another takes it over, ${how}`, async ({ as, db }) => {
    const course = await aCourse(db)
    const passwordHash = await hashPassword(PASSWORD)
    const instructor = await aMember(db, course, 'instructor', await aPerson(db, { passwordHash }))
    const page = await as(instructor, options)
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()

    await page.goto(`/courses/${course.slug}/settings/webhooks`)
    await page.getByRole('link', { name: t('webhooks.kind.standard'), exact: true }).click()
    const address = page.getByLabel(t('webhooks.url.label'))
    await address.fill('https://10.0.0.1/hook')
    await page.getByLabel(t('webhooks.what.reply-created'), { exact: true }).check()
    await page.getByLabel(t('accounts.current.label')).fill(PASSWORD)
    await press(t('webhooks.button'))
    await expect(page.getByRole('alert')).toContainText(t('webhooks.url.private'))
    await expect(page.getByLabel(t('webhooks.what.reply-created'), { exact: true })).toBeChecked()
    await address.fill('https://receiver.example/hooks/that-nobody-reads')
    await page.getByLabel(t('accounts.current.label')).fill(PASSWORD)
    await press(t('webhooks.button'))
    await expect(page.getByRole('status')).toContainText(t('webhooks.secret.once'))
    await expect(page.getByRole('status').locator('code')).toHaveText(/^whsec_/)
    await expectSoundIn(page, how)

    const { id } = await rowOf(db, 'webhooks', { course_id: course.id })
    const path = `/courses/${course.slug}/settings/webhooks/${id}`
    await page.goto(path)
    await press(t('webhooks.test'))
    await expectSaid(page, t('webhooks.flash.test'))
    await expect(page.getByRole('row', { name: t('webhooks.what.test') })).toBeVisible()
    await page.getByLabel(t('webhooks.names.label')).check()
    await page.getByLabel(t('accounts.current.label')).fill(PASSWORD)
    await press(t('posts.save'))
    await expectSaid(page, t('webhooks.flash.changed'))
    await expect(page.getByLabel(t('webhooks.names.label'))).toBeChecked()
    await page.getByLabel(t('accounts.current.label')).fill(PASSWORD)
    await press(t('webhooks.secret.new'))
    await expect(page.getByRole('status')).toContainText(t('webhooks.secret.made'))

    await setRows(
      db,
      'course_members',
      { course_id: course.id, person_id: instructor.id },
      { role: 'learner' },
    )
    const other = await as(await aMember(db, course, 'instructor'), options)
    await other.goto(path)
    await expect(other.locator('#stopped')).toHaveText(t('webhooks.note.owner'))
    await other.getByRole('button', { name: t('webhooks.takeOver'), exact: true }).click()
    await expectSaid(other, t('webhooks.flash.takenOver'))
    await other.locator('summary', { hasText: t('webhooks.end') }).click()
    await other.getByRole('button', { name: t('webhooks.end.yes'), exact: true }).click()
    await expectSaid(other, t('webhooks.flash.ended'))
    await expect(other.getByRole('main')).toContainText(t('webhooks.none'))
  })
