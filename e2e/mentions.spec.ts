import type { Locator, Page } from 'playwright/test'
import type { Database } from '../src/database/schema.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aMember, aPerson, type MadeCourse } from '../src/testing/builders.ts'
import { answering } from './answering.ts'
import { expect, test } from './forum.ts'
import { paste } from './hands.ts'
import { barriers, expectSound } from './inspection.ts'

const t = translatorOf('en')

test('typing @ offers people at the cursor, whom Enter and Tab take', async ({ as, db }) => {
  const { page, course, answer } = await answering(as, db)
  const { list, options } = namesFor(page)
  const dana = await member(db, course, 'Dana Park')
  const daniel = await member(db, course, 'Daniel Ro')
  await answer.fill('One line.\n\nAnother one.\n\nAnd ask ')
  await answer.press('Control+End')
  await answer.pressSequentially('@dan')
  await expect(options).toHaveText(['Dana Park', 'Daniel Ro'])
  await expect(answer).toHaveAttribute('aria-controls', (await list.getAttribute('id')) ?? '')
  await expect(options.first()).toHaveAttribute('aria-selected', 'true')
  await expect(answer).toHaveAttribute(
    'aria-activedescendant',
    (await options.first().getAttribute('id')) ?? '',
  )
  await expect(page.locator('[data-announcements]')).toHaveText(t('mentions.found', { count: '2' }))
  expect(await barriers(page)).toEqual([])
  // Below the last line, beside its words.
  const [field, shown] = [await answer.boundingBox(), await list.boundingBox()]
  expect(shown?.x).toBeGreaterThan((field?.x ?? 0) + 50)
  expect(shown?.y).toBeGreaterThan((field?.y ?? 0) + 100)

  await answer.press('Enter')
  await expect(answer).toHaveValue(/And ask @Dana Park $/)
  await expect(list).toBeHidden()
  await answer.pressSequentially('or @dan')
  await expect(options).toHaveCount(2)
  await answer.press('ArrowDown')
  await answer.press('Tab')
  await expect(answer).toHaveValue(/And ask @Dana Park or @Daniel Ro $/)
  await expect(answer).toBeFocused()
  await answer.pressSequentially('or @sta')
  await expect(options).toHaveText([`staff ${t('mentions.staff')}`])
  await expect(page.locator('[data-announcements]')).toContainText(t('mentions.found.one'))
  await answer.press('ArrowDown')
  await expect(options).toHaveAttribute('aria-selected', 'true')
  await answer.press('Enter')
  await expect(answer).toHaveValue(/ or @staff $/)

  await expect(page.locator('.answer-form .preview')).toContainText('ask @Dana Park or @Daniel Ro or @staff')
  await page.getByRole('button', { name: t('answers.form.post') }).click()
  const links = page.locator('.answer .prose a.mention')
  await expect(links).toHaveText(['@Dana Park', '@Daniel Ro'])
  await expect(links.first()).toHaveAttribute('href', `/people/${dana.id}/dana-park`)
  await expect(links.last()).toHaveAttribute('href', `/people/${daniel.id}/daniel-ro`)
})

test('who is meant is kept through changes by hand, undo, paste, drafts and edits', async ({ as, db }) => {
  const { page, course, answer } = await answering(as, db)
  const { options } = namesFor(page)
  const [one, other] = [await member(db, course, 'Kim Bo'), await member(db, course, 'Kim Bo')]
  await answer.pressSequentially('@kim')
  await expect(options).toHaveCount(2)
  await answer.press('Enter')
  await answer.pressSequentially('and @kim')
  await expect(options).toHaveCount(2)
  await answer.press('ArrowDown')
  await answer.press('Enter')
  await expect(answer).toHaveValue('@Kim Bo and @Kim Bo ')
  const names = new Set([one.id, other.id])
  const meant = async () =>
    [...(await posted(answer)).matchAll(/@\[Kim Bo\]\(person:(\d+)\)/g)].map(([, id]) => Number(id))
  const [first, second] = await meant()
  expect(new Set([first, second])).toEqual(names)

  // The end of the second name, and back.
  await answer.press('Backspace')
  await answer.press('Backspace')
  await answer.press('Escape')
  expect(await meant()).toEqual([first])
  await answer.press('Control+z')
  await expect(answer).toHaveValue(/@Kim Bo and @Kim Bo/)
  expect(await meant()).toEqual([first, second])
  // The first one is cut, and pasted behind the second.
  await answer.evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(0, 8))
  const cut = await answer.evaluate((area) => {
    const clipboardData = new DataTransfer()
    area.dispatchEvent(new ClipboardEvent('cut', { clipboardData, bubbles: true, cancelable: true }))
    return { text: clipboardData.getData('text/plain'), posted: clipboardData.getData('text/x-handup') }
  })
  expect(cut).toEqual({ text: '@Kim Bo ', posted: `@[Kim Bo](person:${first}) ` })
  expect(await meant()).toEqual([second])
  await answer.press('Control+End')
  await paste(answer, { 'text/plain': ` ${cut.posted}.` })
  await expect(answer).toHaveValue(/^and @Kim Bo +@Kim Bo \.$/)
  expect(await meant()).toEqual([second, first])

  await expect(page.locator('.answer-form')).toContainText(t('drafts.saved'))
  await page.reload()
  await expect(answer).toHaveValue(/^and @Kim Bo +@Kim Bo \.$/)
  expect(await meant()).toEqual([second, first])
  await page.getByRole('button', { name: t('answers.form.post') }).click()
  await expect(page.locator('.answer .prose a.mention')).toHaveCount(2)
  await page.goto((await page.locator('.answer a[href$="/edit"]').first().getAttribute('href')) ?? '')
  const edited = page.locator('textarea[name="body"]')
  await expect(edited).toHaveValue(/^and @Kim Bo +@Kim Bo \.$/)
  await edited.press('Control+Home')
  await edited.pressSequentially('So ')
  await page.getByRole('button', { name: t('posts.save') }).click()
  const links = page.locator('.answer .prose a.mention')
  await expect(page.locator('.answer .prose')).toHaveText(/^\s*So and @Kim Bo +@Kim Bo/)
  await expect(links.first()).toHaveAttribute('href', new RegExp(`/people/${second}/`))
  await expect(links.last()).toHaveAttribute('href', new RegExp(`/people/${first}/`))
})

