import { expect, type Page } from 'playwright/test'
import type { Database, Language } from '../src/database/schema.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aMember, aPerson } from '../src/testing/builders.ts'
import type { As } from './forum.ts'
import { buttonOf, type Hands } from './hands.ts'

interface Journey {
  readonly as: As
  readonly db: Database
  readonly hands: Hands
  readonly language: Language
}

type Walk = Journey & { readonly t: ReturnType<typeof translatorOf> }

const TITLE = 'Why does my PUT answer 405?'

/** A learner asks, the instructor answers, the asker replies and accepts, two others vote and one thinks again. */
export async function askAnswerResolve(given: Journey): Promise<void> {
  const { as, db } = given
  const journey = { ...given, t: translatorOf(given.language) }
  const course = await aCourse(db, { title: `HTTP for everybody ${Date.now()}`, lectures: ['Verbs'] })
  const asker = await aPerson(db, { displayName: 'Mina Park' })
  const instructor = await aMember(db, course, 'instructor')

  const asking = await as(asker)
  const path = await ask(asking, journey, course.slug)
  await answer(await as(instructor), journey, path)
  await asking.goto(path)
  await reply(asking, journey, instructor.displayName)
  await accept(asking, journey)
  for (const person of [await aPerson(db), await aPerson(db)]) {
    await vote(await as(person), journey, path)
  }
  await findInList(asking, journey, course.slug)
}

async function ask(page: Page, { hands, t }: Walk, course: string): Promise<string> {
  await page.goto(`/courses/${course}`)
  await hands.press(
    page
      .getByRole('main')
      .getByRole('link', { name: t('questions.empty.all.ask') })
      .first(),
  )
  await hands.write(page.getByLabel(t('questions.title.label')), TITLE)
  await hands.choose(page.getByLabel(t('questions.lecture.label'), { exact: true }), '1 · Verbs')
  await hands.write(
    page.getByLabel(t('questions.body.label'), { exact: true }),
    'The server says:\n\n    405 Method Not Allowed',
  )
  await hands.write(page.getByLabel(t('questions.tags.label')), 'http, put')
  await hands.press(page.getByRole('button', { name: t('questions.new.post') }))

  await expect(page.getByRole('heading', { level: 1 })).toHaveText(TITLE)
  await expect(page.getByRole('status')).toHaveText(t('questions.flash.posted'))
  await expect(page.locator('.post.question')).toContainText(t('status.unresolved'))
  await expect(page.locator('.post pre')).toContainText('405 Method Not Allowed')
  await expect(page.getByRole('link', { name: 'put', exact: true })).toBeVisible()
  return new URL(page.url()).pathname
}

async function answer(page: Page, { hands, t }: Walk, path: string): Promise<void> {
  await page.goto(path)
  await hands.write(
    page.getByLabel(t('answers.form.label')),
    'Map **PUT** on the item, not on the collection.',
  )
  await hands.press(page.getByRole('button', { name: t('answers.form.post') }))

  await expectSaid(page, t('answers.flash.posted'))
  const posted = page.locator('.answer')
  await expect(posted.locator('strong')).toHaveText('PUT')
  await expect(posted.getByText(t('roles.instructor'), { exact: true })).toBeVisible()
}

async function reply(page: Page, { hands, t }: Walk, to: string): Promise<void> {
  const posted = page.locator('.answer')
  await hands.press(posted.locator('summary').filter({ hasText: t('replies.open') }))
  await hands.write(posted.getByLabel(t('replies.label', { name: to })), 'That was it, thank you!')
  await hands.press(posted.locator('.reply-form [data-default]'))

  await expect(posted.locator('.reply')).toContainText('That was it, thank you!')
  await expect(posted.locator('.reply').getByText(t('roles.asker'), { exact: true })).toBeVisible()
}

async function accept(page: Page, { hands, t }: Walk): Promise<void> {
  await hands.press(page.getByRole('button', { name: t('answers.accept') }))

  await expectSaid(page, t('answers.flash.accepted'))
  await expect(page.locator('.post.question')).toContainText(t('status.resolved'))
  await expect(page.locator('.answer')).toContainText(t('answers.accepted'))
}

/** Votes for the question and the answer, then takes the vote for the question back. */
async function vote(page: Page, { hands, t }: Walk, path: string): Promise<void> {
  await page.goto(path)
  const ofQuestion = buttonOf(page, t('votes.question'))
  for (const button of [ofQuestion, buttonOf(page, t('votes.answer'))]) {
    await hands.press(button)
    await expect(button).toHaveAttribute('aria-pressed', 'true')
  }
  // A vote shows at once; until the forum has answered, another press counts as a double click.
  await expect(page.locator('form[data-sent]')).toHaveCount(0)
  await hands.press(ofQuestion)
  await expect(ofQuestion).toHaveAttribute('aria-pressed', 'false')
  await expect(page.locator('form[data-sent]')).toHaveCount(0)
}

/** What just happened is said: on the page that follows, or in place to screen readers. */
export async function expectSaid(page: Page, text: string): Promise<void> {
  // A page that opens at a fragment has both: the focus is on neither.
  await expect(
    page.locator('[data-flash], [data-announcements]').filter({ hasText: text }).first(),
  ).toBeAttached()
}

async function findInList(page: Page, { t }: Walk, course: string): Promise<void> {
  await page.goto(`/courses/${course}?status=resolved`)
  const row = page.locator('.question-row', { hasText: TITLE })
  await expect(row).toContainText(t('questions.row.instructorAnswered'))
  await expect(row).toContainText(t('questions.row.votes', { count: 0 }))
  await expect(row.locator('.counts b')).toHaveText('1')
  await page.goto((await row.getByRole('link', { name: TITLE }).getAttribute('href')) ?? '')
  await expect(page.locator('.answer .vote b')).toHaveText('2')
}
