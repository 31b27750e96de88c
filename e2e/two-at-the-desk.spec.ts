import type { Page } from 'playwright/test'
import { addSavedAnswer } from '../src/forum/desk/saved-answers.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aMember, anAnswer, aQuestion, aReply } from '../src/testing/builders.ts'
import { within } from '../src/testing/within.ts'
import { expect, type Forum, test } from './forum.ts'
import { barriers, PHONE, tooWide } from './inspection.ts'
import { expectSaid } from './journey.ts'

const t = translatorOf('en')
const HOUR_MS = 3_600_000

for (const javaScriptEnabled of [true, false]) {
  test.describe(`scripts ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled })

    test('two of the staff who answer the same question know of each other', async ({ as, forum }) => {
      const { path, staff, colleague, questions } = await aDesk(forum, 3)
      const [first, second] = questions
      const page = await as(staff, { javaScriptEnabled })
      await page.goto(`${path}?question=${first?.id}`)
      await answerBox(page).fill('It is idempotent.')
      const other = await as(colleague, { javaScriptEnabled })
      await other.goto(`${path}?question=${first?.id}`)
      if (javaScriptEnabled) {
        await expect(open(other)).toContainText(t('desk.answering', { name: staff.displayName }))
        await expect(row(other, first?.title)).toContainText(staff.displayName)
        await expect(open(page)).not.toContainText(t('desk.answering', { name: colleague.displayName }))
        expect(await barriers(other)).toEqual([])
      }
      await answerBox(other).fill('Yes, PUT is.')
      await button(other, 'desk.answer').click()
      await expectSaid(other, t('desk.flash.answer'))
      await expect(titleOfOpen(other)).toHaveText(second?.title ?? '')
      if (javaScriptEnabled) await expect(open(page).locator('.answer')).toContainText('Yes, PUT is.')

      await button(page, 'desk.answer').click()
      const note = open(page).locator('.note.alarm')
      await expect(note).toContainText(t('desk.newer.answer'))
      await expect(note).toContainText(`${colleague.displayName}: “Yes, PUT is.”`)
      await expect(answerBox(page)).toHaveValue('It is idempotent.')
      await expect(row(page, first?.title)).toHaveCount(0)
      if (javaScriptEnabled) expect(await barriers(page)).toEqual([])
      await open(page)
        .getByRole('button', { name: t('desk.newer.post') })
        .click()
      await expectSaid(page, t('desk.flash.answer'))
      const answers = await forum.db
        .selectFrom('answers')
        .select('body')
        .where('question_id', '=', first?.id ?? 0)
        .orderBy('id')
        .execute()
      expect(answers).toEqual([{ body: 'Yes, PUT is.' }, { body: 'It is idempotent.' }])
    })

    test('ten questions are worked through by keys, an easy one by one post and a thank-you by one key', async ({
      as,
      forum,
    }) => {
      const { db } = forum
      const { path, staff, questions } = await aDesk(forum, 10)
      for (const question of questions.slice(0, 3)) {
        await anAnswer(db, { question, author: staff })
        await aReply(db, { question, author: { id: question.authorId }, body: 'Thanks, that fixed it.' })
      }
      const waiting = async () =>
        (
          await db
            .selectFrom('question_desk')
            .select('question_id')
            .where('course_id', '=', questions[0]?.courseId ?? 0)
            .where('waiting_since', 'is not', null)
            .execute()
        ).length
      const page = await as(staff, { javaScriptEnabled })
      await page.goto(path)
      const sent: string[] = []
      const loaded: string[] = []
      page.on('request', (request) => {
        const { pathname } = new URL(request.url())
        if (request.method() === 'POST' && !/claim|drafts|reading/.test(pathname)) sent.push(pathname)
        if (request.isNavigationRequest()) loaded.push(pathname)
      })
      for (let left = 10; left > 0; left -= 1) {
        const title = (await titleOfOpen(page).textContent()) ?? ''
        const isThanks = (await open(page).getByText('Thanks, that fixed it.').count()) > 0
        sent.length = 0
        loaded.length = 0
        if (javaScriptEnabled && isThanks) await page.keyboard.press('d')
        else if (javaScriptEnabled) {
          await page.keyboard.press('a')
          await page.keyboard.type('It is in the lecture.')
          await page.keyboard.press('Control+Enter')
        } else if (isThanks) await button(page, 'desk.done').press('Enter')
        else {
          await answerBox(page).fill('It is in the lecture.')
          await button(page, 'desk.answer').press('Enter')
        }
        if (left > 1) await expect(titleOfOpen(page)).not.toHaveText(title)
        else await expect(page.getByText(t('desk.none.waiting'))).toBeVisible()
        await expectSaid(page, t(isThanks ? 'desk.flash.done' : 'desk.flash.answer'))
        expect(sent).toHaveLength(1)
        if (javaScriptEnabled) expect(loaded).toEqual([])
        expect(await waiting()).toBe(left - 1)
      }
      expect(page.url()).not.toContain('question=')
    })
  })
}

test('choosing a saved answer keeps the queue, also once a colleague changes something', async ({
  as,
  forum,
}) => {
  const { path, course, staff, colleague, questions } = await aDesk(forum, 2)
  await within(forum.db, addSavedAnswer, { courseId: course.id, title: 'Thanks', body: 'Thank you, {name}!' })
  for (const javaScriptEnabled of [true, false]) {
    const page = await as(staff, { javaScriptEnabled, viewport: PHONE })
    await page.goto(`${path}?question=${questions[1]?.id}`)
    await open(page)
      .locator('summary', { hasText: t('desk.saved.insert') })
      .click()
    await open(page).getByRole('button', { name: 'Thanks' }).click()
    await expect(answerBox(page)).toHaveValue(/Thank you, /)
    await expect(open(page)).toContainText('2 of 2')
    expect(await tooWide(page)).toEqual([])
    if (!javaScriptEnabled) continue
    const other = await as(colleague)
    await other.goto(`${path}?question=${questions[0]?.id}`)
    await button(other, 'desk.take').click()
    await expectSaid(other, t('desk.flash.taken'))
    await expect(row(page, questions[0]?.title)).toContainText(colleague.displayName)
    await expect(page.locator('.desk-views a')).not.toHaveCount(0)
    await expect(answerBox(page)).toHaveValue(/Thank you, /)
    await expect(open(page)).toContainText('2 of 2')
  }
})

const open = (page: Page) => page.locator('#open')
/** Of the pane beside the queue. */
const titleOfOpen = (page: Page) => page.locator('.queue + #open .desk-title')
const answerBox = (page: Page) => page.locator('#open .answer-box textarea')
const row = (page: Page, title = '') => page.locator('.desk-row', { hasText: title })
const button = (page: Page, key: string) => open(page).getByRole('button', { name: t(key), exact: true })

/** Questions that wait, the first for longest, with an assistant and an instructor. */
async function aDesk({ db }: Forum, count: number) {
  const course = await aCourse(db, { lectures: ['Verbs'] })
  const [staff, colleague] = [await aMember(db, course, 'assistant'), await aMember(db, course, 'instructor')]
  const asker = await aMember(db, course)
  const questions = []
  for (let number = 1; number <= count; number += 1) {
    const writtenAt = new Date(Date.now() - (count - number + 2) * HOUR_MS)
    questions.push(
      await aQuestion(db, { course, author: asker, title: `Which of the verbs, ${number}?`, writtenAt }),
    )
  }
  return { course, staff, colleague, questions, path: `/courses/${course.slug}/desk` }
}
