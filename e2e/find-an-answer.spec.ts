import type { Locator, Page } from 'playwright/test'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, type MadeQuestion } from '../src/testing/builders.ts'
import { rowsOf, valuesOf } from '../src/testing/rows.ts'
import { expect, test } from './forum.ts'
import { lookFor, searchBox } from './search-box.ts'

const t = translatorOf('en')

test('words of an answer lead to it, whatever their endings', async ({ as, db }) => {
  const question = await aQuestion(db, {
    title: 'What does a deletion answer with?',
    body: 'The book is gone, and then?',
    tags: ['rest'],
  })
  const body = 'No marmalade, no body: return `ResponseEntity<Void>` with 204.'
  const answer = await anAnswer(db, { question, body, isAccepted: true })
  const page = await as(null)
  await page.goto('/')
  await lookFor(page, 'marmalade deletions')

  const result = resultOf(page, question)
  await expect(result).toContainText(t('status.resolved'))
  await expect(result.locator('h2 mark')).toHaveText('deletion')
  await expect(result.locator('.result-snippet mark')).toContainText(['marmalade'])
  await result.getByRole('link', { name: t('search.fromAnswer') }).click()
  await expect(page).toHaveURL(new RegExp(`/questions/${question.id}/.*#answer-${answer.id}$`))
  await expect(page.locator(`#answer-${answer.id}`)).toBeInViewport()
})

test('a search is narrowed by what stands beside it, and by typed filters', async ({ as, db }) => {
  const about = { body: 'It is about a zeppelin.' }
  const tagged = await aQuestion(db, { ...about, tags: ['hangar'], answers: 1 })
  const resolved = await aQuestion(db, { ...about, status: 'resolved', answers: 1 })
  const waiting = await aQuestion(db, about)
  const page = await as(null)
  await page.goto('/')
  await lookFor(page, 'zeppelin')
  await expectFound(page, [tagged, resolved, waiting], [])

  const narrow = page.getByRole('complementary', { name: t('search.narrow') })
  await narrow.getByRole('link', { name: /^Resolved/ }).click()
  await expectFound(page, [resolved], [tagged, waiting])
  const chosen = narrow.getByRole('link', { name: /^Resolved/ })
  await expect(chosen).toHaveAttribute('aria-current', 'true')
  await chosen.click()
  await expectFound(page, [tagged, resolved, waiting], [])

  await lookFor(page, 'zeppelin tag:hangar')
  await expectFound(page, [tagged], [resolved, waiting])
  await lookFor(page, 'zeppelin is:unanswered')
  await expectFound(page, [waiting], [tagged, resolved])
})

test('where nothing is found the page says so and offers to ask', async ({ as, db }) => {
  const page = await as(await aPerson(db))
  await page.goto('/')
  await lookFor(page, '"nobody ever wrote this"')

  const main = page.getByRole('main')
  await expect(main.getByRole('heading', { name: t('search.empty.title') })).toBeVisible()
  await expect(searchBox(page)).toHaveValue('"nobody ever wrote this"')
  await main.getByRole('link', { name: t('questions.ask') }).click()
  await expect(page).toHaveURL(/\/questions\/new/)
})

test('what someone signed in opens from a search is counted, by mouse and keyboard', async ({ as, db }) => {
  const course = await aCourse(db)
  const question = await aQuestion(db, {
    course,
    title: 'The blancmange server',
    body: 'It is a custard.',
  })
  const joinedAt = new Date(Date.now() - 2 * 86_400_000)
  const page = await as(await aMember(db, course, 'learner', await aPerson(db, { joinedAt })))
  const words = async () =>
    valuesOf(await rowsOf(db, 'search_openings', { question_id: question.id }), 'word').toSorted()
  for (const [word, act] of [
    ['blancmange', () => resultOf(page, question).getByRole('link').first().click()],
    ['custard', () => resultOf(page, question).getByRole('link').first().press('Enter')],
  ] as const) {
    await page.goto(`/search?q=${word}`)
    const told = page.waitForRequest((sent) => sent.url().endsWith(`/questions/${question.id}/opening`))
    await act()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('The blancmange server')
    await told
  }
  // The page that sent them is gone, so their answers are not seen.
  await expect.poll(words).toEqual(['blancmange', 'custard'])
})

function resultOf(page: Page, { id }: MadeQuestion): Locator {
  return page.locator('.result', { has: page.locator(`h2 a[href^="/questions/${id}/"]`) })
}

async function expectFound(page: Page, found: MadeQuestion[], others: MadeQuestion[]): Promise<void> {
  for (const question of found) await expect(resultOf(page, question)).toBeVisible()
  for (const question of others) await expect(resultOf(page, question)).toHaveCount(0)
}
