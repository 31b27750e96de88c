import type { Page, Route } from 'playwright/test'
import { refreshStatistics } from '../src/forum/search/statistics.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, anAnswer, aPerson, aQuestion } from '../src/testing/builders.ts'
import { expect, test } from './forum.ts'
import { PHONE } from './inspection.ts'

const t = translatorOf('en')
const KNOWN = 'Location header behind a proxy shows localhost'

test('a draft that comes back says so, and can be discarded', async ({ as, forum }) => {
  const question = await aQuestion(forum.db)
  const page = await as(await aPerson(forum.db))
  await page.goto(`/questions/${question.id}`)
  const answer = page.getByLabel(t('answers.form.label'))
  await expect(noteOn(page)).toBeHidden()
  await answer.fill('Half an answer')
  await expect(page.locator('.answer-form')).toContainText(t('drafts.saved'))

  await page.reload()
  await expect(answer).toHaveValue('Half an answer')
  await expect(noteOn(page)).toBeVisible()
  await noteOn(page)
    .getByRole('button', { name: t('forms.discard') })
    .click()
  await expect(answer).toHaveValue('')
  await expect(answer).toBeFocused()
  await expect(noteOn(page)).toBeHidden()

  await page.reload()
  await expect(answer).toHaveValue('')
  await expect(noteOn(page)).toBeHidden()
})

test('what is typed goes on, on another device and without scripts, until it is posted', async ({
  as,
  forum,
}) => {
  const question = await aQuestion(forum.db)
  const person = await aPerson(forum.db)
  const page = await as(person)
  await page.goto(`/questions/${question.id}`)
  await page.getByLabel(t('answers.form.label')).fill('Half an answer')
  await expect(page.locator('.answer-form')).toContainText(t('drafts.saved'))

  const phone = await as(person, { javaScriptEnabled: false, viewport: PHONE })
  await phone.goto('/drafts')
  await phone.getByRole('link', { name: question.title }).click()
  const answer = phone.getByLabel(t('answers.form.label'))
  await expect(answer).toHaveValue('Half an answer')
  await answer.fill('A whole answer')
  await phone.getByRole('button', { name: t('answers.form.post') }).click()
  await expect(phone.locator('.answer .prose')).toHaveText('A whole answer')
  await phone.goto('/drafts')
  await expect(phone.getByRole('heading', { name: t('drafts.none.title') })).toBeVisible()
})

test('two tabs that write one answer lose neither text', async ({ as, forum }) => {
  const question = await aQuestion(forum.db)
  const person = await aPerson(forum.db)
  const [one, other] = [await as(person), await as(person)]
  for (const page of [one, other]) {
    await page.goto(`/questions/${question.id}`)
    await page.getByLabel(t('answers.form.label')).scrollIntoViewIfNeeded()
  }
  await one.getByLabel(t('answers.form.label')).fill('Text of the first tab')
  await expect(one.locator('.answer-form')).toContainText(t('drafts.saved'))
  const answer = other.getByLabel(t('answers.form.label'))
  await answer.fill('Text of the second tab')
  await expect(noteOn(other)).toContainText(t('drafts.newer'))
  await expect(answer).toHaveValue('Text of the second tab')
  await noteOn(other)
    .getByRole('button', { name: t('drafts.useNewer') })
    .click()
  await expect(answer).toHaveValue('Text of the first tab')
})

test.describe('with JavaScript off', () => {
  test.use({ javaScriptEnabled: false })

  test('a button saves a draft', async ({ as, forum }) => {
    const course = await aCourse(forum.db)
    const page = await as(await aPerson(forum.db))
    await page.goto(`/questions/new?course=${course.slug}`)
    await page.getByLabel(t('questions.title.label')).fill('Not finished')
    await page.getByRole('button', { name: t('drafts.save') }).click()
    await expect(page.getByRole('status')).toHaveText(t('drafts.flash.saved'))
    await page.getByRole('link', { name: 'Not finished' }).click()
    await expect(page.getByLabel(t('questions.title.label'))).toHaveValue('Not finished')
  })
})

test('a form waits for a draft that is being saved: nothing comes back of what is posted', async ({
  as,
  forum,
}) => {
  const course = await aCourse(forum.db)
  const asker = await aPerson(forum.db)
  const page = await as(asker)
  await page.goto(`/questions/new?course=${course.slug}`)
  const held = Promise.withResolvers<Route>()
  await page.route('**/drafts', (route) => held.resolve(route), { times: 1 })
  const posts: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    // The preview beside the text follows it.
    if (request.method() === 'POST' && pathname !== '/preview') posts.push(pathname)
  })
  await page.getByLabel(t('questions.title.label')).fill('Posted while it is saved')
  await page.getByLabel(t('questions.body.label'), { exact: true }).fill('All of it.')
  const save = await held.promise
  await page.getByRole('button', { name: t('questions.new.post') }).click()
  expect(posts).toEqual(['/drafts'])
  await save.continue()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Posted while it is saved')

  await page.waitForLoadState('networkidle')
  expect(posts.filter((path) => path === '/questions')).toHaveLength(1)
  // What was posted is remembered there, without its text.
  expect(
    await forum.db.selectFrom('drafts').select('fields').where('person_id', '=', asker.id).execute(),
  ).toEqual([{ fields: {} }])
})

test('"This answers mine" ends the draft of the question that was not posted', async ({ as, forum }) => {
  const course = await aCourse(forum.db)
  const known = await aQuestion(forum.db, { course, title: KNOWN })
  await anAnswer(forum.db, { question: known })
  await aQuestion(forum.db, { course, title: 'Paging with cursors', body: 'A cursor is a place.' })
  await refreshStatistics(forum.db)
  const page = await as(await aPerson(forum.db))
  await page.goto(`/questions/new?course=${course.slug}`)
  await page.getByLabel(t('questions.title.label')).pressSequentially('Location header shows localhost')
  const row = page.locator('.similar-box').getByRole('listitem')
  await row.getByRole('button', { name: t('similar.mine') }).click()
  await expect(page.getByRole('status').first()).toHaveText(t('follows.flash.instead'))
  const asked = await forum.db
    .selectFrom('asked_instead')
    .select('lexemes')
    .where('question_id', '=', known.id)
    .execute()
  expect(asked[0]?.lexemes).toContain('localhost')

  await page.goto(`/questions/new?course=${course.slug}`)
  await expect(page.getByLabel(t('questions.title.label'))).toHaveValue('')
  await expect(noteOn(page)).toBeHidden()
})

function noteOn(page: Page) {
  return page.locator('.restored').last()
}
