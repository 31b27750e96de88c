import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { mailDue } from '../../forum/mailing/notifier.ts'
import { aCourse, aMember, anAnswer, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { columnsOf } from '../../testing/rows.ts'
import { Expected } from './expected.ts'
import { toldReport } from './told-report.ts'

const FAILS = { error: () => assert.fail('a mail could not be written') }
const MAILING = {
  ...{ baseUrl: 'https://forum.example', secret: 'x'.repeat(32), soonSeconds: 0 },
  ...{ isSent: false, replyAddress: null },
}

test('what is missing, told twice or told to somebody else is a difference', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  const [asker, helper] = [await aMember(db, course), await aMember(db, course)]
  const people = [asker, helper].map(({ id }) => {
    const listener = { id, rhythm: 'soon' as const, offsetHours: 0, off: new Set<never>() }
    return [id, listener] as const
  })
  const nobody = { staffIds: [], courseFollowers: [], lectureFollowers: new Map() }
  const expected = new Expected({ people: new Map(people), ...nobody })
  const question = await aQuestion(db, { course, author: asker })
  expected.asked(question.id, asker.id, null, 0)
  const answer = await anAnswer(db, { question, author: helper })
  expected.answered(question.id, answer.id, helper.id, 1)
  expected.mail(Date.now())
  await mailDue(db, FAILS, MAILING)

  const differences = async () => (await toldReport(db, expected, MAILING.baseUrl)).differences
  const { counts } = await toldReport(db, expected, MAILING.baseUrl)
  assert.deepEqual(columnsOf(counts, 'found', 'expected'), [
    [1, 1],
    [1, 1],
    [1, 1],
  ])
  assert.deepEqual(await differences(), [])
  const mail = `mail to person ${asker.id}: ${question.id}#answer-${answer.id}`
  await sql`insert into mails (kind, recipient, person_id, language, subject, text, html)
    select kind, recipient, person_id, language, subject, text, html from mails`.execute(db)
  assert.deepEqual(await differences(), [`told, but not expected: ${mail}`])
  await db.deleteFrom('mails').execute()
  assert.deepEqual(await differences(), [`expected, but not told: ${mail}`])
  await sql`update notifications set person_id = ${helper.id}`.execute(db)
  const entry = (id: number) => `person ${id}, question ${question.id}: answered, 1 times, unseen`
  assert.deepEqual(await differences(), [
    `told, but not expected: ${entry(helper.id)}`,
    `expected, but not told: ${entry(asker.id)}`,
    `expected, but not told: ${mail}`,
  ])
})
