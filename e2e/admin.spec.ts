import { aCourse, aMember, aPerson } from '../src/testing/builders.ts'
import { expect, test } from './forum.ts'
import { WAYS } from './ways.ts'

for (const { how, options, t } of WAYS)
  test(`an admin sees the state, finds a person and lets them in by a link, ${how}`, async ({ as, db }) => {
    const course = await aCourse(db)
    const person = await aMember(db, course, 'instructor', await aPerson(db))
    const page = await as(await aPerson(db, { isAdmin: true }), options)
    await page.goto('/admin')
    await expect(page.getByRole('table')).toContainText(t('admin.checks.migrations'))
    await page.goto('/admin/people')
    await page.locator('#find').fill(person.email)
    await page.getByRole('button', { name: t('members.findButton') }).click()
    await expect(page.getByRole('table')).toContainText(person.displayName)
    await page.getByRole('button', { name: t('admin.people.link') }).click()
    const link = (await page.locator('code.link').textContent()) ?? ''

    const owner = await as(null, options)
    await owner.goto(link.slice(link.indexOf('/sign-in')))
    await owner.getByRole('main').getByRole('button').first().click()
    await owner.goto('/settings')
    await expect(owner.getByRole('main')).toContainText(course.title)
    expect((await owner.goto('/admin'))?.status()).toBe(403)
  })
