import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aPerson, aQuestion } from '../src/testing/builders.ts'
import { expect, test } from './forum.ts'
import { barriers } from './inspection.ts'
import { searchBox } from './search-box.ts'

const t = translatorOf('en')

test('single keys lead through a list, to the search and to a reply', async ({ as, db }) => {
  const course = await aCourse(db)
  const older = await aQuestion(db, { course })
  const newer = await aQuestion(db, { course })
  const page = await as(await aPerson(db))
  await page.goto(`/courses/${course.slug}`)
  await page.keyboard.press('j')
  await expect(page.getByRole('link', { name: newer.title })).toBeFocused()
  await page.keyboard.press('j')
  await expect(page.getByRole('link', { name: older.title })).toBeFocused()
  await page.keyboard.press('k')
  await expect(page.getByRole('link', { name: newer.title })).toBeFocused()
  await page.keyboard.press('/')
  await expect(searchBox(page)).toBeFocused()
  await page.keyboard.type('jk?')
  await expect(searchBox(page)).toHaveValue('jk?')

  await page.goto(`/questions/${older.id}`)
  // With the Korean layout the key R writes ㄱ.
  await page.evaluate(() =>
    document.body.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'ㄱ', code: 'KeyR', bubbles: true, cancelable: true }),
    ),
  )
  await expect(page.locator('.post.question .reply-form textarea')).toBeFocused()
})

test('the list of keys opens by ?, and switches single keys off on this device', async ({ as, db }) => {
  const course = await aCourse(db)
  await aQuestion(db, { course })
  const page = await as(null)
  await page.goto(`/courses/${course.slug}`)
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog', { name: t('keys.title') })
  await expect(dialog).toBeVisible()
  expect(await barriers(page)).toEqual([])
  await dialog.getByRole('checkbox').uncheck()
  await dialog.getByRole('button', { name: t('keys.close') }).click()
  await expect(dialog).toBeHidden()

  await page.reload()
  await page.keyboard.press('?')
  await page.keyboard.press('/')
  await expect(dialog).toBeHidden()
  await expect(searchBox(page)).not.toBeFocused()
  await page.getByRole('button', { name: t('keys.title') }).click()
  await expect(dialog.getByRole('checkbox')).not.toBeChecked()
})

test('of the menus one is open at a time; Escape and a click elsewhere close it', async ({ as, db }) => {
  const course = await aCourse(db)
  await aQuestion(db, { course })
  const page = await as(null)
  await page.goto(`/courses/${course.slug}`)
  const account = page.locator('header details.menu')
  const sorts = page.locator('.list-head details.menu')
  await account.locator('summary').click()
  await expect(account).toHaveAttribute('open')
  await sorts.locator('summary').click()
  await expect(account).not.toHaveAttribute('open')
  await page.keyboard.press('Escape')
  await expect(sorts).not.toHaveAttribute('open')
  await expect(sorts.locator('summary')).toBeFocused()
  await account.locator('summary').click()
  await page.locator('main').click({ position: { x: 2, y: 400 } })
  await expect(account).not.toHaveAttribute('open')
})

test('single keys leave the tools of an editor alone', async ({ as, db }) => {
  const question = await aQuestion(db)
  const page = await as(await aPerson(db))
  await page.goto(`/questions/${question.id}`)
  const area = page.getByLabel(t('answers.form.label'))
  await area.scrollIntoViewIfNeeded()
  await expect(page.getByRole('button', { name: t('forms.italic') })).toBeVisible()
  for (const key of ['b', 'i', 'e', 'k']) await page.keyboard.press(key)
  await expect(area).toHaveValue('')
  await area.focus()
  await page.keyboard.press('Control+i')
  await expect(area).toHaveValue('**')
})
