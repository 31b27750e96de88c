import type { Page } from 'playwright/test'
import type { Database } from '../src/database/schema.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../src/testing/builders.ts'
import { expect, MOVING, test } from './forum.ts'
import { keyboard, mouse } from './hands.ts'
import { barriers } from './inspection.ts'
import { expectSaid } from './journey.ts'

test.use(MOVING)

const t = translatorOf('en')

for (const [name, hands] of [
  ['the mouse', mouse],
  ['the keyboard', keyboard],
] as const) {
  test(`votes, acceptance, replies and answers change the page in place, by ${name}`, async ({ as, db }) => {
    const { question, asker } = await aScene(db)
    const page = await as(asker)
    await page.goto(`/questions/${question.id}`)
    const staysThere = await mark(page)
    const answer = page.locator('.answer').first()

    const vote = answer.getByRole('button', { name: t('votes.answer') })
    await hands.press(vote)
    await expect(vote).toHaveAttribute('aria-pressed', 'true')
    await expect(vote.locator('b')).toHaveText('1')
    await expect(vote).toBeFocused()

    await hands.press(answer.getByRole('button', { name: t('answers.accept') }))
    await expectSaid(page, t('answers.flash.accepted'))
    await expect(answer).toContainText(t('answers.accepted'))
    await expect(page.locator('.post.question')).toContainText(t('status.resolved'))
    await expect(answer.getByRole('button', { name: t('answers.unaccept') })).toBeFocused()

    await hands.press(answer.locator('summary').filter({ hasText: t('replies.open') }))
    await hands.write(answer.getByRole('textbox'), 'That was it.')
    await hands.press(answer.locator('.reply-form [data-default]'))
    await expect(answer.locator('.reply')).toContainText('That was it.')
    await expect(answer.locator('.reply')).toBeFocused()
    await expect(answer.locator('.reply-details')).not.toHaveAttribute('open')

    await hands.press(page.getByText(t('answers.form.own')))
    await hands.write(page.getByLabel(t('answers.form.label'), { exact: true }), 'I found another way, too.')
    await hands.press(page.getByRole('button', { name: t('answers.form.post') }))
    const own = page.locator('.answer', { hasText: 'I found another way, too.' })
    await expect(own).toBeFocused()
    await expect(page.getByLabel(t('answers.form.label'), { exact: true })).toHaveValue('')
    await expect(page.locator('#answers')).toHaveText(t('answers.count', { count: 2 }))
    await staysThere()
  })
}

test('a learner says of much code that it’s fine, with the keys alone', async ({ as, db }) => {
  const { question } = await aScene(db)
  const asking = { asks_about_code: 2 }
  await db.updateTable('courses').set(asking).where('id', '=', question.courseId).execute()
  const page = await as(await aPerson(db))
  await page.goto(`/questions/${question.id}`)
  const box = page.getByLabel(t('answers.form.label'), { exact: true })
  await box.fill('So:\n\n```\none\ntwo\nthree\n```')
  await box.press('Control+Enter')
  const fine = page.getByRole('checkbox', { name: t('answers.code.fine') })
  await expect(fine).toBeFocused()
  await fine.press('Space')
  await page.getByRole('button', { name: t('answers.form.post') }).press('Enter')
  await expect(page.locator('.answer', { hasText: 'three' })).toBeFocused()
})

test('an empty answer is refused where it is written, and keeps the page', async ({ as, db }) => {
  const question = await aQuestion(db)
  const page = await as(await aPerson(db))
  await page.goto(`/questions/${question.id}`)
  await page.getByLabel(t('answers.form.label'), { exact: true }).fill('   ')
  await page.getByRole('button', { name: t('answers.form.post') }).click()
  await expect(page.locator('.answer-form .error-summary')).toBeFocused()
  await expect(page.locator('.post.question h1')).toHaveText(question.title)
  expect(await barriers(page)).toEqual([])
})

test('a vote that is refused goes back, and the page says why', async ({ as, db }) => {
  const question = await aQuestion(db)
  const page = await as(await aPerson(db))
  await page.goto(`/questions/${question.id}`)
  await page.route('**/votes', (route) =>
    route.fulfill({ status: 429, contentType: 'text/html', body: '<main><h1>Too many votes</h1></main>' }),
  )
  const vote = page.getByRole('button', { name: t('votes.question') })
  await vote.click()
  await expect(page.getByRole('alert')).toHaveText('Too many votes')
  await expect(vote).toHaveAttribute('aria-pressed', 'false')
  await expect(vote.locator('b')).toHaveText('0')
})

test('a double click on a vote counts one vote', async ({ as, db }) => {
  const question = await aQuestion(db)
  const page = await as(await aPerson(db))
  await page.goto(`/questions/${question.id}`)
  const vote = page.getByRole('button', { name: t('votes.question') })
  await vote.dblclick()
  await expect(vote).toHaveAttribute('aria-pressed', 'true')
  await expect(vote.locator('b')).toHaveText('1')
})

test('the focus stays where somebody went before the answer to a vote came', async ({ as, db }) => {
  const { question, asker } = await aScene(db)
  const page = await as(asker)
  await page.goto(`/questions/${question.id}`)
  const isReleased = Promise.withResolvers<void>()
  await page.route('**/votes', async (route) => {
    await isReleased.promise
    await route.continue()
  })
  await page.getByRole('button', { name: t('votes.answer') }).press('Enter')
  const accept = page.getByRole('button', { name: t('answers.accept') })
  await accept.focus()
  isReleased.resolve()
  await expectSaid(page, t('votes.flash.cast'))
  await expect(accept).toBeFocused()
})

