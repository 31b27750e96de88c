import type { Locator } from 'playwright/test'
import type { Database } from '../src/database/schema.ts'
import { picture } from '../src/forum/pictures/pictures-testing.ts'
import { refreshStatistics } from '../src/forum/search/statistics.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { ASKED_WEEKS, anAskedCourse } from '../src/testing/asked-course.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../src/testing/builders.ts'
import { questionPath } from '../src/web/paths.ts'
import { expect, test } from './forum.ts'
import { buttonOf } from './hands.ts'
import { type Hearing, hear } from './hearing.ts'

const NARROW = { width: 1000, height: 900 }

// Checks what is said on the way through the commonest jobs, how often, and where the focus is after each step.

for (const [language, locale] of [
  ['en', 'en-GB'],
  ['ko', 'ko-KR'],
] as const) {
  const t = translatorOf(language)
  const told = (count: number) => t(count === 1 ? 'live.one' : 'live.other', { count: String(count) })

  test.describe(language, () => {
    test.use({ locale })

    test('asking: similar questions, draft and picture are told once, then the post', async ({ as, db }) => {
      const course = await aCourse(db)
      const title = 'Location header behind a proxy shows localhost'
      const known = await aQuestion(db, { course, title, body: 'The proxy is nginx.' })
      await anAnswer(db, { question: known, body: 'Set it.', isAccepted: true })
      await aQuestion(db, { course, title: 'Paging with cursors', body: 'A cursor is a place.' })
      await refreshStatistics(db)
      // A wide page has the preview beside the text.
      const page = await as(await aPerson(db), { isChanged: true, viewport: NARROW })
      const hearing = await hear(page)
      await page.goto(`/questions/new?course=${course.slug}`)

      // One line says how many there are, however long one goes on typing; they are no stops between two fields.
      const titleField = page.locator('#title')
      await titleField.pressSequentially('Why says my Location header localhost')
      await expectSaid(hearing, t('similar.count', { count: 1 }))
      const again = page.waitForResponse(/\/questions\/similar\?/)
      await titleField.pressSequentially(' behind nginx?')
      await again
      await page.keyboard.press('Tab')
      expect(await hearing.focus()).toBe(`link ${t('similar.count', { count: 1 })}`)
      await page.keyboard.press('Tab')
      expect(await hearing.focus()).toBe(`button ${t('forms.write')}`)

      // A picture that comes by the clipboard asks for its words.
      const body = page.locator('#body')
      await body.pressSequentially('See the screenshot:')
      await pastePicture(body)
      await expectSaid(hearing, t('uploads.undescribed'))
      expect(await hearing.focus()).toContain(t('questions.body.label'))
      await page.keyboard.insertText('A log with one red line')
      await expect(body).toHaveValue(/!\[A log with one red line\]\(\/uploads\//)

      // Each save would say the same.
      const saved = () => page.waitForResponse((one) => one.url().endsWith('/drafts') && one.ok())
      for (const word of [' once', ' twice']) {
        const save = saved()
        await page.keyboard.insertText(word)
        await save
      }
      await expectSaid(hearing, t('drafts.saved'))
      const said = await hearing.said()
      for (const text of [t('similar.count', { count: 1 }), t('uploads.undescribed'), t('drafts.saved')])
        expect(said.filter((one) => one === text)).toEqual([text])
      expect(said.filter((one) => one.includes('%'))).toEqual([])
      expectBrief(said)

      // A preview is read at one's own pace.
      await hearing.forget()
      await page.getByRole('button', { name: t('similar.preview') }).click()
      await expect.poll(() => hearing.focus()).toBe(`group ${t('similar.preview')}`)
      expect(await hearing.said()).toEqual([])
      await page.getByRole('button', { name: t('forms.write') }).click()
      expect(await hearing.focus()).toContain(t('questions.body.label'))

      await page.getByRole('button', { name: t('questions.new.post') }).click()
      await expect(page.locator('[data-flash]')).toBeVisible()
      expect(await hearing.focus()).toBe(`status ${t('questions.flash.posted')}`)
      expect(await hearing.said()).toEqual([])
    })

    test('reading: each vote is told, and what was pressed keeps the focus', async ({ as, db }) => {
      const { asker, question, mara } = await aThread(db)
      const page = await as(asker, { isChanged: true })
      const hearing = await hear(page)
      const isListening = page.waitForResponse(/\/live\/questions\/\d+/)
      await page.goto(questionPath(question))
      await isListening

      // Two answers get the same words one after the other.
      for (const vote of await page.locator('.answer button.vote').all()) {
        const before = (await hearing.said()).length
        await vote.press('Enter')
        await expect.poll(async () => (await hearing.said()).slice(before)).toEqual([t('votes.flash.cast')])
        expect(await hearing.focus()).toContain(t('votes.answer'))
      }

      await hearing.forget()
      await anAnswer(db, { question, author: mara, body: 'One more thing.' })
      await expectSaid(hearing, told(1))
      await page.locator('.live-note a').focus()
      await anAnswer(db, { question, body: 'And another.' })
      await expectSaid(hearing, told(2))
      expect(await hearing.said()).toEqual([told(1), told(2)])
      expect(await hearing.focus()).toBe(`link ${told(2)}`)
      await page.keyboard.press('Enter')
      const again = t('posts.label.again', { name: mara.displayName, number: 2 })
      await expect
        .poll(() => hearing.focus())
        .toBe(`article ${t('answers.heading', { name: again, role: 'instructor', state: 'none' })}`)

      await hearing.forget()
      await buttonOf(page, t('answers.accept')).first().press('Enter')
      await expectSaid(hearing, t('answers.flash.accepted'))
      expect(await hearing.focus()).toContain(t('answers.unaccept'))
      await expect(page.getByRole('heading', { level: 3 }).first()).toHaveText(
        t('answers.heading', { name: mara.displayName, role: 'instructor', state: 'accepted' }),
      )

      // A menu closes when the focus leaves it, and covers nothing.
      await page.locator('.answer .menu > summary').first().press('Enter')
      await expect(page.locator('.answer details.menu[open]')).toHaveCount(1)
      await page.locator('.answer .reply-details > summary').last().focus()
      await expect(page.locator('.answer details.menu[open]')).toHaveCount(0)

      await hearing.forget()
      await page.locator('.answer .reply-details > summary').first().press('Enter')
      expect(await hearing.focus()).toContain(t('replies.label', { name: mara.displayName }))
      await page.keyboard.insertText('Thank you.')
      await page.keyboard.press('Control+Enter')
      await expectSaid(hearing, t('replies.flash.posted'))
      expect(await hearing.focus()).toMatch(/^listitem /)
      const said = await hearing.said()
      expect(said.filter((one) => one === t('replies.flash.posted'))).toHaveLength(1)
      expectBrief(said)
    })

    // Without scripts in one language: no script has words of its own then.
    for (const javaScriptEnabled of language === 'ko' ? [true, false] : [true]) {
      test(`running a course keeps the focus, scripts: ${javaScriptEnabled}`, async ({ as, db }) => {
        const course = await aCourse(db, { lectures: ['Verbs', 'Paths', 'Caches'] })
        const learner = await aMember(db, course)
        const page = await as(await aMember(db, course, 'instructor'), {
          isChanged: true,
          javaScriptEnabled,
        })
        const hearing = await hear(page)
        await page.goto(`/courses/${course.slug}/lectures`)
        // Two places up, without looking for it in between.
        await page.locator('#lecture-3').focus()
        for (const position of [2, 1]) {
          await page.keyboard.press('Enter')
          await page.locator('details[open] button[value="up"]').press('Enter')
          await expect(page).toHaveURL(new RegExp(`#lecture-${position}$`))
          await expect(page.locator('[data-flash]')).toBeVisible()
          expect(await hearing.focus()).toContain(t('lectures.acts', { title: 'Caches' }))
        }
        if (javaScriptEnabled) {
          const moved = t('lectures.flash.moved', { position: 1 })
          await expectSaid(hearing, moved)
          expect(await hearing.said()).toEqual([moved])
        }

        await page.goto(`/courses/${course.slug}/members`)
        await page.locator(`#role-${learner.id}`).selectOption('assistant')
        const save = page.locator('form', { has: page.locator(`#role-${learner.id}`) }).getByRole('button')
        if (!javaScriptEnabled) await save.press('Enter')
        await expect(page).toHaveURL(new RegExp(`#role-${learner.id}$`))
        expect(await hearing.focus()).toContain(t('members.roleOf', { name: learner.displayName }))

        await page.getByRole('button', { name: t('members.add.open') }).press('Enter')
        await page.locator('summary', { hasText: t('members.list.title') }).press('Enter')
        await page.locator('#list').fill('nobody')
        await page.getByRole('button', { name: t('members.list.button') }).press('Enter')
        await expect(page).toHaveTitle(`${t('layout.errorTitle', { title: t('members.title') })} · Handup`)
        expect(await hearing.focus()).toContain(t('members.report.title'))
      })
    }

    test('the desk: an answer is endorsed where the focus is, which nothing moves', async ({ as, db }) => {
      const { asker, question, course } = await aThread(db)
      const waits = await aQuestion(db, { course, author: asker })
      const page = await as(await aMember(db, course, 'assistant'), { isChanged: true })
      const hearing = await hear(page)
      const isListening = page.waitForResponse(/\/desk\/live/)
      await page.goto(`/courses/${course.slug}/desk?view=all&question=${question.id}`)
      await isListening
      await expect(page).toHaveTitle(
        new RegExp(`^${question.title.replace(/[?.]/g, '\\$&')} · ${t('desk.view.all')} · `),
      )
      await expect(page.locator('[data-key="t"]')).toHaveAttribute('aria-keyshortcuts', 't')

      // The key of an answer does nothing where no answer has the focus.
      await page.keyboard.press('e')
      const [first, second] = [page.locator('.answer').first(), page.locator('.answer').last()]
      await second.focus()
      await page.keyboard.press('e')
      await expect(second.getByText(t('answers.unendorse'))).toBeVisible()
      await expect(first.getByText(t('answers.unendorse'))).toHaveCount(0)

      // A question that comes rebuilds the queue around the link that has the focus.
      const row = page.locator('.desk-row a', { hasText: waits.title })
      await row.focus()
      await hearing.forget()
      await aQuestion(db, { course, author: asker })
      await expectSaid(hearing, t('desk.more', { count: 1 }))
      expect(await hearing.focus()).toBe(`link ${waits.title}`)

      await row.press('Enter')
      await expect(page).toHaveTitle(new RegExp(`^${waits.title.replace(/[?.]/g, '\\$&')}`))
      await page.keyboard.press('a')
      expect(await hearing.focus()).toContain(t('answers.form.label'))
      await hearing.forget()
      await anAnswer(db, { question: waits, body: 'Somebody was faster.' })
      await expectSaid(hearing, t('desk.answered'))
      expect(await hearing.focus()).toContain(t('answers.form.label'))
      expectBrief(await hearing.said())
    })
  })
}

test('a thread is read by its headings', async ({ as, db }) => {
  const t = translatorOf('en')
  const { asker, jun, question, mara } = await aThread(db)
  const page = await as(await aPerson(db))
  await page.goto(questionPath(question))
  const headings = await page.getByRole('main').getByRole('heading').allTextContents()
  expect(headings.slice(0, 7).map((heading) => heading.trim())).toEqual([
    question.title,
    t('questions.text'),
    t('answers.count', { count: 2 }),
    `Answer by ${mara.displayName}, instructor`,
    `Reply by ${asker.displayName}`,
    `Answer by ${jun.displayName}`,
    t('answers.form.label'),
  ])
  await expect(page.locator('.answer .byline a:has(time)').first()).toHaveAccessibleName(
    /^\d{1,2} \w+ \d{4}, \d\d:\d\d, (?:[\w ]+ time|UTC)$/,
  )
})

test('charts keep edges of bars and cells in forced colours and with more contrast', async ({ as, db }) => {
  const { course, instructor } = await anAskedCourse(db)
  const page = await as(instructor, { isChanged: true })
  await page.goto(`/courses/${course.slug}/figures?from=${ASKED_WEEKS.from}&to=${ASKED_WEEKS.to}`)
  const look = () =>
    page.evaluate(() => {
      const styleOf = (selector: string) => {
        const element = document.querySelector(selector)
        return element === null ? null : getComputedStyle(element)
      }
      const [cell, bar, tab] = ['rect.heat-0', '.bar', 'a[aria-current]'].map(styleOf)
      return [cell?.stroke, bar?.outlineStyle, tab?.textDecorationLine]
    })
  const [edge, ...others] = await look()
  expect(others).toEqual(['none', 'none'])
  for (const media of [{ forcedColors: 'active' }, { forcedColors: 'none', contrast: 'more' }] as const) {
    await page.emulateMedia(media)
    const [edgeNow, ...othersNow] = await look()
    expect(edgeNow, JSON.stringify(media)).not.toBe(edge)
    expect(othersNow, JSON.stringify(media)).toEqual(['solid', 'underline'])
  }
})

test('in forced colours one sees what is chosen', async ({ as, db }) => {
  const { jun, question } = await aThread(db)
  const page = await as(jun, { isChanged: true, viewport: NARROW })
  await page.emulateMedia({ forcedColors: 'active' })
  await page.goto(`${questionPath(question)}?answers=newest`)
  const style = (selector: string, name: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element, property) => getComputedStyle(element).getPropertyValue(property), name)
  await page.locator('#answer').scrollIntoViewIfNeeded()
  await expect(page.locator('.answer-form [data-write]')).toBeVisible()
  const [write, preview] = await Promise.all(
    ['[data-write]', '[data-preview]'].map((one) => style(`.answer-form ${one}`, 'border-block-end-color')),
  )
  expect(write).not.toBe(preview)
  expect(await style('.section-head a[aria-current]', 'text-decoration-line')).toBe('underline')
})

/** A question with an answer of the instructor, which has a reply, and one of a learner. */
async function aThread(db: Database) {
  const course = await aCourse(db)
  const [asker, jun] = [await aMember(db, course), await aMember(db, course)]
  const mara = await aMember(db, course, 'instructor')
  const question = await aQuestion(db, { course, author: asker })
  const answer = await anAnswer(db, { question, author: mara, votes: 1 })
  await aReply(db, { answer, author: asker })
  await anAnswer(db, { question, author: jun })
  return { course, asker, jun, mara, question }
}

/** Waits until a live region said it. */
function expectSaid(hearing: Hearing, text: string): Promise<void> {
  return expect.poll(() => hearing.said()).toContain(text)
}

/** The longest text of a live region: listeners can't skim it. */
function expectBrief(said: readonly string[]): void {
  expect(said.filter((text) => text.length > 150)).toEqual([])
}

async function pastePicture(field: Locator): Promise<void> {
  const bytes = [...(await picture())]
  await field.evaluate((area, content) => {
    const clipboardData = new DataTransfer()
    clipboardData.items.add(new File([new Uint8Array(content)], 'a.png', { type: 'image/png' }))
    area.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, bytes)
}
