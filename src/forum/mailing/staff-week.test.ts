import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import { testApp } from '../../testing/app.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { rowsOf, setRows } from '../../testing/rows.ts'
import { weekKind } from './staff-week.ts'
import { MAILING } from './testing.ts'

async function mondayComes(db: Database) {
  await doJobs(db, weekKind(db, MAILING))
  const before = (await mailsOf(db)).length
  await setRows(db, 'staff_weeks', {}, { next_at: sql`now()` })
  await doJobs(db, weekKind(db, MAILING))
  return (await mailsOf(db)).length - before
}

const mailsOf = (db: Database) => rowsOf(db, 'mails', { kind: 'week' })

/** Questions of last week, each by another learner and answered by staff after half an hour. */
async function aWeek(t: Parameters<typeof testDatabase>[0], questions: number) {
  const db = await testDatabase(t)
  const course = await aCourse(db, { title: 'REST' })
  const staff = await aMember(db, course, 'assistant', await aPerson(db, { timeZone: 'Asia/Seoul' }))
  for (let count = 0; count < questions; count += 1) {
    const question = await aQuestion(db, { course, author: await aMember(db, course) })
    await anAnswer(db, { question, author: staff })
  }
  for (const table of ['questions', 'answers'] as const)
    await sql`update ${sql.table(table)} set written_at = date_trunc('week', now()) - interval '3 days'
      ${sql.raw(table === 'answers' ? `+ interval '30 minutes'` : '')}`.execute(db)
  return { db, course, staff }
}

suite('the weekly email to staff', () => {
  test('has the three figures of each course one is staff of, once a week, on Monday at eight where they are', async (t) => {
    const { db, course, staff } = await aWeek(t, 5)
    for (let count = 0; count < 5; count += 1)
      await aQuestion(db, { course, author: await aMember(db, course) })
    assert.equal(await mondayComes(db), 1)
    const [mail] = await mailsOf(db)
    assert.equal(mail?.recipient, staff.email)
    const figures = ['Waiting now: 5', 'Half answered by staff within: 30 min', 'Answered within a day: 100%']
    for (const part of ['# REST', ...figures]) assert.ok(mail.text.includes(part), `${part} in ${mail.text}`)
    assert.match(mail.html, /<strong>30 min<\/strong>/)
    assert.equal(mail.headers['List-Unsubscribe-Post'], 'List-Unsubscribe=One-Click')
    assert.equal(await doJobs(db, weekKind(db, MAILING)), 0, 'not before the next Monday')
    const { rows } = await sql<{ at: string; days: number }>`
      select to_char(next_at at time zone 'Asia/Seoul', 'Dy HH24:MI') as at, (next_at::date - now()::date) as days
      from staff_weeks where person_id = ${staff.id}`.execute(db)
    assert.equal(rows[0]?.at, 'Mon 08:00')
    assert.ok((rows[0]?.days ?? 0) >= 3, 'at most weekly')
  })

  test('counts what waits exactly, and shows no time of fewer than five people', async (t) => {
    const { db, course } = await aWeek(t, 4)
    await aQuestion(db, { course, author: await aMember(db, course) })
    await mondayComes(db)
    const [mail] = await mailsOf(db)
    assert.match(mail?.text ?? '', /Waiting now: 1\n/)
    assert.match(mail?.text ?? '', /Answered within a day: 100%/)
    assert.match(mail?.text ?? '', /isn’t shown for fewer than five people/)
    assert.doesNotMatch(mail?.text ?? '', /\d min/)
  })

  test('says the time of twelve weeks where fewer than five people asked last week', async (t) => {
    const { db, course, staff } = await aWeek(t, 4)
    const before = Date.now() - 30 * 86_400_000
    for (let count = 0; count < 5; count += 1) {
      const question = await aQuestion(db, { course, writtenAt: new Date(before) })
      await anAnswer(db, { question, author: staff, writtenAt: new Date(before + 3_600_000) })
    }
    await mondayComes(db)
    const [mail] = await mailsOf(db)
    assert.match(mail?.text ?? '', /Half answered by staff within, last 12 weeks: 1 h/)
  })

  test('goes to nobody who is no staff, wants none, or ended it by the link in it', async (t) => {
    const { db, course, staff } = await aWeek(t, 5)
    const app = await testApp(t, db)
    const other = await aMember(db, course, 'instructor')
    await (await signedIn(app, other)).post('/settings/notifications', { kinds: 1, kind_reply: 1 })
    assert.equal(await mondayComes(db), 1)
    const [mail] = await mailsOf(db)
    assert.equal(mail?.person_id, staff.id)
    const path = /\/unsubscribe\/[\w.-]+/.exec(mail?.text ?? '')?.[0] ?? ''
    const guest = visitor(app)
    assert.match((await guest.get(path)).body, /weekly email/)
    const ended = await app.inject({ method: 'POST', url: path })
    assert.equal(ended.statusCode, 200)
    assert.equal(await mondayComes(db), 0)
    const page = (await (await signedIn(app, staff)).get('/settings/notifications')).body
    assert.doesNotMatch(page, /name="kind_week" value="1" checked/)
    assert.match(page, /name="kind_question" value="1" checked/)
  })
})
