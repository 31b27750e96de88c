import type { Page } from 'playwright/test'
import type { Database } from '../src/database/schema.ts'
import { caseOf, reported } from '../src/forum/cases/testing.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aMember, anAnswer, aQuestion } from '../src/testing/builders.ts'
import { rowOf, rowsOf, setRows } from '../src/testing/rows.ts'
import { expect, test } from './forum.ts'
import { barriers, PHONE, tooWide } from './inspection.ts'

const EN = translatorOf('en')
const KO = translatorOf('ko')

/** A course in which four answers of one author wait for review. */
async function aQueue(db: Database) {
  const course = await aCourse(db)
  const [staff, author] = [await aMember(db, course, 'assistant'), await aMember(db, course)]
  const question = await aQuestion(db, { course })
  const answers: { readonly id: number }[] = []
  for (const [index, body] of ['Look at one.', 'Look at two.', 'Look at three.', 'Look at four.'].entries()) {
    const answer = await anAnswer(db, { question, author, body })
    const at = new Date(Date.now() - 3_600_000 + index * 60_000)
    await setRows(db, 'answers', answer.id, { held_at: at, held_for: 'all' })
    answers.push(answer)
  }
  const isShown = async () =>
    Promise.all(answers.map(async ({ id }) => (await rowOf(db, 'answers', id)).is_shown))
  return { db, course, staff, author, question, answers, isShown }
}

const rowIn = (page: Page) => (text: string) => page.getByRole('listitem').filter({ hasText: text })

/** As the Korean layout writes them. */
const HANGUL = { j: 'ㅓ', k: 'ㅏ', x: 'ㅌ', r: 'ㄱ', d: 'ㅇ' } as const
const pressHangul = (page: Page, key: keyof typeof HANGUL) =>
  page.evaluate(
    ([hangul, code]) =>
      document.activeElement?.dispatchEvent(
        new KeyboardEvent('keydown', { key: hangul, code, bubbles: true, cancelable: true }),
      ),
    [HANGUL[key], `Key${key.toUpperCase()}`] as const,
  )

test('keys, also of the Korean layout, release a held post and reject two at once', async ({ as, db }) => {
  const { course, staff, isShown } = await aQueue(db)
  const page = await as(staff)
  const row = rowIn(page)
  const link = (text: string) => row(text).getByRole('link', { name: text })
  await page.goto(`/courses/${course.slug}/moderation?view=held`)
  expect(await barriers(page)).toEqual([])
  await page.keyboard.press('j')
  await expect(link('one')).toBeFocused()
  await page.keyboard.press('j')
  await expect(link('two')).toBeFocused()
  await pressHangul(page, 'k')
  await expect(link('one')).toBeFocused()
  // Selected, the next is still there once another is released in place.
  await pressHangul(page, 'j')
  await pressHangul(page, 'j')
  await page.keyboard.press('x')
  await expect(row('three').getByRole('checkbox')).toBeChecked()
  await page.keyboard.press('x')
  await expect(row('three').getByRole('checkbox')).not.toBeChecked()
  await page.keyboard.press('k')
  await page.keyboard.press('k')
  await pressHangul(page, 'r')
  await expect(row('one')).toHaveCount(0)
  await expect(page.locator('[data-announcements]')).toContainText(EN('held.flash.released'))
  await expect(link('two')).toBeFocused()
  expect(await isShown()).toEqual([true, false, false, false])

  await page.keyboard.press('x')
  await page.keyboard.press('j')
  await pressHangul(page, 'x')
  await pressHangul(page, 'd')
  await expect(page).toHaveURL(/\/moderation\/bulk\?/)
  await expect(page.getByRole('checkbox', { checked: true })).toHaveCount(2)
  await expect(page.getByLabel(EN('bulk.act.reject'), { exact: true })).toBeChecked()
  await page.locator('select[name=ground]').selectOption('spam')
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: EN('bulk.button') }).click()
  const report = page.getByRole('status').first()
  await expect(report).toContainText(EN('bulk.report.done.said', { count: 2, all: 2 }))
  await expect(report).toBeFocused()
  expect(await isShown()).toEqual([true, false, false, false])
  await page.getByRole('button', { name: EN('posts.undo'), exact: true }).click()
  await expect(report).toContainText(EN('bulk.report.undone.said', { count: 2, all: 2 }))
  expect(await isShown()).toEqual([true, false, false, false])
  await page.goto(`/courses/${course.slug}/moderation?view=held`)
  for (const name of ['two', 'three'] as const) await expect(row(name)).toBeVisible()
})

