import { sql } from 'kysely'
import type { Database, Language } from '../src/database/schema.ts'
import { announce } from '../src/forum/announcements/announcement.ts'
import { setAcceptance } from '../src/forum/answers/acceptance.ts'
import { setEndorsement } from '../src/forum/answers/endorsement.ts'
import { setFollowing } from '../src/forum/follows/following.ts'
import { notifyOfMentions, setMentions } from '../src/forum/telling/mentions.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import {
  aCourse,
  aMember,
  anAnswer,
  aPerson,
  aQuestion,
  aReply,
  type MadePerson,
} from '../src/testing/builders.ts'
import { setPromise } from '../src/testing/courses.ts'
import { passTime } from '../src/testing/pass-time.ts'
import { aText } from '../src/testing/posts.ts'
import { rowsOf, setRows } from '../src/testing/rows.ts'
import { within } from '../src/testing/within.ts'
import { expect, test } from './forum.ts'
import { expectSound } from './inspection.ts'

/** Something of each kind that is told, for one person, who is staff of one course. @returns what a mail of it says */
async function everything(db: Database, reader: MadePerson, language: Language): Promise<string[]> {
  const t = translatorOf(language)
  const [course, taught] = [await aCourse(db), await aCourse(db)]
  await aMember(db, course, 'learner', reader)
  await aMember(db, taught, 'assistant', reader)
  const mara = await aMember(db, course, 'instructor', await aPerson(db, { displayName: 'Mara' }))
  const by = { author: mara }
  const own = await aQuestion(db, { course, author: reader })
  await anAnswer(db, {
    ...by,
    question: own,
    body: 'Leave the **door** open.\n\n    GET /a/very/long/address/that/fits/on/no/phone/at/all',
  })
  await aReply(db, { ...by, question: own, body: 'Which *door*?' })
  for (const honour of ['accepted', 'endorsed'] as const) {
    const answer = await anAnswer(db, { question: await aQuestion(db, { course }), author: reader })
    if (honour === 'accepted') await within(db, setAcceptance, answer.question.id, answer.id, true, mara.id)
    else await within(db, setEndorsement, answer.question.id, answer.id, mara.id)
  }
  const followed = await anAnswer(db, { ...by, body: '> A `quote`\n\n| a | b |\n|---|---|\n| 1 | 2 |' })
  await within(db, setFollowing, followed.question.id, reader.id, 'follow')
  await aReply(db, { ...by, answer: followed, body: 'News in what one follows.' })
  const mentioning = await anAnswer(db, { ...by, body: 'A mention.' })
  await aQuestion(db, { ...by, course: taught, body: 'A new question.' })
  await db.transaction().execute(async (write) => {
    await announce(write, {
      ...{ courseId: course.id, authorId: mara.id, correctsId: null },
      ...{ title: 'The exam moves', body: await aText('To the **blue hall**.') },
    })
    const post = { questionId: mentioning.question.id, answerId: mentioning.id }
    await sql`update answers set edited_at = now() where id = ${mentioning.id}`.execute(write)
    await notifyOfMentions(write, post, mara.id, await setMentions(write, post, [reader.id]))
  })
  await setPromise(db, taught.id, 1)
  const waiting = await aQuestion(db, { course: taught })
  const old = sql<Date>`now() - interval '2 hours'`
  await setRows(db, 'questions', waiting.id, { written_at: old, active_at: old })
  const name = 'Mara'
  return [
    ...(['answer', 'reply', 'question', 'mention', 'announcement'] as const).map((kind) =>
      t(`mailing.wrote.${kind}`, { name }),
    ),
    ...(['accepted', 'endorsed', 'promise'] as const).map((said) => t(`mailing.${said}`)),
  ]
}

for (const language of ['en', 'ko'] as const)
  test(`each kind of mail can be read on a phone, its links lead there: ${language}`, async ({ as, db }) => {
    test.setTimeout(120_000)
    const reader = await aPerson(db, { language })
    const parts = await everything(db, reader, language)
    const promises = () => rowsOf(db, 'notifications', { person_id: reader.id, reason: 'promise' })
    await expect.poll(promises, { timeout: 20_000 }).not.toEqual([])
    // Their windows are over, and it is Monday.
    await passTime(db, '1 hour', [reader])
    await sql`insert into staff_weeks (person_id, next_at) values (${reader.id}, now())
      on conflict (person_id) do update set next_at = now()`.execute(db)
    const mails = () => rowsOf(db, 'mails', { person_id: reader.id })
    await expect.poll(async () => (await mails()).length, { timeout: 20_000 }).toBe(2)
    const [news, week] = (await mails()).toSorted((one, other) => one.kind.localeCompare(other.kind))
    if (news === undefined || week === undefined) throw new Error('there are two')
    for (const part of parts) {
      expect(news.text).toContain(part)
      expect(news.html).toContain(part)
    }
    const t = translatorOf(language)
    expect(week.text).toContain(t('figures.summary.waiting'))
    expect(week.html).toContain(t('figures.summary.waiting'))

    const page = await as(reader, { viewport: { width: 390, height: 844 } })
    for (const { html } of [news, week]) {
      // A mail is shown under no policy of the forum's.
      await page.goto('about:blank')
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.setContent(html)
        await expectSound(page)
      }
      const links = new Set(
        await page.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? '')),
      )
      expect(links.size).toBeGreaterThan(2)
      for (const link of links) {
        const { pathname, hash } = new URL(link)
        const answer = await page.goto(`${pathname}${hash}`)
        // null: another place of the page that is open.
        expect(answer?.status() ?? 200, link).toBe(200)
        if (hash !== '') await expect(page.locator(hash)).toBeVisible()
      }
    }
  })
