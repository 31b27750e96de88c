import { aCourse, aMember, aPerson } from '../src/testing/builders.ts'
import { expect, test } from './forum.ts'
import { expectSaid } from './journey.ts'
import { expectSoundIn, WAYS } from './ways.ts'

for (const { how, language, options, t } of WAYS)
  test(`an instructor adds people and invites by a link, a learner joins, ${how}`, async ({ as, db }) => {
    const course = await aCourse(db, { isPublic: false })
    const [mina, jun] = [await aPerson(db, { displayName: 'Mina Park' }), await aPerson(db)]
    const page = await as(await aMember(db, course, 'instructor'), options)
    await page.goto(`/courses/${course.slug}/members`)
    const open = page.getByRole('button', { name: t('members.add.open') })
    const many = page.locator('summary', { hasText: t('members.list.title') })
    const dialog = page.getByRole('dialog', { name: t('members.add.open') })
    await open.press('Enter')
    await expect(dialog).toBeVisible()
    // Focus is in it, and goes back to what opened it.
    await expect(dialog.getByRole('button', { name: t('members.link.button') })).toBeFocused()
    await expectSoundIn(page, how)
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    await expect(open).toBeFocused()
    await open.click()
    await many.click()
    await page.locator('#list').fill(`${mina.email},learner\nnobody`)
    await page.getByRole('button', { name: t('members.list.button') }).click()
    await expect(page.getByRole('status', { name: t('members.report.title') })).toContainText(
      t('members.line.email'),
    )
    await expect(page.locator('#list')).toHaveValue('nobody')
    const ofFile = `from-file-${course.id}@example.com`
    const table = `name,email,role\r\n"Park, Bora",${ofFile},TA\r\n,learns-${course.id}@example.com,\r\n`
    await page.locator('#list').fill('')
    await page.getByLabel(t('forms.file.label')).setInputFiles({
      name: 'members.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`\uFEFF${table}`, 'utf16le'),
    })
    await page.getByRole('button', { name: t('members.list.button') }).click()
    await expect(page.getByRole('status', { name: t('members.report.title') })).toContainText(
      t('members.report.kept', { count: 1 }),
    )
    const asked = page.getByRole('region', { name: t('members.roles.title', { count: 1 }) })
    await expect(asked).toContainText(ofFile)
    await expectSoundIn(page, how)
    // The page is closed; the form says what is left.
    await page.goto(`/courses/${course.slug}/members`)
    await expect(asked).toHaveCount(0)
    await page.getByRole('link', { name: t('members.roles.title', { count: 1 }) }).click()
    await asked.getByRole('button', { name: t('members.roles.button') }).click()
    const counts = { count: 1, learner: 0, assistant: 1, others: 1, instructor: 0 }
    await expectSaid(page, t('members.report.waiting', counts))
    await expect(asked).toHaveCount(0)
    const shown = page.getByRole('row').filter({ hasText: ofFile })
    await expect(shown).toContainText('Bora Park')
    await expect(shown).toContainText(t('members.role.assistant'))
    await page.goto(`/courses/${course.slug}/members?q=mina`)
    const save = page.locator('form', { has: page.locator(`#role-${mina.id}`) }).getByRole('button')
    if (language === 'en') {
      // The keys move through the roles without saving one.
      await page.locator(`#role-${mina.id}`).focus()
      await expect(save).toBeHidden()
      await page.keyboard.press('a')
      await expect(page.locator(`#role-${mina.id}`)).toHaveValue('assistant')
      await expect(save).toBeVisible()
      await page.keyboard.press('Enter')
    } else {
      await page.locator(`#role-${mina.id}`).selectOption('assistant')
      await save.click()
    }
    await expectSaid(page, t('members.flash.role'))
    await page.getByRole('button', { name: t('posts.undo') }).click()
    await expectSaid(page, t('members.flash.undone'))
    await page.goto(`/courses/${course.slug}/members?q=mina`)
    await page.locator(`#role-${mina.id}`).selectOption('assistant')
    // A choice that no key made is saved at once.
    if (language === 'ko') await save.click()
    await expectSaid(page, t('members.flash.role'))
    await open.click()
    await page.locator('summary', { hasText: t('members.link.options') }).click()
    await page.locator('#invitation-uses').fill('1')
    await page.getByRole('button', { name: t('members.link.button') }).click()
    await expectSaid(page, t('members.flash.invitation'))
    const label = t('members.link.named', { number: 1 })
    const link = await page.getByLabel(label, { exact: true }).inputValue()

    const guest = await as(jun, options)
    await guest.goto(new URL(link).pathname)
    await expectSoundIn(guest, how)
    await guest.getByRole('button', { name: t('members.join.button') }).click()
    await expectSaid(guest, t('members.flash.joined'))
    await expect(guest.locator('.course-name')).toContainText(course.title)
    const late = await as(await aPerson(db), options)
    await late.goto(new URL(link).pathname)
    await expect(late.getByRole('heading', { level: 1 })).toHaveText(t('members.dead.title'))
    const assistant = await as(mina, options)
    await assistant.goto(`/courses/${course.slug}/members`)
    await expect(assistant.getByRole('main').locator('form:not([role="search"])')).toHaveCount(0)
  })
