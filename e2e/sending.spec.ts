import type { Page } from 'playwright/test'
import type { Database } from '../src/database/schema.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, anAnswer, aPerson, aQuestion } from '../src/testing/builders.ts'
import { rowsOf } from '../src/testing/rows.ts'
import { expect, signIn, test } from './forum.ts'
import { finger, keyboard } from './hands.ts'
import { barriers, PHONE, tooWide } from './inspection.ts'
import { expectSaid } from './journey.ts'

const t = translatorOf('en')
const offline = `${t('forms.offline')} ${t('forms.textSaved')}`

for (const [place, open] of [
  ['a question', openAsking],
  ['an answer', openAnswering],
] as const) {
  test(`${place} says that it is being sent, is sent once, and again after silence`, async ({ as, db }) => {
    const page = await as(await aPerson(db))
    const { button, sentTo, posted } = await open(page, db)
    await page.clock.install()
    const arrived: string[] = []
    const isReleased = Promise.withResolvers<void>()
    await page.route(sentTo, async (route) => {
      arrived.push(route.request().postData() ?? '')
      // The forum takes the first; its answer is lost on the way.
      if (arrived.length === 1) await route.fetch({ maxRedirects: 0 }).then(() => isReleased.promise)
      await route.continue().catch(() => {})
    })
    const { width } = (await button.boundingBox()) ?? { width: 0 }
    await button.click()
    const busy = page.getByRole('button', { name: t('forms.posting') })
    await expect(busy).toHaveAttribute('aria-disabled', 'true')
    await expectSaid(page, t('forms.posting'))
    expect((await busy.boundingBox())?.width).toBe(width)
    await busy.click({ force: true })
    await page.clock.fastForward(11_000)
    const note = page.locator('.note.sending')
    await expect(note).toContainText(t('forms.slow'))
    expect(await barriers(page)).toEqual([])
    expect(arrived).toHaveLength(1)
    await note.getByRole('button', { name: t('forms.again') }).click()
    await posted()
    isReleased.resolve()
    expect(arrived[1]).toBe(arrived[0])
  })

  test(`${place} posted offline keeps its text, and is posted later`, async ({ browser, db, forum }) => {
    // A window that no one watches: the browser itself complains of being offline.
    const context = await browser.newContext({ baseURL: forum.url, viewport: PHONE })
    await signIn(context, forum, await aPerson(db))
    const page = await context.newPage()
    const { button, area, posted } = await open(page, db)
    const [address, text] = [page.url(), await area.inputValue()]
    await context.setOffline(true)
    await button.click()
    const note = page.locator('.note.sending')
    await expect(note).toContainText(offline)
    await expectSaid(page, offline)
    await expect(button).not.toHaveAttribute('aria-disabled')
    expect(page.url()).toBe(address)
    await expect(area).toHaveValue(text)
    expect(await tooWide(page)).toEqual([])
    await button.click()
    await expect(note).toHaveCount(1)
    await context.setOffline(false)
    await note.getByRole('button', { name: t('forms.again') }).click()
    await posted()
    await context.close()
  })
}

test('what is sent before the scripts come is busy, and never comes back as a draft', async ({ as, db }) => {
  const question = await aQuestion(db)
  const person = await aPerson(db)
  const page = await as(person)
  const [arrives, answers] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route('**/writing*.js', async (route) => {
    await arrives.promise
    await route.continue()
  })
  await page.route('**/answers', async (route) => {
    await answers.promise
    await route.continue()
  })
  await page.clock.install()
  await page.goto(`/questions/${question.id}`)
  const form = page.locator('.answer-form')
  await form.locator('textarea').fill('An answer from a train.')
  await form.getByRole('button', { name: t('answers.form.post') }).click()
  await expect(page.getByRole('button', { name: t('forms.posting') })).toHaveAttribute(
    'aria-disabled',
    'true',
  )
  arrives.resolve()
  await form.evaluate((element) => import(element.dataset.module ?? ''))
  await page.clock.fastForward(3000)
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([])
  answers.resolve()
  await expect(page.locator('.answer .prose')).toHaveText('An answer from a train.')
  // What another page, left too early to hear of it, still had of it.
  const key = `draft ${person.id} /questions/${question.id}/answers`
  const draft = { at: Date.now(), version: 0, fields: { body: 'An answer from a train.' } }
  await page.evaluate(
    ([name, text]) => localStorage.setItem(String(name), String(text)),
    [key, JSON.stringify(draft)],
  )
  await page.reload()
  await form.locator('textarea').scrollIntoViewIfNeeded()
  await expect.poll(() => page.evaluate(() => Object.keys(localStorage))).toEqual([])
  await expect(form.locator('textarea')).toHaveValue('')
  await expect(form.locator('[data-draft-note]')).toBeHidden()
})

test('a refused question is shown on its page, with the button as it was', async ({ as, db }) => {
  const page = await as(await aPerson(db))
  const { button } = await openAsking(page, db)
  await page.getByLabel(t('questions.tags.label')).fill('a!b')
  await button.click()
  await expect(page.locator('.error-summary')).toBeFocused()
  await expect(button).not.toHaveAttribute('aria-disabled')
})

for (const [name, hands, isTouch] of [
  ['the keyboard', keyboard, false],
  ['a finger', finger, true],
] as const) {
  test.describe(`with ${name}`, () => {
    test.use({ hasTouch: isTouch, viewport: { width: 1280, height: 1100 } })

    test('Reply puts the cursor into the box, and its button stays where it was', async ({ as, db }) => {
      const answer = await anAnswer(db)
      const page = await as({ id: answer.question.authorId })
      await page.goto(`/questions/${answer.question.id}`)
      const button = page.locator('.answer .reply-details > summary')
      await button.scrollIntoViewIfNeeded()
      const before = await button.boundingBox()
      await hands.press(button)
      await expect(page.locator('.answer .reply-form textarea')).toBeFocused()
      expect(await button.boundingBox()).toEqual(before)
      await page.keyboard.type('Thank you, that was it.')
      await page.getByRole('button', { name: t('replies.postResolve') }).click()
      await expect(page.locator('.answer .reply')).toContainText('that was it')
      await expect(page.locator('.post.question')).toContainText(t('status.resolved'))
      await expect(page.getByRole('button', { name: t('replies.postResolve') })).toHaveCount(0)
    })
  })
}

async function openAsking(page: Page, db: Database) {
  const course = await aCourse(db)
  await page.goto(`/questions/new?course=${course.slug}`)
  await page.getByLabel(t('questions.title.label')).fill('Which train of thought?')
  const area = page.getByLabel(t('questions.body.label'), { exact: true })
  await area.fill('A question from a train.')
  const posted = async () => {
    await expect(page.getByRole('status')).toContainText(t('questions.flash.posted'))
    expect(await rowsOf(db, 'questions', { course_id: course.id })).toHaveLength(1)
  }
  return {
    button: page.getByRole('button', { name: t('questions.new.post') }),
    area,
    sentTo: '**/questions',
    posted,
  }
}

async function openAnswering(page: Page, db: Database) {
  const question = await aQuestion(db)
  await page.goto(`/questions/${question.id}`)
  const area = page.getByLabel(t('answers.form.label'), { exact: true })
  await area.fill('An answer from a train.')
  const posted = async () => {
    await expect(page.locator('.answer')).toHaveCount(1)
    expect(await rowsOf(db, 'answers', { question_id: question.id })).toHaveLength(1)
  }
  return {
    button: page.getByRole('button', { name: t('answers.form.post') }),
    area,
    sentTo: '**/answers',
    posted,
  }
}
