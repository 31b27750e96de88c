import type { Locator, Page } from 'playwright/test'
import { addSavedAnswer } from '../src/forum/desk/saved-answers.ts'
import { DESK_VIEWS } from '../src/forum/desk/views.ts'
import { refreshStatistics } from '../src/forum/search/statistics.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aMember, anAnswer, aQuestion } from '../src/testing/builders.ts'
import { aDayAhead } from '../src/testing/pass-time.ts'
import { within } from '../src/testing/within.ts'
import { writtenDay } from '../src/text/dates.ts'
import { aDesk, answerBox, button, menu, open, queue, row, titleOfOpen } from './desk-steps.ts'
import { expect, test } from './forum.ts'
import { buttonOf } from './hands.ts'
import { barriers, DESK, expectSound, PHONE, tooWide } from './inspection.ts'
import { expectSaid } from './journey.ts'

const t = translatorOf('en')
const note = (page: Page): Locator => page.locator('[data-part="duplicate"]')

for (const javaScriptEnabled of [true, false]) {
  test.describe(`scripts ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled })

    test('the longest wait is taken and answered, and the next one asked back', async ({ as, db }) => {
      const { path, staff, first, second } = await aDesk(db)
      const page = await as(staff, { javaScriptEnabled })
      await page.goto(path)
      await expect(titleOfOpen(page)).toHaveText(first.title)
      await button(page, 'desk.take').click()
      await expectSaid(page, t('desk.flash.taken'))
      await expect(titleOfOpen(page)).toHaveText(first.title)
      await expect(open(page)).toContainText(t('desk.takenByYou'))
      if (javaScriptEnabled) await expect(open(page)).toBeFocused()

      await answerBox(page).fill('It is **idempotent**.')
      await button(page, 'desk.answerResolve').click()
      await expectSaid(page, t('desk.flash.resolve'))
      await expect(queue(page)).toHaveText([second.title])
      await expect(titleOfOpen(page)).toHaveText(second.title)
      // The queue stays before the question that is open.
      const [list, pane] = [await page.locator('.queue').boundingBox(), await open(page).boundingBox()]
      expect((list?.x ?? 0) + (list?.width ?? 0)).toBeLessThan(pane?.x ?? 0)

      await expect(answerBox(page)).toHaveValue('')
      await answerBox(page).fill('Which version is it?')
      await button(page, 'desk.askBack').click()
      await expectSaid(page, t('desk.flash.ask'))
      await expect(queue(page)).toHaveCount(0)
      await expect(page.getByText(t('desk.none.waiting'))).toBeVisible()

      await page.goto(`/questions/${first.id}`)
      await expect(page.locator('.answer strong')).toHaveText('idempotent')
      await expect(page.locator('.post.question')).toContainText(t('status.resolved'))
    })

    test('a saved answer is filled in for the question it answers', async ({ as, db }) => {
      const { path, staff, second, asker } = await aDesk(db)
      const page = await as(staff, { javaScriptEnabled })
      await page.goto(path)
      await page.getByRole('link', { name: t('desk.saved.title') }).click()
      await page.getByLabel(t('savedAnswer.title.label')).fill('Where it is said')
      await page.getByLabel(t('savedAnswer.body.label')).fill('Dear {name}, “{title}” is in {lecture}. {x}')
      await page.getByRole('button', { name: t('desk.saved.save') }).click()
      await expectSaid(page, t('desk.flash.saved'))

      await page.goto(path)
      await page.getByRole('link', { name: second.title }).first().click()
      await expect(open(page)).toContainText('2 of 2')
      await answerBox(page).fill('Typed before.')
      await menu(page, 'desk.saved.insert').click()
      await open(page).getByRole('button', { name: 'Where it is said' }).click()
      await expect(answerBox(page)).toHaveValue(
        `Typed before.\n\nDear ${asker.displayName}, “${second.title}” is in 1 · Verbs. {x}`,
      )
      await expect(open(page)).toContainText('2 of 2')
      await page.setViewportSize(PHONE)
      expect(await tooWide(page)).toEqual([])
      await page.setViewportSize(DESK)
      await button(page, 'desk.answerStay').click()
      await expectSaid(page, t('desk.flash.answer'))
      await expect(titleOfOpen(page)).toHaveText(second.title)
      await expect(page.locator('.answer')).toContainText(`Dear ${asker.displayName}`)
    })

    test('a question is put off by a button, and from its page until a typed day', async ({ as, db }) => {
      const { path, staff, first, second } = await aDesk(db)
      const page = await as(staff, { javaScriptEnabled })
      await page.goto(path)
      await menu(page, 'desk.snooze.name').click()
      await buttonOf(open(page), /^For three days/).click()
      await expectSaid(page, t('desk.flash.snoozed'))
      await expect(titleOfOpen(page)).toHaveText(second.title)

      const day = aDayAhead(5)
      await page.goto(`/questions/${second.id}`)
      await page.locator('.post.question summary', { hasText: t('posts.more') }).click()
      await page.getByRole('button', { name: `${t('desk.snooze.name')}…` }).click()
      const dialog = page.getByRole('dialog', { name: t('desk.snooze.name') })
      await expect(dialog.getByLabel(t('desk.snooze.label'))).toBeFocused()
      await dialog.getByLabel(t('desk.snooze.label')).fill(day)
      await dialog.getByRole('button', { name: t('desk.snooze.name') }).click()
      await expectSaid(page, t('desk.flash.snoozed'))
      await page.goto(path)
      await expect(page.getByText(t('desk.none.waiting'))).toBeVisible()
      await page.goto(`${path}?view=snoozed`)
      await expect(queue(page)).toHaveText([first.title, second.title])
      await expect(row(page, second)).toContainText(
        writtenDay(day, 'en', day.slice(0, 4) !== new Date().toISOString().slice(0, 4)),
      )
      await menu(page, 'desk.snooze.name').click()
      await button(page, 'desk.snooze.end').click()
      await expectSaid(page, t('desk.flash.woken'))
      await expect(queue(page)).toHaveText([second.title])
    })
  })
}

test('what is typed on the desk goes on on the question’s page, until it is answered', async ({ as, db }) => {
  const { path, staff, first } = await aDesk(db)
  const page = await as(staff)
  await page.goto(path)
  await answerBox(page).fill('Half an answer')
  await expect(page.locator('.answer-box')).toContainText(t('drafts.saved'))
  await page.goto(`/questions/${first.id}`)
  await answerBox(page).scrollIntoViewIfNeeded()
  await expect(answerBox(page)).toHaveValue('Half an answer')

  await page.goto(path)
  await expect(answerBox(page)).toHaveValue('Half an answer')
  await button(page, 'desk.answer').click()
  await expectSaid(page, t('desk.flash.answer'))
  await page.goto('/drafts')
  await expect(page.getByRole('heading', { name: t('drafts.none.title') })).toBeVisible()
})

test('a colleague’s take appears on an open desk, and leaves the text and the place', async ({ as, db }) => {
  const { path, course, staff, colleague, first, second } = await aDesk(db)
  await within(db, addSavedAnswer, { courseId: course.id, title: 'Thanks', body: 'Thank you!' })
  const page = await as(staff)
  await page.goto(`${path}?question=${second.id}`)
  await menu(page, 'desk.saved.insert').click()
  await open(page).getByRole('button', { name: 'Thanks' }).click()
  await expect(answerBox(page)).toHaveValue('Thank you!')
  const other = await as(colleague)
  for (const question of [first, second]) {
    await other.goto(`${path}?question=${question.id}`)
    await button(other, 'desk.take').click()
    await expectSaid(other, t('desk.flash.taken'))
    await expect(row(page, question)).toContainText(colleague.displayName)
    await expect(page.locator('.desk-views a')).not.toHaveCount(0)
    await expect(titleOfOpen(page)).toHaveText(second.title)
    await expect(open(page)).toContainText('2 of 2')
    await expect(answerBox(page)).toHaveValue('Thank you!')
  }
  await button(page, 'desk.takeOver').click()
  await expectSaid(page, t('desk.flash.taken'))
})

test('single keys work the desk, and the switch turns them off', async ({ as, db }) => {
  const { path, staff, first, second } = await aDesk(db)
  const page = await as(staff)
  await page.goto(path)
  await expect(titleOfOpen(page)).toHaveText(first.title)
  await page.keyboard.press('j')
  await expect(titleOfOpen(page)).toHaveText(second.title)
  await page.keyboard.press('k')
  await expect(titleOfOpen(page)).toHaveText(first.title)
  await page.keyboard.press('s')
  await expect(open(page).getByRole('button', { name: /^Until tomorrow/ })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(open(page).getByRole('button', { name: /^Until tomorrow/ })).toBeHidden()
  await page.keyboard.press('t')
  await expectSaid(page, t('desk.flash.taken'))
  await page.keyboard.press('a')
  await expect(answerBox(page)).toBeFocused()
  await page.keyboard.type('jkts?')
  await expect(answerBox(page)).toHaveValue('jkts?')
  await answerBox(page).fill('')
  await answerBox(page).blur()

  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog', { name: t('keys.title') })
  await expect(dialog).toBeVisible()
  for (const name of ['Step', 'Answer', 'Take', 'Snooze'])
    await expect(dialog).toContainText(t(`keys.desk${name}`))
  await dialog.getByRole('checkbox').uncheck()
  await dialog.getByRole('button', { name: t('keys.close') }).click()
  for (const key of ['a', 's', 't', 'j']) await page.keyboard.press(key)
  await expect(answerBox(page)).not.toBeFocused()
  await expect(open(page).getByRole('button', { name: /^Until tomorrow/ })).toBeHidden()
  await expect(titleOfOpen(page)).toHaveText(first.title)

  await page.goto(`/questions/${second.id}`)
  await page.goBack()
  await page.keyboard.press('o')
  await expect(titleOfOpen(page)).toHaveText(first.title)
})

test('keys give a question away, open saved answers, endorse and lead to its page', async ({ as, db }) => {
  const { path, course, staff, colleague, first, second } = await aDesk(db)
  await anAnswer(db, { question: first })
  await within(db, addSavedAnswer, { courseId: course.id, title: 'Thanks', body: 'Thank you!' })
  const page = await as(staff)
  await page.goto(`${path}?view=classmates`)
  await open(page).locator('.answer').focus()
  await page.keyboard.press('e')
  await expect(open(page)).toContainText(t('answers.endorsedBy', { name: staff.displayName }))
  await expect(titleOfOpen(page)).toHaveText(first.title)

  await page.goto(path)
  await expect(titleOfOpen(page)).toHaveText(second.title)
  await page.keyboard.press('i')
  await expect(open(page).getByRole('button', { name: 'Thanks' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(open(page).getByRole('button', { name: 'Thanks' })).toBeHidden()
  await page.keyboard.press('g')
  await open(page).getByRole('button', { name: colleague.displayName }).press('Enter')
  await expectSaid(page, t('desk.flash.given'))
  await expect(row(page, second)).toContainText(colleague.displayName)
  await page.getByRole('link', { name: second.title }).first().click()
  await expect(titleOfOpen(page)).toHaveText(second.title)
  await page.keyboard.press('o')
  await expect(page).toHaveURL(new RegExp(`/questions/${second.id}/`))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(second.title)
})

test('a question that was asked before is linked to the earlier one with one click', async ({ as, db }) => {
  const { path, course, staff } = await aDesk(db)
  const title = 'Which status code tells that a resource was created?'
  const earlier = await aQuestion(db, { course, title, answers: 1, status: 'resolved' })
  const again = await aQuestion(db, {
    course,
    title: 'Which status code is it when a resource was created?',
  })
  await refreshStatistics(db)
  const page = await as(staff)
  await page.goto(`${path}?question=${again.id}`)
  await expect(open(page)).toContainText(t('desk.close'))
  expect(await barriers(page)).toEqual([])
  await buttonOf(open(page), t('desk.duplicate.name')).first().click()
  await expectSaid(page, t('desk.flash.linked'))
  await expect(queue(page)).not.toContainText([again.title])
  await page.goto(`/questions/${again.id}`)
  await expect(note(page).getByRole('link', { name: earlier.title })).toBeVisible()
})

test('staff link a duplicate by a menu that fits a phone; the asker undoes it', async ({ as, db, forum }) => {
  const { staff, first, second } = await aDesk(db)
  const page = await as(staff, { viewport: PHONE })
  await page.goto(`/questions/${second.id}`)
  await page.locator('.post.question summary', { hasText: t('posts.more') }).click()
  const opening = page.getByRole('button', { name: `${t('desk.duplicate.name')}…` })
  await opening.click()
  const dialog = page.getByRole('dialog', { name: t('desk.duplicate.name') })
  await expect(dialog.getByLabel(t('desk.duplicate.label'))).toBeFocused()
  expect(await tooWide(page)).toEqual([])
  // The open sheet covers a part of what is under it.
  expect(await barriers(page, ['target-size'])).toEqual([])
  await dialog.getByRole('button', { name: t('posts.cancel') }).click()
  await expect(opening).toBeFocused()
  await opening.click()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(opening).toBeFocused()
  await opening.click()
  await dialog.getByLabel(t('desk.duplicate.label')).fill(`${forum.url}/questions/${first.id}`)
  await dialog.getByRole('button', { name: t('desk.duplicate.name') }).click()
  await expectSaid(page, t('desk.flash.linked'))
  await expect(note(page).getByRole('link', { name: first.title })).toBeVisible()

  const asking = await as({ id: second.authorId })
  await asking.goto(`/questions/${second.id}`)
  await buttonOf(note(asking), t('questions.duplicate.undo')).click()
  await expectSaid(asking, t('desk.flash.unlinked'))
  await expect(note(asking)).toHaveCount(0)
})

for (const [width, locale] of [
  [1280, 'en-GB'],
  [390, 'en-GB'],
  [320, 'ko-KR'],
] as const)
  test(`each of the eight views of a desk is in reach, ${width} pixels wide`, async ({ as, db }) => {
    const course = await aCourse(db)
    const page = await as(await aMember(db, course, 'assistant'), {
      locale,
      viewport: { width, height: 740 },
    })
    const views = page.locator('.desk-views')
    const words = translatorOf(locale === 'ko-KR' ? 'ko' : 'en')
    for (const view of DESK_VIEWS) {
      await page.goto(`/courses/${course.slug}/desk?view=waiting`)
      const link = views.getByRole('link', { name: words(`desk.view.${view}`), exact: true })
      if (!(await link.isVisible())) await views.locator('summary').click()
      await expect(link).toBeInViewport({ ratio: 1 })
      await link.click()
      // The one that is shown is a tab beside the first two.
      await expect(views.locator('> ul [aria-current]')).toBeVisible()
      expect(new URL(page.url()).searchParams.get('view') ?? 'waiting').toBe(view)
    }
    await expectSound(page)
  })

for (const javaScriptEnabled of [true, false])
  test(`on a phone, queue and question are two steps, scripts: ${javaScriptEnabled}`, async ({ as, db }) => {
    const { path, staff, first, second } = await aDesk(db)
    const page = await as(staff, { viewport: PHONE, javaScriptEnabled })
    await page.goto(`${path}?lecture=1`)
    await expect(open(page)).toBeHidden()
    await queue(page).filter({ hasText: first.title }).click()
    await expect(titleOfOpen(page)).toHaveText(first.title)
    await expect(queue(page).first()).toBeHidden()
    await expect(page.locator('.desk-views')).toBeHidden()
    // The question has no padding here: its frame keeps off the text.
    await expect(open(page)).toBeFocused()
    await expect(open(page)).toHaveCSS('outline-offset', '8px')
    expect(await tooWide(page)).toEqual([])
    await page.getByRole('link', { name: t('desk.queue'), exact: true }).click()
    await expect(queue(page).filter({ hasText: second.title })).toBeVisible()
    expect(new URL(page.url()).searchParams.get('lecture')).toBe('1')
    await queue(page).filter({ hasText: first.title }).click()
    await answerBox(page).fill('It is.')
    await page.getByRole('button', { name: t('desk.answer') }).click()
    await expect(titleOfOpen(page)).toHaveText(second.title)
    await answerBox(page).fill('The method isn’t there.')
    await page.getByRole('button', { name: t('desk.answer') }).click()
    await expect(open(page)).toHaveCount(0)
    await expect(page.getByText(t('desk.none.waiting'))).toBeVisible()
  })
