import type { Page, Route } from 'playwright/test'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../src/testing/builders.ts'
import { expect, test } from './forum.ts'
import { buttonOf } from './hands.ts'
import { barriers, PHONE } from './inspection.ts'

const t = translatorOf('en')
/** Names of fields that a draft's note gives beside the text. */
const LABELS = ['questions.lecture.label', 'questions.category.label', 'audience.staff', 'anonymous.box']

test('a draft that comes back says so, and can be discarded', async ({ as, db }) => {
  const question = await aQuestion(db)
  const page = await as(await aPerson(db))
  await page.goto(`/questions/${question.id}`)
  const answer = page.getByLabel(t('answers.form.label'))
  await expect(noteOn(page)).toBeHidden()
  await answer.fill('Half an answer')
  await expect(page.locator('.answer-form')).toContainText(t('drafts.saved'))

  await page.reload()
  await expect(answer).toHaveValue('Half an answer')
  await expect(noteOn(page)).toBeVisible()
  await buttonOf(noteOn(page), t('forms.discard')).click()
  await expect(answer).toHaveValue('')
  await expect(answer).toBeFocused()
  await expect(noteOn(page)).toBeHidden()

  await page.reload()
  await expect(answer).toHaveValue('')
  await expect(noteOn(page)).toBeHidden()
})

