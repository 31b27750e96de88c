import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { mailDue } from '../../forum/mailing/notifier.ts'
import { setResolution } from '../../forum/posts/resolution.ts'
import { aCourse, aMember, anAnswer, aQuestion, aReply } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { columnsOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { Random } from '../generate/random.ts'
import { Agenda } from './agenda.ts'
import { Expected } from './expected.ts'
import { askTimes, DAY_MS, HOUR_MS, later } from './rhythm.ts'
import { settle } from './settle.ts'
import { toldReport } from './told-report.ts'

test('an agenda gives what is earliest, whenever it was entered, and nothing from the end on', () => {
  const agenda = new Agenda<string>()
  for (const [at, event] of [
    [5, 'c'],
    [1, 'a'],
    [5, 'd'],
    [3, 'b'],
    [9, 'e'],
  ] as const)
    agenda.enter(at, event)
  const taken: (string | undefined)[] = []
  for (let next = agenda.next(9); next !== null; next = agenda.next(9)) {
    taken.push(next.event)
    if (next.event === 'b') agenda.enter(4, 'between')
  }
  assert.deepEqual(taken, ['a', 'b', 'between', 'c', 'd'])
})

test('questions come in the evening and before a deadline, and hardly at night', () => {
  const times = askTimes(new Random(1), 20_000, 8)
  assert.deepEqual(times, askTimes(new Random(1), 20_000, 8))
  assert.deepEqual(
    times,
    times.toSorted((one, other) => one - other),
  )
  const share = (isOne: (hour: number, day: number, week: number) => boolean) =>
    times.filter((at) =>
      isOne((at % DAY_MS) / HOUR_MS, Math.floor(at / DAY_MS) % 7, Math.floor(at / DAY_MS / 7)),
    ).length / times.length
  assert.ok(share((hour) => hour < 6) < 0.05)
  assert.ok(share((hour, day) => day === 6 && hour >= 18) > 2 * share((hour, day) => day === 0 && hour >= 18))
  assert.ok(share((_hour, _day, week) => week === 3) > 1.5 * share((_hour, _day, week) => week === 2))
})

test('nobody acts at night: what would happen then happens in the morning', () => {
  const random = new Random(2)
  for (let count = 0; count < 500; count += 1) {
    const at = later(random, 20 * HOUR_MS, 3 * HOUR_MS)
    assert.ok(at > 20 * HOUR_MS)
    assert.ok((at % DAY_MS) / HOUR_MS >= 7)
  }
})

test('settling moves what was just written to its simulated time, and leaves what was before', async (t) => {
  const db = await testDatabase(t)
  const question = await aQuestion(db)
  const [first, second] = [new Date('2026-03-02T10:00:00Z'), new Date('2026-03-02T11:30:00Z')]
  await settle(db, question.id, first)
  await anAnswer(db, { question })
  await aReply(db, { question, author: { id: question.authorId } })
  await within(db, setResolution, question.id, 'resolved')
  await settle(db, question.id, second)
  const row = await db
    .selectFrom('questions as q')
    .innerJoin('answers as a', 'a.question_id', 'q.id')
    .innerJoin('replies as r', 'r.question_id', 'q.id')
    .select([
      'q.written_at',
      'q.active_at',
      'q.resolved_at',
      'a.written_at as answered_at',
      'r.written_at as replied_at',
    ])
    .executeTakeFirstOrThrow()
  assert.deepEqual(row, {
    written_at: first,
    active_at: second,
    resolved_at: second,
    answered_at: second,
    replied_at: second,
  })
})

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
