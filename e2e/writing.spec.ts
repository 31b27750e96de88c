import type { Page } from 'playwright/test'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../src/testing/builders.ts'
import { answering } from './answering.ts'
import { expect, test } from './forum.ts'
import { paste } from './hands.ts'
import { barriers, DESK, expectSound, PHONE } from './inspection.ts'

const t = translatorOf('en')
const TEXT = 'Some **bold** words'

/** Narrower than where the preview stands beside the text. */
test.use({ viewport: { width: 1100, height: 720 } })

test('Preview shows the text where it is written, and Write brings it back', async ({ as, db }) => {
  const course = await aCourse(db)
  const page = await as(await aPerson(db))
  await page.goto(`/questions/new?course=${course.slug}`)
  const body = page.getByLabel(t('questions.body.label'), { exact: true })
  await body.fill(TEXT)
  await button(page, 'similar.preview').click()

  await expect(page.locator('.preview strong')).toHaveText('bold')
  await expect(body).toBeHidden()
  await expect(button(page, 'similar.preview')).toHaveAttribute('aria-pressed', 'true')
  await expectSound(page, PHONE)
  await button(page, 'forms.write').click()
  await expect(body).toBeFocused()
  await expect(body).toHaveValue(TEXT)

  await body.fill('')
  await button(page, 'similar.preview').click()
  await expect(page.locator('.preview')).toHaveText(t('posts.body.short'))
})

test('on a wide page the preview stands beside the text, on others it is a tab', async ({ as, db }) => {
  const question = await aQuestion(db)
  const page = await as(await aPerson(db))
  await page.setViewportSize(DESK)
  await page.goto(`/questions/${question.id}`)
  const answer = page.getByLabel(t('answers.form.label'))
  await answer.scrollIntoViewIfNeeded()
  const preview = page.locator('.answer-form').getByRole('group', { name: t('similar.preview') })
  await expect(preview).toBeVisible()
  await answer.fill('Because **it** is so.')
  await expect(preview.locator('strong')).toHaveText('it')
  const [text, beside] = [await answer.boundingBox(), await preview.boundingBox()]
  expect(beside?.x).toBeGreaterThanOrEqual((text?.x ?? 0) + (text?.width ?? 0) - 1)
  expect(Math.abs((beside?.y ?? 0) - (text?.y ?? 0))).toBeLessThan(2)
  expect(await barriers(page)).toEqual([])
  const tab = page.locator('.answer-form').getByRole('button', { name: t('similar.preview') })
  await expect(tab).toBeHidden()

  await page.setViewportSize({ ...DESK, width: 1100 })
  await expect(preview).toBeHidden()
  await tab.click()
  await expect(preview.locator('strong')).toHaveText('it')
  await expect(answer).toBeHidden()
  await page.setViewportSize(DESK)
  await expect(answer).toBeVisible()
  await expect(preview).toBeVisible()
})

test('an entry of the FAQ is previewed where it is written', async ({ as, db }) => {
  const course = await aCourse(db)
  const page = await as(await aMember(db, course, 'instructor'))
  await page.goto(`/courses/${course.slug}/faq`)
  const form = page.locator('form:has(#body)')
  await form.locator('#body').fill(TEXT)
  await form.getByRole('button', { name: t('similar.preview') }).click()
  await expect(form.locator('.preview strong')).toHaveText('bold')
  await expect(form.locator('[formaction="/uploads"]')).toHaveCount(0)
})

test('the toolbar marks what is selected, and is one stop of the Tab key', async ({ as, db }) => {
  const question = await aQuestion(db)
  const page = await as(await aPerson(db))
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

test('a reply has its own toolbar, and says when few characters are left', async ({ as, db }) => {
  const answer = await anAnswer(db)
  const page = await as(await aPerson(db))
  await page.goto(`/answers/${answer.id}`)
  await page.locator('.answer .reply-details > summary').click()
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

test('Enter goes on with a list and ends it, and Tab leaves the text', async ({ as, db }) => {
  const { page, answer } = await answering(as, db)
  await answer.pressSequentially('1. one')
  await answer.press('Enter')
  await answer.pressSequentially('two')
  await answer.press('Enter')
  await answer.press('Enter')
  await answer.pressSequentially('- [x] done')
  await answer.press('Enter')
  await expect(answer).toHaveValue('1. one\n2. two\n- [x] done\n- [ ] ')
  await answer.press('Tab')
  await expect(answer).not.toBeFocused()
  await expect(page.locator('.answer-form :focus')).toHaveCount(1)
})

test('Enter that ends a Korean composition begins no line of a list', async ({ as, db }) => {
  const { page, answer } = await answering(as, db)
  await answer.pressSequentially('- ')
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Input.imeSetComposition', { text: '한', selectionStart: 1, selectionEnd: 1 })
  await answer.evaluate((area) =>
    area.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true })),
  )
  await devtools.send('Input.insertText', { text: '한글' })
  await expect(answer).toHaveValue('- 한글')
})

test('a pasted link turns the selection into a link, and pasted HTML into Markdown', async ({ as, db }) => {
  const { answer } = await answering(as, db)
  await answer.fill('the docs')
  await answer.selectText()
  await paste(answer, { 'text/plain': 'https://example.org/docs' })
  await expect(answer).toHaveValue('[the docs](https://example.org/docs)')
  await answer.fill('')
  await paste(answer, {
    'text/plain': 'a b',
    'text/html':
      '<meta charset="utf-8"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>',
  })
  await expect(answer).toHaveValue(/a \| b\n-- \| --\n1 \| 2/)
})

test('a pasted stack trace is offered a code block, and stays as it is otherwise', async ({ as, db }) => {
  const { page, answer } = await answering(as, db)
  const trace =
    'java.lang.IllegalStateException: no\n    at shop.Cart.add(Cart.java:7)\n    at shop.Main.main(Main.java:3)'
  const offer = page.locator('.answer-form [data-code-offer]')
  await paste(answer, { 'text/plain': 'Two lines\nof plain words' })
  await expect(offer).toBeHidden()
  await answer.fill('')
  await paste(answer, { 'text/plain': trace })
  await expect(answer).toHaveValue(trace)
  await expect(offer).toBeVisible()
  await offer.getByRole('button', { name: t('forms.makeCodeBlock') }).click()
  await expect(answer).toHaveValue(`\`\`\`\n${trace}\n\`\`\`\n`)
  await expect(answer).toBeFocused()
})

test('a picture that is dropped stands in the text, and waits for its words', async ({ as, db }) => {
  const { page, answer } = await answering(as, db)
  await answer.fill('See:')
  await answer.evaluate(async (area) => {
    const canvas = document.createElement('canvas')
    canvas.width = 40
    canvas.height = 30
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
    if (blob === null) throw new Error('no picture')
    const data = new DataTransfer()
    data.items.add(new File([blob], 'x.png', { type: 'image/png' }))
    area.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
  })
  await expect(answer).toHaveValue(/^See:\n\n!\[\]\(\/uploads\/[^)]+\)\n\n$/)
  await page.keyboard.type('a grey field')
  await expect(answer).toHaveValue(/!\[a grey field\]/)
})

function button(page: Page, key: string) {
  return page
    .locator('main')
    .getByRole('button', { name: t(key), exact: true })
    .first()
}