test('Escape closes the list for good, and code and addresses have none', async ({ as, db }) => {
  const { page, course, answer } = await answering(as, db)
  const { list, options } = namesFor(page)
  await member(db, course, 'Serena Kim')
  await answer.pressSequentially('- @Ser')
  await expect(options).toHaveCount(1)
  await answer.press('Escape')
  await expect(list).toBeHidden()
  await answer.pressSequentially('e')
  await answer.press('Enter')
  await expect(answer).toHaveValue('- @Sere\n- ')
  for (const [before, typed] of [
    ['```java\n', '@Ser'],
    ['', 'mail@Ser'],
  ] as const) {
    await answer.fill(before)
    // People are asked for sooner than a draft is saved.
    const saved = page.waitForResponse(/\/drafts$/)
    await answer.pressSequentially(typed)
    await saved
    await expect(list).toBeHidden()
  }
})

test('a Korean name is found while it is composed, and chosen by a tap on a phone', async ({ as, db }) => {
  const { page, course, answer } = await answering(as, db)
  const { options } = namesFor(page)
  const person = await member(db, course, '김민수')
  await page.setViewportSize({ width: 390, height: 740 })
  await answer.pressSequentially('@')
  const devtools = await page.context().newCDPSession(page)
  for (const text of ['ㄱ', '기', '김']) {
    await devtools.send('Input.imeSetComposition', { text, selectionStart: 1, selectionEnd: 1 })
    await expect(options.filter({ hasText: '김민수' })).toHaveCount(1)
  }
  await answer.evaluate((area) =>
    area.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true })),
  )
  await expect(answer).toHaveValue('@김')
  await expectSound(page)
  await devtools.send('Input.insertText', { text: '김' })
  await options.filter({ hasText: '김민수' }).click()
  await expect(answer).toHaveValue('@김민수 ')
  expect(await posted(answer)).toBe(`@[김민수](person:${person.id}) `)
})

test('a name typed to its end is a mention; preview and next page say which isn’t', async ({ as, db }) => {
  const { course, page, answer } = await answering(as, db)
  await member(db, course, 'Mara Ilić')
  await answer.fill('Ask @Mara Ilić, or @Zora')
  const nobody = t('mentions.noOne', { name: 'Zora' })
  const form = page.locator('.answer-form')
  await expect(form.locator('.preview .soft')).toHaveText(nobody)
  await form.getByRole('button', { name: t('answers.form.post') }).click()
  await expect(page.locator('.answer .prose a.mention')).toHaveText('@Mara Ilić')
  await expect(page.getByText(nobody)).toBeVisible()
})

/** The text as its form would post it. */
function posted(area: Locator): Promise<string> {
  return area.evaluate((field: HTMLTextAreaElement) =>
    String(new FormData(field.form ?? undefined).get(field.name)),
  )
}

/** Finds the names that are offered while one is typed. */
function namesFor(page: Page) {
  const list = page.locator('.answer-form [role="listbox"]')
  return { list, options: list.getByRole('option') }
}

async function member(db: Database, course: MadeCourse, displayName: string) {
  return aMember(db, course, 'learner', await aPerson(db, { displayName }))
}
