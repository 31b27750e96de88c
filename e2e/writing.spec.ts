import type { Page } from 'playwright/test'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, anAnswer, aPerson, aQuestion } from '../src/testing/builders.ts'
import { expect, test } from './forum.ts'
import { barriers, PHONE, tooWide } from './inspection.ts'

const t = translatorOf('en')
const TEXT = 'Some **bold** words'

test('Preview shows the text where it is written, and Write brings it back', async ({ as, forum }) => {
  const course = await aCourse(forum.db)
  const page = await as(await aPerson(forum.db))
  await page.goto(`/questions/new?course=${course.slug}`)
  const body = page.getByLabel(t('questions.body.label'))
  await body.fill(TEXT)
  await button(page, 'similar.preview').click()

  await expect(page.locator('.preview strong')).toHaveText('bold')
  await expect(body).toBeHidden()
  await expect(button(page, 'similar.preview')).toHaveAttribute('aria-pressed', 'true')
  expect(await barriers(page)).toEqual([])
  await page.setViewportSize(PHONE)
  expect(await tooWide(page)).toEqual([])
  await button(page, 'forms.write').click()
  await expect(body).toBeFocused()
  await expect(body).toHaveValue(TEXT)

  await body.fill('')
  await button(page, 'similar.preview').click()
  await expect(page.locator('.preview')).toHaveText(t('posts.body.short'))
})

test('the toolbar marks what is selected, and is one stop of the Tab key', async ({ as, forum }) => {
  const question = await aQuestion(forum.db)
  const page = await as(await aPerson(forum.db))
  await page.goto(`/questions/${question.id}`)
  const answer = page.getByLabel(t('answers.form.label'))
  await answer.scrollIntoViewIfNeeded()
  const tools = page.locator('.answer-form').getByRole('toolbar')
  await expect(tools).toBeVisible()
  await answer.fill('words')
  await answer.selectText()
  await tools.getByRole('button', { name: t('forms.bold') }).click()
  await expect(answer).toHaveValue('**words**')
  await tools.getByRole('button', { name: t('forms.list') }).click()
  await expect(answer).toHaveValue('- **words**')

  await page.keyboard.press('Shift+Tab')
  await expect(tools.getByRole('button', { name: t('forms.list') })).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await expect(tools.getByRole('button', { name: t('forms.quote') })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(answer).toHaveValue('> - **words**')
})

test('a reply has its own toolbar, and says when few characters are left', async ({ as, forum }) => {
  const answer = await anAnswer(forum.db)
  const page = await as(await aPerson(forum.db))
  await page.goto(`/answers/${answer.id}`)
  await page.locator('.answer .reply-details summary').click()
  const form = page.locator('.answer .reply-form')
  await expect(form.getByRole('toolbar')).toBeVisible()
  const body = form.locator('textarea')
  await body.fill('x'.repeat(4990))
  await expect(form.locator('.left')).toHaveText(t('forms.left', { count: 10 }))
  await body.fill('x'.repeat(5002))
  await expect(form.locator('.left')).toHaveText(t('forms.over', { count: 2 }))
  await body.fill('short')
  await expect(form.locator('.left')).toBeEmpty()
})

test('tags of the course are suggested while one is typed, and the field stays plain text', async ({
  as,
  forum,
}) => {
  const course = await aCourse(forum.db)
  await aQuestion(forum.db, { course, tags: ['java', 'javascript'] })
  await aQuestion(forum.db, { course, tags: ['javascript'] })
  const page = await as(await aPerson(forum.db))
  await page.goto(`/questions/new?course=${course.slug}`)
  const tags = page.getByLabel(t('questions.tags.label'))
  await tags.scrollIntoViewIfNeeded()
  await expect(tags).toHaveAttribute('role', 'combobox')
  await tags.fill('rest, ')
  await tags.pressSequentially('jav')
  const options = page.getByRole('listbox', { name: t('tags.suggestions') }).getByRole('option')
  await expect(options).toHaveText(['javascript', 'java'])
  expect(await barriers(page)).toEqual([])
  await tags.press('ArrowDown')
  await tags.press('Enter')
  await expect(tags).toHaveValue('rest, javascript, ')
  await expect(options).toHaveCount(0)
})

test.describe('with JavaScript off', () => {
  test.use({ javaScriptEnabled: false })

  test('Preview is a page that keeps what was typed, and posts from there', async ({ as, forum }) => {
    const question = await aQuestion(forum.db)
    const page = await as(await aPerson(forum.db))
    await page.goto(`/questions/${question.id}`)
    await page.getByLabel(t('answers.form.label')).fill(TEXT)
    await page
      .locator('.answer-form')
      .getByRole('button', { name: t('similar.preview') })
      .click()

    await expect(page.locator('article.preview strong')).toHaveText('bold')
    await expect(page.getByLabel(t('similar.change'))).toHaveValue(TEXT)
    await button(page, 'posts.post').click()
    await expect(page.locator('.answer strong')).toHaveText('bold')
  })
})

function button(page: Page, key: string) {
  return page
    .locator('main')
    .getByRole('button', { name: t(key), exact: true })
    .first()
}
