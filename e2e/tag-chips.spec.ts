import type { Page } from 'playwright/test'
import type { Database } from '../src/database/schema.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aMember, aQuestion } from '../src/testing/builders.ts'
import { type As, expect, test } from './forum.ts'
import { paste } from './hands.ts'
import { barriers, expectSound } from './inspection.ts'
import { expectSaid } from './journey.ts'

const t = translatorOf('en')

test('tags are typed, suggested and removed as chips, and posted with commas', async ({ as, db }) => {
  const { page, box, chips, posted, options } = await asking(as, db)
  await page.setViewportSize({ width: 320, height: 700 })
  await box.pressSequentially('Rest API,')
  await expect(chips).toHaveText(['rest-api'])
  await expect(box).toHaveValue('')
  await expect(posted).toHaveValue('rest-api')

  // Enter takes the tag itself, else the first that begins so, else what was typed; comma and Tab what was typed. Its row is marked.
  await box.pressSequentially('ap')
  await expect(options).toHaveText(['api-design', t('tags.create', { tag: 'ap' })])
  await expect(options.first()).toHaveAttribute('aria-selected', 'true')
  await expect(box).toHaveAttribute('aria-activedescendant', (await options.first().getAttribute('id')) ?? '')
  expect(await barriers(page)).toEqual([])
  await box.pressSequentially('i')
  await expect(options.last()).toHaveText(t('tags.create', { tag: 'api' }))
  await expect(options.first()).toHaveAttribute('aria-selected', 'true')
  await box.press('Tab')
  await expect(chips).toHaveText(['rest-api', 'api'])
  await box.pressSequentially('ja')
  await expect(options.first()).toHaveAttribute('aria-selected', 'true')
  await box.pressSequentially('vas')
  await expect(options).toHaveText(['javascript', t('tags.create', { tag: 'javas' })])
  await box.press('Enter')
  await expect(chips).toHaveText(['rest-api', 'api', 'javascript'])
  await expect(box).toBeFocused()
  await expectSaid(page, t('tags.added', { tag: 'javascript' }))

  await box.pressSequentially('new')
  await expect(options).toHaveText([t('tags.create', { tag: 'new' })])
  await expect(options.first()).toHaveAttribute('aria-selected', 'true')
  await box.press('Enter')
  await expect(chips.last()).toHaveText('new')
  await box.press('Backspace')
  await compose(page, '예외')
  await expect(chips).toHaveCount(3)
  await box.press('Tab')
  await expect(chips).toHaveText(['rest-api', 'api', 'javascript', '예외'])
  await paste(box, { 'text/plain': 'C++, http status,api' })
  await expect(chips).toHaveText(['rest-api', 'api', 'javascript', '예외', 'c++', 'http-status'])
  await expect(page.locator('#tags-error')).toHaveText(t('questions.tags.many'))
  await box.press('Backspace')
  await expect(page.locator('#tags-error')).toHaveCount(0)
  await expectSaid(page, t('tags.removed', { tag: 'http-status' }))
  await expectSound(page)

  await page.getByRole('button', { name: t('tags.remove', { tag: 'api' }), exact: true }).press('Enter')
  await expectSaid(page, t('tags.removed', { tag: 'api' }))
  await expect(page.getByRole('button', { name: t('tags.remove', { tag: 'javascript' }) })).toBeFocused()
  await expect(posted).toHaveValue('rest-api, javascript, 예외, c++')
  await box.press('Tab')
  await expect(box).not.toBeFocused()
  await box.pressSequentially('last')
  await page.getByRole('button', { name: t('questions.new.post') }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Why are tags chips?')
  for (const tag of ['rest-api', 'javascript', '예외', 'c++', 'last'])
    await expect(page.locator('.post.question').getByRole('link', { name: tag, exact: true })).toBeVisible()
})

test('chips come back with a draft and a refused form, and say what is wrong', async ({ as, db }) => {
  const { page, box, chips } = await asking(as, db)
  await box.pressSequentially('java,a!b')
  await expect(page.locator('[data-draft-status]').first()).toHaveText(t('drafts.saved'))
  await page.reload()
  await expect(chips).toHaveText(['java', 'a!b'])
  const wrong = t('questions.tags.wrong', { tag: 'a!b' })
  await expect(page.locator('#tags-error')).toHaveText(wrong)
  await expect(box).toHaveAttribute('aria-describedby', /^tags-error( |$)/)

  await page.getByRole('button', { name: t('questions.new.post') }).click()
  await expect(page.locator('.error-summary')).toBeFocused()
  await page.locator('.error-summary').getByRole('link').click()
  await expect(chips).toHaveText(['java', 'a!b'])
  await expect(box).toBeFocused()
  await expect(page.locator('#tags-error')).toHaveText(wrong)
  await box.press('Backspace')
  await expect(page.locator('#tags-error')).toHaveCount(0)
  await expect(box).not.toHaveAttribute('aria-invalid')
})

async function asking(as: As, db: Database) {
  const course = await aCourse(db)
  await aQuestion(db, { course, tags: ['java', 'javascript', 'api-design'] })
  await aQuestion(db, { course, tags: ['javascript'] })
  const page = await as(await aMember(db, course))
  await page.goto(`/questions/new?course=${course.slug}`)
  await page.getByLabel(t('questions.title.label')).fill('Why are tags chips?')
  await page.getByLabel(t('questions.body.label'), { exact: true }).fill('They are easier to remove.')
  const box = page.getByLabel(t('questions.tags.label'))
  await box.scrollIntoViewIfNeeded()
  await expect(box).toHaveAttribute('role', 'combobox')
  const list = page.getByRole('listbox', { name: t('tags.suggestions') })
  const [chips, posted] = [page.locator('.chip'), page.locator('input[name="tags"]')]
  return { page, box, chips, posted, options: list.getByRole('option') }
}

/** Types a word with an input method, whose Enter ends the composition alone. */
async function compose(page: Page, text: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Input.imeSetComposition', { text, selectionStart: 2, selectionEnd: 2 })
  await devtools.send('Input.dispatchKeyEvent', {
    type: 'rawKeyDown',
    key: 'Enter',
    windowsVirtualKeyCode: 229,
  })
  await devtools.send('Input.insertText', { text })
}
