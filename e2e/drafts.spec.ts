import type { Page } from 'playwright/test'
import { refreshStatistics } from '../src/forum/search/statistics.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, anAnswer, aPerson, aQuestion } from '../src/testing/builders.ts'
import { expect, test } from './forum.ts'

const t = translatorOf('en')
const KNOWN = 'Location header behind a proxy shows localhost'

test('a draft that comes back says so, and can be discarded', async ({ as, forum }) => {
  const question = await aQuestion(forum.db)
  const page = await as(await aPerson(forum.db))
  await page.goto(`/questions/${question.id}`)
  const answer = page.getByLabel(t('answers.form.label'))
  await expect(noteOn(page)).toBeHidden()
  await answer.fill('Half an answer')

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

  await page.goto(`/questions/new?course=${course.slug}`)
  await expect(page.getByLabel(t('questions.title.label'))).toHaveValue('')
  await expect(noteOn(page)).toBeHidden()
})

function noteOn(page: Page) {
  return page.locator('.restored')
}