test('what is typed goes on elsewhere and without scripts, until it is posted', async ({ as, db }) => {
  const question = await aQuestion(db)
  const person = await aPerson(db)
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

test('a question comes back with all choices; what is gone is said in its field', async ({ as, db }) => {
  const options = { lectures: ['Verbs', 'Paging'], categories: ['Homework'] }
  const course = await aCourse(db, options)
  const set = (values: { allows_anonymous: boolean; allows_private: boolean }) =>
    db.updateTable('courses').set(values).where('id', '=', course.id).execute()
  await set({ allows_anonymous: true, allows_private: true })
  const asker = await aMember(db, course)
  const page = await as(asker)
  await page.goto(`/questions/new?course=${course.slug}`)
  const [lecture, category] = [page.locator('#lecture'), page.locator('#category')]
  const [isPrivate, isAnonymous] = [
    page.getByRole('radio', { name: t('audience.staff') }),
    page.getByRole('checkbox', { name: t('anonymous.box') }),
  ]
  await page.getByLabel(t('questions.title.label')).fill('Which verb deletes?')
  await page.getByLabel(t('questions.body.label'), { exact: true }).fill('Half a question')
  await lecture.selectOption('2')
  await category.selectOption({ label: 'Homework' })
  await isPrivate.check()
  await isAnonymous.check()
  const form = page.locator('form').filter({ hasText: t('audience.legend') })
  await expect(form.locator('[data-draft-status]')).toHaveText(t('drafts.saved'))
  const chosen = await category.inputValue()

  await page.reload()
  await expect(noteOn(page)).toContainText(
    t('forms.restoredWith', {
      fields: LABELS.map((key) => t(key)).join(', '),
    }),
  )
  await expect(lecture).toHaveValue('2')
  await expect(category).toHaveValue(chosen)
  await expect(isPrivate).toBeChecked()
  await expect(isAnonymous).toBeChecked()

  await set({ allows_anonymous: false, allows_private: false })
  await db.deleteFrom('lectures').where('course_id', '=', course.id).execute()
  await db.deleteFrom('categories').where('course_id', '=', course.id).where('slug', '=', chosen).execute()
  await page.reload()
  await expect(noteOn(page)).toBeVisible()
  await expect(lecture.locator('option:checked')).toHaveText(t('forms.gone', { value: '2' }))
  await expect(lecture).toHaveAccessibleDescription(t('questions.lecture.unknown'))
  await expect(category.locator('option:checked')).toHaveText(t('forms.gone', { value: chosen }))
  await expect(form.getByText(t('audience.off'))).toBeVisible()
  await expect(isPrivate).toBeChecked()
  await expect(isAnonymous).toBeChecked()
  await expect(isAnonymous).toHaveAccessibleDescription(new RegExp(t('anonymous.gone')))
  expect(await barriers(page)).toEqual([])

  await page.getByRole('button', { name: t('questions.new.post') }).click()
  await expect(page.locator('.error-summary li')).toHaveCount(4)
  await lecture.selectOption('')
  await category.selectOption({ index: 0 })
  await page.getByRole('radio', { name: t('audience.everyone') }).check()
  await isAnonymous.uncheck()
  await page.getByRole('button', { name: t('questions.new.post') }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Which verb deletes?')
})

test('an answer that was to be anonymous comes back so, where nobody can be any more', async ({ as, db }) => {
  const course = await aCourse(db)
  const allow = (allows_anonymous: boolean) =>
    db.updateTable('courses').set({ allows_anonymous }).where('id', '=', course.id).execute()
  await allow(true)
  const question = await aQuestion(db, { course })
  const page = await as(await aMember(db, course))
  const form = page.locator('.answer-form')
  const box = form.getByRole('checkbox', { name: t('anonymous.box') })
  await page.goto(`/questions/${question.id}`)
  await box.check()
  await form.getByLabel(t('answers.form.label')).fill('I would rather not say who')
  await expect(form).toContainText(t('drafts.saved'))
  await allow(false)
  await page.reload()
  await expect(box).toBeChecked()
  await expect(form).toContainText(t('anonymous.gone'))
  await buttonOf(noteOn(page), t('forms.discard')).click()
  await expect(box).toHaveCount(0)
})

test('an edit that only this device kept goes on from the version it began with', async ({ as, db }) => {
  const author = await aPerson(db)
  const question = await aQuestion(db, { author, body: 'As it was' })
  const staff = await as(await aMember(db, { id: question.courseId }, 'instructor'))
  const page = await as(author)
  const path = `/questions/${question.id}/edit`
  const held = Promise.withResolvers<Route>()
  await page.route('**/drafts', (route) => held.resolve(route), { times: 1 })
  const body = page.getByLabel(t('questions.body.label'), { exact: true })
  await page.goto(path)
  await body.scrollIntoViewIfNeeded()
  await expect(page.getByRole('toolbar')).toBeVisible()
  await body.fill('As the author has it')
  await held.promise
  await staff.goto(path)
  await staff.getByLabel(t('questions.body.label'), { exact: true }).fill('As staff has it')
  await staff.getByRole('button', { name: t('posts.save') }).click()
  await expect(staff.locator('.question .prose')).toHaveText('As staff has it')

  await page.reload()
  await buttonOf(noteOn(page), t('drafts.useIt')).click()
  await expect(body).toHaveValue('As the author has it')
  await page.getByRole('button', { name: t('posts.save') }).click()
  const theirs = page.getByRole('textbox', { name: t('posts.conflict.theirs') })
  await expect(theirs).toHaveValue('As staff has it')
  await expect(body).toHaveValue('As the author has it')
  await page.getByRole('button', { name: t('posts.conflict.save') }).click()
  await expect(page.locator('.question .prose')).toHaveText('As the author has it')
})

test('two tabs that write one answer lose neither text', async ({ as, db }) => {
  const question = await aQuestion(db)
  const person = await aPerson(db)
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
  await buttonOf(noteOn(other), t('drafts.useNewer')).click()
  await expect(answer).toHaveValue('Text of the first tab')
})

test('a form waits for its draft to be saved: nothing comes back of what is posted', async ({ as, db }) => {
  const course = await aCourse(db)
  const asker = await aPerson(db)
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
  expect(await db.selectFrom('drafts').select('fields').where('person_id', '=', asker.id).execute()).toEqual([
    { fields: {} },
  ])
})

function noteOn(page: Page) {
  return page.locator('.restored').last()
}
