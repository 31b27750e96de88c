import type { Page } from 'playwright/test'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aMember, aPerson, aQuestion, type MadeCourse } from '../src/testing/builders.ts'
import { type As, expect, type Forum, test } from './forum.ts'
import { barriers, PHONE, tooWide } from './inspection.ts'

const t = translatorOf('en')

test('typing @ offers people, and the arrow keys and Enter put a mention in, which is a link once posted', async ({
  as,
  forum,
}) => {
  const { page, course, answer, list, options } = await answering(as, forum)
  const dana = await member(forum, course, 'Dana Park')
  await member(forum, course, 'Daniel Ro')
  await answer.pressSequentially('Ask @dan')
  await expect(options).toHaveText(['Dana Park', 'Daniel Ro'])
  await expect(answer).toHaveAttribute('aria-controls', (await list.getAttribute('id')) ?? '')
  await expect(answer).not.toHaveAttribute('aria-activedescendant')
  await expect(page.locator('.answer-form [data-people] [aria-live]')).toHaveText(
    t('mentions.found', { count: '2' }),
  )
  expect(await barriers(page)).toEqual([])

  await answer.press('ArrowDown')
  await answer.press('ArrowDown')
  await expect(options.nth(1)).toHaveAttribute('aria-selected', 'true')
  await expect(answer).toHaveAttribute(
    'aria-activedescendant',
    (await options.nth(1).getAttribute('id')) ?? '',
  )
  await answer.press('ArrowUp')
  await answer.press('Enter')
  await expect(answer).toHaveValue(`Ask @[Dana Park](person:${dana.id}) `)
  await expect(list).toBeHidden()
  await answer.pressSequentially('please')
  await page.getByRole('button', { name: t('answers.form.post') }).click()
  await expect(page.locator('.answer .prose a.mention')).toHaveText('@Dana Park')
  await expect(page.locator('.answer .prose a.mention')).toHaveAttribute(
    'href',
    `/people/${dana.id}/dana-park`,
  )
})

test('Enter without a choice is a line, Escape closes the list, and code has no list', async ({
  as,
  forum,
}) => {
  const { course, answer, list, options } = await answering(as, forum)
  await member(forum, course, 'Serena Kim')
  await answer.pressSequentially('- @Ser')
  await expect(options).toHaveCount(1)
  await answer.press('Enter')
  await expect(answer).toHaveValue('- @Ser\n- ')
  await answer.pressSequentially('@Ser')
  await expect(options).toHaveCount(1)
  await answer.press('Escape')
  await expect(list).toBeHidden()
  await answer.fill('```java\n')
  await answer.pressSequentially('@Ser')
  await answer.page().waitForTimeout(600)
  await expect(list).toBeHidden()
  await answer.fill('')
  await answer.pressSequentially('mail@Ser')
  await answer.page().waitForTimeout(600)
  await expect(list).toBeHidden()
})

test('a Korean name is found while it is composed, and chosen by a tap on a phone', async ({ as, forum }) => {
  const { page, course, answer, options } = await answering(as, forum)
  const person = await member(forum, course, '김민수')
  await page.setViewportSize({ width: 390, height: 740 })
  await answer.pressSequentially('@')
  const devtools = await page.context().newCDPSession(page)
  for (const text of ['ㄱ', '기', '김']) {
    await devtools.send('Input.imeSetComposition', { text, selectionStart: 1, selectionEnd: 1 })
    await expect(options.filter({ hasText: '김민수' })).toHaveCount(1)
  }
  await answer.evaluate((area) =>
    area.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', isComposing: true, bubbles: true })),
  )
  await expect(answer).not.toHaveAttribute('aria-activedescendant')
  expect(await barriers(page)).toEqual([])
  expect(await tooWide(page)).toEqual([])
  await devtools.send('Input.insertText', { text: '김' })
  await options.filter({ hasText: '김민수' }).click()
  await expect(answer).toHaveValue(`@[김민수](person:${person.id}) `)
})

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false, viewport: PHONE })

  test('a mention is typed, and the page of its preview shows the name', async ({ as, forum }) => {
    const course = await aCourse(forum.db)
    const person = await member(forum, course, 'Dana Park')
    const question = await aQuestion(forum.db, { course })
    const page = await as(await aMember(forum.db, course))
    await page.goto(`/questions/${question.id}`)
    await page.getByLabel(t('answers.form.label')).fill(`Ask @[Dana](person:${person.id})`)
    await page
      .locator('.answer-form')
      .getByRole('button', { name: t('similar.preview') })
      .click()
    await expect(page.locator('.preview')).toHaveText(/Ask @Dana/)
    await page.getByRole('button', { name: t('posts.post') }).click()
    await expect(page.locator('.answer .prose a.mention')).toHaveText('@Dana Park')
  })
})

async function member({ db }: Forum, course: MadeCourse, displayName: string) {
  return aMember(db, course, 'learner', await aPerson(db, { displayName }))
}

async function answering(as: As, forum: Forum) {
  const course = await aCourse(forum.db)
  const question = await aQuestion(forum.db, { course })
  const page: Page = await as(await aMember(forum.db, course))
  await page.goto(`/questions/${question.id}`)
  const answer = page.getByLabel(t('answers.form.label'))
  await answer.scrollIntoViewIfNeeded()
  await expect(page.locator('.answer-form').getByRole('toolbar')).toBeVisible()
  const list = page.locator('.answer-form [role="listbox"]')
  return { page, course, answer, list, options: list.getByRole('option') }
}