test('a rejection leads to the next row; keys are silent in fields, off, in no row', async ({ as, db }) => {
  const { course, staff, isShown } = await aQueue(db)
  const page = await as(staff)
  const row = rowIn(page)
  const path = `/courses/${course.slug}/moderation?view=held`
  await page.goto(path)
  await row('one')
    .getByRole('link', { name: EN('held.reject') })
    .click()
  await page.getByLabel(EN('removal.reason'), { exact: true }).selectOption('spam')
  await page.getByRole('button', { name: EN('held.rejection.button') }).click()
  await expect(page.locator('[data-announcements]')).toContainText(EN('held.flash.rejected'))
  await expect(row('two').getByRole('link', { name: 'two' })).toBeFocused()

  await row('two').getByRole('checkbox').focus()
  for (const key of ['r', 'd', 'j']) await page.keyboard.press(key)
  await expect(row('two').getByRole('checkbox')).toBeFocused()
  await page.goto(path)
  for (const key of ['r', 'd', 'x']) await page.keyboard.press(key)
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog', { name: EN('keys.title') })
  await expect(dialog.getByRole('heading', { name: EN('keys.moderation') })).toBeVisible()
  await dialog.getByRole('checkbox').uncheck()
  await dialog.getByRole('button', { name: EN('keys.close') }).click()
  await row('two').getByRole('link', { name: 'two' }).focus()
  for (const key of ['j', 'x', 'r', 'd']) await page.keyboard.press(key)
  await expect(row('two').getByRole('link', { name: 'two' })).toBeFocused()
  await expect(page.getByRole('checkbox', { checked: true })).toHaveCount(0)
  expect(await isShown()).toEqual([false, false, false, false])
})

test('a case lists all else of its author to delete it, on a phone, in Korean', async ({ as, db }) => {
  const { course, staff, answers, isShown } = await aQueue(db)
  for (const { id } of answers) await setRows(db, 'answers', id, { held_at: null, held_for: null })
  const [first] = answers
  await reported(db, { about: 'answer', id: first?.id ?? 0 }, (await aMember(db, course)).id)
  const { id } = await caseOf(db, { about: 'answer', id: first?.id ?? 0 })
  const page = await as(staff, { javaScriptEnabled: false, locale: 'ko', viewport: PHONE })
  await page.goto(`/courses/${course.slug}/moderation`)
  await page.getByRole('listitem').filter({ hasText: 'Look at one.' }).getByRole('link').click()
  await expect(page).toHaveURL(`/cases/${id}`)
  const others = page.getByRole('region', { name: /다른 글 3/ })
  for (const box of await others.getByRole('checkbox').all()) await box.check()
  expect(await tooWide(page)).toEqual([])
  await others.getByRole('button', { name: KO('bulk.act.delete') }).click()
  await page.getByRole('button', { name: KO('bulk.button') }).click()
  await expect(page.locator('[aria-invalid=true]')).toHaveCount(1)
  await page.locator('select[name=ground]').selectOption('rude')
  await page.locator('textarea[name=note]').fill('광고입니다.')
  await page.getByRole('button', { name: KO('bulk.button') }).click()
  await expect(page.getByRole('status').first()).toContainText(
    KO('bulk.report.done.said', { count: 3, all: 3 }),
  )
  expect(await tooWide(page)).toEqual([])
  expect(await isShown()).toEqual([true, false, false, false])

  await page.goto(`/courses/${course.slug}/moderation`)
  await page.getByRole('checkbox').check()
  await page.getByRole('button', { name: KO('bulk.act.decline') }).click()
  await page.getByRole('button', { name: KO('bulk.button') }).click()
  await expect(page.getByRole('status').first()).toContainText(KO('bulk.final.decline'))
  expect((await rowsOf(db, 'cases', { id }))[0]?.state).toBe('declined')
})