test('each form sent in place keeps page and focus, and says once what it did', async ({ as, db }) => {
  test.slow()
  const { course, question, asker } = await aScene(db)
  const own = `/courses/${course.slug}`
  const pages = {
    learner: [
      ...[own, `${own}?lecture=1&sort=votes`, `${own}/lectures`, `${own}/announcements`, `${own}/faq`],
      ...[`/tags?course=${course.slug}`, '/tags/http', `/questions/${question.id}?answers=newest`],
      ...[`/questions/new?course=${course.slug}`, `/search?course=${course.slug}&q=put`],
      ...[`/following?course=${course.slug}`, `/notifications?course=${course.slug}`],
    ],
    instructor: [
      ...[
        `${own}/desk?view=all&question=${question.id}`,
        `${own}/moderation`,
        `${own}/figures`,
        `${own}/members`,
      ],
      ...[`${own}/settings`, `${own}/lectures`, `/questions/${question.id}`],
    ],
  }
  const staff = await aMember(db, course, 'instructor')
  let pressed = 0
  for (const [reader, paths] of [
    [asker, pages.learner],
    [staff, pages.instructor],
  ] as const) {
    const page = await as(reader)
    for (const path of paths) {
      await page.goto(path)
      for (const action of await actionsOn(page)) {
        await page.goto(path)
        await pressInPlace(page, action)
        pressed += 1
      }
    }
  }
  expect(pressed).toBeGreaterThan(25)
})

test('a course is followed beside a form that was refused, which keeps its text', async ({ as, db }) => {
  const { course, asker } = await aScene(db)
  const page = await as(asker)
  await page.goto(`/questions/new?course=${course.slug}`)
  await page.locator('#title').fill('  ')
  await page.locator('#body').fill('A long story.')
  await page.locator('form:has(#body)').evaluate((form: HTMLFormElement) => {
    form.noValidate = true
  })
  await page.getByRole('button', { name: t('questions.new.post') }).click()
  await expect(page.locator('.error-summary')).toBeFocused()
  await pressInPlace(page, `/courses/${course.slug}/following`)
  await expect(page.locator('#body')).toHaveValue('A long story.')
})

test('a form that leads to another page than it says has its message on that one', async ({ as, db }) => {
  const { course, asker } = await aScene(db)
  const page = await as(asker)
  await page.goto(`/courses/${course.slug}/faq`)
  await page.locator('form[action$="/following"] [name="back"]').evaluate((field) => field.remove())
  await page.getByRole('button', { name: t('follows.followCourse') }).click()
  await expect(page.locator('[data-flash]')).toHaveText(t('follows.flash.place'))
  expect(new URL(page.url()).pathname).toBe(`/courses/${course.slug}`)
})

/** Where the forms of a page are posted that are sent in place, but those in which one writes. */
function actionsOn(page: Page): Promise<string[]> {
  return page
    .locator('form[data-in-place]:not([data-busy])')
    .evaluateAll((forms) => forms.map((form) => form.getAttribute('action') ?? ''))
}

/** Presses the first button of a form. Of a desk's acts that leave the question, the next one has the focus afterwards. */
async function pressInPlace(page: Page, action: string): Promise<void> {
  const [url, form] = [page.url(), page.locator(`form[action="${action}"]`).first()]
  await page.evaluate(() => document.body.setAttribute('data-seen', ''))
  // Some wait behind "More".
  await form.evaluate((sent) => sent.closest('details')?.setAttribute('open', ''))
  await form.locator('button').first().click()
  await expect(page.locator('form[data-sent]')).toHaveCount(0)
  const said = page.locator('[data-announcements]')
  await expect(said, `${url} ${action}`).toHaveText(/\S.*[.!]\s*$/)
  const sentences = (await said.innerText()).trim().split(/(?<=[.!])\s+/)
  expect(new Set(sentences).size, `${url} ${action}: ${sentences}`).toBe(sentences.length)
  await expect(page.locator('body[data-seen]')).toHaveCount(1)
  const isDone = url.includes('/desk') && !/(?:following|endorsement)$/.test(action)
  if (!isDone) expect(page.url()).toBe(url)
  // An answer at the desk comes anew as a whole.
  const own = `form[action="${action}"]`
  const place = page.locator(isDone ? '#open, main' : `${own} button, #open .answer:has(${own})`)
  await expect
    .poll(
      () => place.evaluateAll((all) => all.includes(document.activeElement as HTMLElement)),
      `${url} ${action}`,
    )
    .toBe(true)
}

/** A question with one answer, and who asked it. */
async function aScene(db: Database) {
  const course = await aCourse(db, { lectures: ['Verbs'] })
  const asker = await aMember(db, course)
  const question = await aQuestion(db, { course, author: asker, tags: ['http'] })
  await anAnswer(db, { question })
  return { course, question, asker }
}

/** Leaves a mark on the page. @returns fails once the page was left, or its history grew */
async function mark(page: Page): Promise<() => Promise<void>> {
  const [url, entries] = [page.url(), await page.evaluate(() => history.length)]
  await page.evaluate(() => document.body.setAttribute('data-seen', ''))
  return async () => {
    await expect(page.locator('body[data-seen]')).toHaveCount(1)
    expect(page.url()).toBe(url)
    expect(await page.evaluate(() => history.length)).toBe(entries)
  }
}
