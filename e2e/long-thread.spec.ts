import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../src/testing/builders.ts'
import { questionPath } from '../src/web/paths.ts'
import { expect, test } from './forum.ts'
import { barriers, tooWide } from './inspection.ts'

const t = translatorOf('en')

test('a long thread folds replies and code, and a phone keeps the answers in reach', async ({ as, db }) => {
  const course = await aCourse(db)
  const question = await aQuestion(db, {
    course,
    body: `Long code:\n\n${Array.from({ length: 81 }, (_, line) => `    line ${line};`).join('\n')}`,
  })
  const answer = await anAnswer(db, { question, body: 'Text.\n\n'.repeat(30), isAccepted: true })
  const replies = []
  for (let number = 1; number <= 6; number += 1)
    replies.push(await aReply(db, { answer, body: `Reply number ${number}.` }))
  const page = await as(await aPerson(db), { viewport: { width: 390, height: 844 }, isMobile: true })
  await page.goto(questionPath(question))
  const shown = page.locator('.reply').filter({ visible: true })
  await expect(shown).toHaveCount(3)
  await expect(page.getByText(t('replies.folded', { count: 3 }))).toBeVisible()

  // Name and day stand beside the face, where the menu is the only act as well.
  for (const byline of await shown.locator('.byline').all()) {
    const { width = 0, height = 99 } = (await byline.boundingBox()) ?? {}
    expect(width).toBeGreaterThan(200)
    expect(height).toBeLessThan(60)
  }

  const more = page.locator('.fold > summary')
  await expect(more).toBeVisible()
  const [code, button] = [await page.locator('.fold').boundingBox(), await more.boundingBox()]
  expect((button?.y ?? 0) + (button?.height ?? 0)).toBeLessThan((code?.y ?? 0) + (code?.height ?? 0))
  expect(await tooWide(page)).toEqual([])
  await more.click()
  expect((await page.locator('.fold').boundingBox())?.height).toBeGreaterThan((code?.height ?? 0) * 2)

  const jump = page.getByRole('navigation', { name: t('answers.jump') })
  await expect(jump.getByRole('link', { name: t('answers.jump.answer'), exact: true })).toBeInViewport()
  // It covers nothing of a reply that is written.
  const reply = page.locator(`#answer-${answer.id} .reply-details > summary`)
  await reply.click()
  await expect(jump.getByRole('link', { name: t('answers.jump.answer'), exact: true })).toBeHidden()
  await reply.click()
  await jump.getByRole('link', { name: t('answers.jump.accepted') }).click()
  await expect(page.locator('.accepted-note')).toBeInViewport()
  await jump.getByRole('link', { name: t('answers.jump.answer'), exact: true }).click()
  await expect(page.getByLabel(t('answers.form.label'), { exact: true })).toBeInViewport()

  expect(await barriers(page)).toEqual([])

  // A fragment opens what it is folded in.
  await page.goto('/following')
  await page.goto(`${questionPath(question)}#reply-${replies[2]?.id}`)
  await expect(page.getByText('Reply number 3.')).toBeInViewport()
})

test('a post’s menu copies its link; a skip link leads to the list', async ({ as, db, forum }) => {
  const course = await aCourse(db, { lectures: ['One'] })
  const asker = await aMember(db, course)
  const question = await aQuestion(db, { course, author: asker })
  const answer = await anAnswer(db, { question })
  const page = await as(asker, { isChanged: true, viewport: { width: 390, height: 844 } })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(questionPath(question))
  const acts = page.locator('.post.question > .acts')
  await expect(acts.locator(':scope > *').filter({ visible: true })).toHaveCount(4)
  const menu = page.locator(`#answer-${answer.id} > .acts > .menu`)
  await menu.locator('summary').click()
  await menu.getByRole('link', { name: t('posts.copyLink') }).click()
  await expect(page.locator('[data-announcements]')).toHaveText(t('posts.copied'))
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    new URL(`${questionPath(question)}#answer-${answer.id}`, forum.url).href,
  )

  await page.goto(`/courses/${course.slug}`)
  const skip = page.getByRole('link', { name: t('layout.skipToList') })
  await skip.focus()
  await expect(skip).toBeInViewport()
  await page.keyboard.press('Enter')
  await expect(page.locator('#list')).toBeFocused()
})
