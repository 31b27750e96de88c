import { translatorOf } from '../src/messages/catalogue.ts'
import { anAnswer, aReply } from '../src/testing/builders.ts'
import { rowsOf, valuesOf } from '../src/testing/rows.ts'
import { aDesk, answerBox, button, open, row, titleOfOpen } from './desk-steps.ts'
import { expect, test } from './forum.ts'
import { buttonOf } from './hands.ts'
import { barriers } from './inspection.ts'
import { expectSaid } from './journey.ts'

const t = translatorOf('en')

test('two of the staff who answer the same question know of each other', async ({ as, db }) => {
  const { path, staff, colleague, first, second } = await aDesk(db)
  const page = await as(staff)
  await page.goto(`${path}?question=${first.id}`)
  await answerBox(page).fill('It is idempotent.')
  const other = await as(colleague)
  await other.goto(`${path}?question=${first.id}`)
  await expect(open(other)).toContainText(t('desk.answering', { name: staff.displayName }))
  await expect(row(other, first)).toContainText(staff.displayName)
  await expect(open(page)).not.toContainText(t('desk.answering', { name: colleague.displayName }))
  expect(await barriers(other)).toEqual([])
  await answerBox(other).fill('Yes, PUT is.')
  await button(other, 'desk.answer').click()
  await expectSaid(other, t('desk.flash.answer'))
  await expect(titleOfOpen(other)).toHaveText(second.title)
  await expect(open(page).locator('.answer')).toContainText('Yes, PUT is.')

  await button(page, 'desk.answer').click()
  const note = open(page).locator('.note.alarm')
  await expect(note).toContainText(t('desk.newer.answer'))
  await expect(note).toContainText(`${colleague.displayName}: “Yes, PUT is.”`)
  await expect(answerBox(page)).toHaveValue('It is idempotent.')
  await expect(row(page, first)).toHaveCount(0)
  expect(await barriers(page)).toEqual([])
  await buttonOf(open(page), t('desk.newer.post')).click()
  await expectSaid(page, t('desk.flash.answer'))
  const answers = await rowsOf(db, 'answers', { question_id: first.id })
  expect(valuesOf(answers, 'body')).toEqual(['Yes, PUT is.', 'It is idempotent.'])
})

test('keys work through questions: an easy one by one post, a thank-you by one key', async ({ as, db }) => {
  const { path, course, staff, questions } = await aDesk(db, ['And PATCH?', 'And TRACE?'])
  for (const question of questions.slice(0, 2)) {
    await anAnswer(db, { question, author: staff })
    await aReply(db, { question, author: { id: question.authorId }, body: 'Thanks, that fixed it.' })
  }
  const waiting = async () => {
    const rows = await rowsOf(db, 'question_desk', { course_id: course.id })
    return rows.filter(({ waiting_since }) => waiting_since !== null).length
  }
  const page = await as(staff)
  await page.goto(path)
  const sent: string[] = []
  const loaded: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (request.method() === 'POST' && !/claim|drafts|reading/.test(pathname)) sent.push(pathname)
    if (request.isNavigationRequest()) loaded.push(pathname)
  })
  for (let left = questions.length; left > 0; left -= 1) {
    const title = (await titleOfOpen(page).textContent()) ?? ''
    const isThanks = (await open(page).getByText('Thanks, that fixed it.').count()) > 0
    sent.length = 0
    loaded.length = 0
    if (isThanks) await page.keyboard.press('d')
    else {
      await page.keyboard.press('a')
      await page.keyboard.type('It is in the lecture.')
      await page.keyboard.press('Control+Enter')
    }
    if (left > 1) await expect(titleOfOpen(page)).not.toHaveText(title)
    else await expect(page.getByText(t('desk.none.waiting'))).toBeVisible()
    await expectSaid(page, t(isThanks ? 'desk.flash.done' : 'desk.flash.answer'))
    expect(sent).toHaveLength(1)
    expect(loaded).toEqual([])
    expect(await waiting()).toBe(left - 1)
  }
  expect(page.url()).not.toContain('question=')
})
