import type { Page } from 'playwright/test'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aMember, anAnswer, aQuestion } from '../src/testing/builders.ts'
import { questionPath } from '../src/web/paths.ts'
import { expect, test } from './forum.ts'
import { buttonOf } from './hands.ts'
import { type Hearing, hear } from './hearing.ts'
import { lookFor } from './search-box.ts'

// Fifteen jobs, with heard.spec.ts: a learner asks (there), searches, reads (there), follows, votes, answers, replies, edits, deletes, accepts and is
// notified; an assistant takes a question, answers it and endorses an answer; an instructor moves a lecture, and changes a role (there).

interface Heard {
  readonly page: Page
  readonly hearing: Hearing
  readonly scripts: boolean
  /** Announcements while a post is being sent. */
  readonly posting: string
}

// Without scripts in one language: no script has words of its own then.
for (const [language, locale, javaScriptEnabled] of [
  ['en', 'en-GB', true],
  ['ko', 'ko-KR', true],
  ['ko', 'ko-KR', false],
] as const) {
  const [t, scripts] = [translatorOf(language), javaScriptEnabled]
  test.describe(`${language}, scripts ${scripts ? 'on' : 'off'}`, () => {
    test.use({ locale })

    test('a learner searches, follows, votes, answers, replies, edits and deletes', async ({ as, db }) => {
      const course = await aCourse(db)
      const [asker, learner] = [await aMember(db, course), await aMember(db, course)]
      const title = `Parsing ISO ${Date.now()} dates`
      const question = await aQuestion(db, { course, author: asker, title })
      const known = await anAnswer(db, { question, author: await aMember(db, course, 'instructor') })
      const page = await as(learner, { isChanged: true, javaScriptEnabled })
      const hearing = await hear(page)
      const heard = { page, hearing, scripts, posting: t('forms.posting') }
      const main = page.getByRole('main')

      await test.step('searches', async () => {
        await page.goto('/')
        await lookFor(page, title)
        await expect(page).toHaveTitle(new RegExp(`^${t('search.titleFor', { query: title })} · `))
        await main.getByRole('link', { name: title }).first().press('Enter')
        await page.waitForURL(new RegExp(questionPath(question)))
        await expect(page).toHaveTitle(`${title} · Handup`)
      })

      await test.step('follows', async () => {
        await main.getByRole('button', { name: t('follows.follow'), exact: true }).press('Enter')
        await expectTold(heard, t('follows.flash.follow'))
      })

      await test.step('votes', async () => {
        await page.locator(`#answer-${known.id} button.vote`).press('Enter')
        await expectTold(heard, t('votes.flash.cast'))
      })

      const own = page.locator('.answer', { hasText: 'By a formatter' })
      await test.step('answers', async () => {
        await page.locator('#answer').fill('By a formatter.')
        await page.getByRole('button', { name: t('answers.form.post') }).press('Enter')
        await expectTold(heard, t('answers.flash.posted'))
        await expect(own).toHaveCount(1)
      })

      await test.step('replies', async () => {
        await own.locator('.reply-details > summary').press('Enter')
        if (scripts) expect(await hearing.focus()).toContain(t('replies.label.ownAnswer'))
        await own.locator('textarea').fill('Of java.time.')
        await own.getByRole('button', { name: t('replies.post') }).press('Enter')
        await expectTold(heard, t('replies.flash.posted'))
      })

      await test.step('edits', async () => {
        const edit = own.getByRole('link', { name: t('posts.edit') }).first()
        await edit.press('Enter')
        await expect(page).toHaveTitle(`${t('answers.edit.title')} · ${title} · Handup`)
        await page.locator('#body').fill('By a formatter of java.time.')
        await page.getByRole('button', { name: t('posts.save') }).press('Enter')
        await expectTold(heard, t('answers.flash.edited'))
      })

      await test.step('deletes, and has it back', async () => {
        await own.locator('.menu > summary').first().press('Enter')
        await buttonOf(own, t('posts.deleteYes')).first().press('Enter')
        await expectTold(heard, t('answers.flash.deleted'))
        await page.getByRole('button', { name: t('posts.undo') }).press('Enter')
        await expectTold(heard, t('answers.flash.restored'))
      })
    })

    test('an asker is notified and accepts; an assistant takes, answers and endorses', async ({ as, db }) => {
      const course = await aCourse(db)
      const [asker, learner] = [await aMember(db, course), await aMember(db, course)]
      const assistant = await aMember(db, course, 'assistant')
      const question = await aQuestion(db, { course, author: asker })
      await anAnswer(db, { question, author: learner })
      const other = await aQuestion(db, { course, author: asker })
      const open = { isChanged: true, javaScriptEnabled }

      const page = await as(asker, open)
      const heard = { page, hearing: await hear(page), scripts, posting: t('forms.posting') }
      await test.step('is notified', async () => {
        await page.goto('/notifications')
        const row = page.locator('.news-row')
        const link = row.getByRole('link')
        const told = t('notifications.told.answered', { others: 0 })
        const name = `${learner.displayName} ${told} ${question.title}`
        await expect(link).toHaveAccessibleName(`${t('notifications.unread')} ${name}`)
        // Without scripts nothing marks it as read but its button, which leads there as well.
        const read = row.getByRole('button', { name: t('notifications.read') })
        await (scripts ? link : read).press('Enter')
        await page.waitForURL(/#answer-/)
        await expect.poll(() => heard.hearing.focus()).toMatch(/^article /)
        await heard.hearing.forget()
      })

      await test.step('accepts', async () => {
        await page.getByRole('button', { name: t('answers.accept') }).press('Enter')
        await expectTold(heard, t('answers.flash.accepted'))
      })

      const desk = await as(assistant, open)
      const staff = { page: desk, hearing: await hear(desk), scripts, posting: t('forms.posting') }
      await test.step('takes a question', async () => {
        await desk.goto(`/courses/${course.slug}/desk?view=all&question=${other.id}`)
        await desk.getByRole('button', { name: t('desk.take') }).press('Enter')
        await expectTold(staff, t('desk.flash.taken'))
        await expect(desk.locator('#open')).toContainText(t('desk.takenByYou'))
      })

      await test.step('answers it', async () => {
        await desk.locator('#answer').fill('Like this.')
        await desk.getByRole('button', { name: t('desk.answerStay'), exact: true }).press('Enter')
        await expectTold(staff, t('desk.flash.answer'))
      })

      await test.step('endorses an answer', async () => {
        await desk.goto(`/courses/${course.slug}/desk?view=all&question=${question.id}`)
        await desk
          .locator('.answer')
          .getByRole('button', { name: t('answers.endorse') })
          .press('Enter')
        await expectTold(staff, t('answers.flash.endorsed'))
      })
    })
  })
}

/** Expects an act to be told once: by a live region, or by the message that has the focus; and the focus on something. */
async function expectTold({ page, hearing, scripts, posting }: Heard, text: string): Promise<void> {
  const told = async () => {
    const focus = await hearing.focus()
    const said = (await hearing.said()).filter((one) => one !== posting)
    return [...said, ...(focus.startsWith('status ') ? [focus.slice('status '.length)] : [])]
  }
  if (scripts) await expect.poll(told).toEqual([text])
  else await expect(page.locator('[data-flash]')).toHaveText(text)
  await expect.poll(() => hearing.focus()).not.toMatch(/^RootWebArea/)
  await hearing.forget()
}
