import type { Page } from 'playwright/test'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aQuestion } from '../src/testing/builders.ts'
import { expect, test } from './forum.ts'
import { barriers } from './inspection.ts'

const t = translatorOf('en')

test('typing shows questions under the search box, and arrow keys and Enter open one', async ({ as, db }) => {
  await aQuestion(db, { title: 'Why does a kookaburra laugh twice?' })
  await aQuestion(db, { title: 'Where does a kookaburra sleep?' })
  const page = await as(null)
  const { box, list, options } = await openPage(page)
  await expect(box).toHaveAttribute('aria-expanded', 'false')
  await expect(list).toBeHidden()
  await box.pressSequentially('kookab')

  await expect(options).toHaveCount(2)
  await expect(box).toHaveAttribute('aria-expanded', 'true')
  await expect(box).toHaveAttribute('aria-controls', (await list.getAttribute('id')) ?? '')
  await expect(box).not.toHaveAttribute('aria-activedescendant')
  expect(await barriers(page)).toEqual([])

  for (const [key, index] of [
    ['ArrowDown', 0],
    ['ArrowDown', 1],
    ['ArrowUp', 0],
  ] as const) {
    await box.press(key)
    const chosen = options.nth(index)
    await expect(chosen).toHaveAttribute('aria-selected', 'true')
    await expect(box).toHaveAttribute('aria-activedescendant', (await chosen.getAttribute('id')) ?? '')
    await expect(options.and(page.locator('[aria-selected="true"]'))).toHaveCount(1)
  }
  await expect(box).toBeFocused()
  const title = (await options.first().textContent()) ?? ''
  await box.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(title)
})

test('Escape closes the suggestions and keeps what is typed; Enter then searches', async ({ as, db }) => {
  await aQuestion(db, { title: 'How heavy is a wombat?' })
  const page = await as(null)
  const { box, list, options } = await openPage(page)
  await box.pressSequentially('wombat')
  await expect(options).toHaveCount(1)
  await box.press('ArrowDown')
  await box.press('Escape')

  await expect(list).toBeHidden()
  await expect(box).toHaveAttribute('aria-expanded', 'false')
  await expect(box).not.toHaveAttribute('aria-activedescendant')
  await expect(box).toHaveValue('wombat')
  await box.press('Enter')
  await expect(page).toHaveURL(/\/search\?q=wombat$/)
})

test('a suggestion opens by a click, and leaving the box closes them', async ({ as, db }) => {
  const question = await aQuestion(db, { title: 'Do quokkas smile?' })
  const page = await as(null)
  const { box, list, options } = await openPage(page)
  await box.pressSequentially('quokka')
  await expect(options).toHaveCount(1)
  await box.press('Tab')
  await expect(list).toBeHidden()

  await box.fill('quokkas')
  await options.first().click()
  await expect(page).toHaveURL(new RegExp(`/questions/${question.id}/`))
})

async function openPage(page: Page) {
  await page.goto('/courses')
  await page.locator('#search').focus()
  const box = page.getByRole('combobox', { name: t('search.label') })
  const list = page.locator('[role="listbox"]')
  await expect(list).toHaveAttribute('aria-label', t('search.suggestions'))
  return { box, list, options: list.getByRole('option') }
}
