import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { ASKED_TIME_ZONE, ASKED_WEEKS, anAskedCourse } from '../../testing/asked-course.ts'
import { atEnd } from '../../testing/at-end.ts'
import { anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { addressOf, testDatabase, testDatabaseWithUrl } from '../../testing/database.ts'
import { complaints, explained } from '../../testing/plans.ts'
import { recordReads } from '../../testing/statements.ts'
import { loadForum } from '../../tools/generate/load.ts'
import { ChangeFeed } from '../../web/change-feed/change-feed.ts'
import { addMember } from '../courses/commands.ts'
import { CachedFigures } from './cached-figures.ts'
import { askedQuestions, askedWords, beginningsOf, lecturesOf, staffOf, weeksOfQuestions } from './queries.ts'
import { mondaysOf, weeksBetween } from './weeks.ts'

const WEEKS = weeksBetween(ASKED_WEEKS.from, ASKED_WEEKS.to)

test('kept figures are those that are counted afresh, after each kind of change', async (t) => {
  const db = await testDatabase(t)
  const changes = await aFeed(db, t)
  const asked = await anAskedCourse(db)
  const { course, learners } = asked
  const [author] = learners
  assert.ok(author !== undefined)
  const subject = { id: course.id, timeZone: ASKED_TIME_ZONE }
  const kept = new CachedFigures(db, changes)
  const ids = await db
    .selectFrom('questions')
    .select('id')
    .where('course_id', '=', course.id)
    .orderBy('id')
    .execute()
  const question = (place: number) => ({
    id: ids[place]?.id ?? assert.fail(`no question ${place}`),
    course,
    author,
  })
  const made = (id: number) => ({ id, title: '', courseId: course.id, authorId: author.id })
  const set = (place: number, values: object) =>
    db.updateTable('questions').set(values).where('id', '=', question(place).id).execute()
  const writtenAt = new Date('2026-09-16T01:00:00Z')
  const steps: Record<string, () => Promise<unknown>> = {
    nothing: async () => {},
    'an answer in an old week': () =>
      anAnswer(db, { question: made(question(4).id), author: learners[3] ?? author, writtenAt }),
    'that is deleted': () =>
      db
        .updateTable('answers')
        .set({ deleted_at: writtenAt })
        .where('question_id', '=', question(4).id)
        .execute(),
    'a new question': () => aQuestion(db, { course, author, writtenAt, title: 'Which verb fits here?' }),
    'five in a week that was empty': async () => {
      for (const one of learners.slice(0, 5))
        await aQuestion(db, { course, author: one, writtenAt: new Date('2026-09-30T03:00:00Z') })
    },
    'a deleted question': () => set(5, { deleted_at: writtenAt }),
    'for staff alone': () => set(6, { audience: 'staff' }),
    resolved: () => set(7, { status: 'resolved', resolved_at: writtenAt }),
    'about another lecture': () => set(8, { lecture_id: course.lectureIds[2] ?? null }),
    'other words': () => set(9, { title: 'What is a quagga, and which verb feeds it?' }),
    'moved to another week': () => set(10, { written_at: new Date('2026-09-17T01:00:00Z') }),
    'gone with its row': () => db.deleteFrom('questions').where('id', '=', question(11).id).execute(),
    'a learner who is staff from now on': () =>
      db.transaction().execute((write) => addMember(write, course.id, author.id, 'assistant')),
    'an admin': () =>
      db
        .updateTable('people')
        .set({ is_admin: true })
        .where('id', '=', learners[1]?.id ?? 0)
        .execute(),
    'a lecture that is removed': () =>
      db
        .deleteFrom('lectures')
        .where('id', '=', course.lectureIds[0] ?? 0)
        .execute(),
  }
  for (const [name, step] of Object.entries(steps)) {
    await step()
    await changes.caughtUp()
    const afresh = await new CachedFigures(db, null).of(subject, WEEKS)
    assert.deepEqual(await kept.of(subject, WEEKS), afresh, name)
    const part = weeksBetween('2026-09-14', '2026-09-20')
    assert.deepEqual(await kept.of(subject, part), await new CachedFigures(db, null).of(subject, part), name)
    const elsewhere = { ...subject, timeZone: 'America/New_York' }
    assert.deepEqual(
      await kept.of(elsewhere, WEEKS),
      await new CachedFigures(db, null).of(elsewhere, WEEKS),
      name,
    )
  }
})

test('many who look while things change see each change', async (t) => {
  const db = await testDatabase(t)
  const changes = await aFeed(db, t)
  const { course, learners } = await anAskedCourse(db)
  const subject = { id: course.id, timeZone: ASKED_TIME_ZONE }
  const kept = new CachedFigures(db, changes)
  for (let number = 0; number < 6; number += 1) {
    const looks = [kept.of(subject, WEEKS), kept.of(subject, weeksBetween('2026-09-14', '2026-10-04'))]
    const author = learners[number] ?? (await aPerson(db))
    await aQuestion(db, { course, author, writtenAt: new Date('2026-09-16T01:00:00Z') })
    await changes.caughtUp()
    looks.push(kept.of(subject, WEEKS))
    await Promise.all(looks)
    assert.deepEqual(await kept.of(subject, WEEKS), await new CachedFigures(db, null).of(subject, WEEKS))
  }
})

test('after a change one week is counted, however long the range', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  await loadForum(url, { questions: 3000, seed: 3, course: 'long' }, { begin() {}, advance() {} })
  const changes = await aFeed(db, t)
  const subject = {
    ...(await db.selectFrom('courses').select('id').executeTakeFirstOrThrow()),
    timeZone: 'Asia/Seoul',
  }
  const { rows } = await sql<{ id: number; author_id: number }>`
    select id, author_id from questions where id % 1500 = 0 order by id limit 1`.execute(db)
  const [question] = rows
  assert.ok(question !== undefined)
  const kept = new CachedFigures(db, changes)
  const years = weeksBetween('2019-01-01', '2026-10-31')
  await kept.of(subject, years)
  await anAnswer(db, {
    question: { id: question.id, title: '', courseId: subject.id, authorId: question.author_id },
  })
  await changes.caughtUp()
  const reads = recordReads(t)
  await kept.of(subject, years)
  const counted = reads.rows.flatMap((row) => JSON.parse(row) as object[]).filter((row) => 'isDayOld' in row)
  assert.ok(counted.length > 0 && counted.length < 60, `${counted.length} questions were read`)
  t.mock.restoreAll()

  const month = mondaysOf(weeksBetween('2024-03-04', '2024-03-31'))
  const plans = await explained(url, async (recorded) => {
    const staff = await staffOf(recorded, subject.id)
    const read = await askedQuestions(recorded, subject, staff, month)
    await askedWords(recorded, subject, month)
    await weeksOfQuestions(
      recorded,
      subject,
      read.map(({ id }) => id),
    )
    await lecturesOf(recorded, subject.id)
    await beginningsOf(recorded, subject)
  })
  // Of 3,000 questions and 7,500 answers.
  assert.deepEqual(
    plans.flatMap((plan) => complaints(plan, 1000)),
    [],
  )
})

async function aFeed(db: Database, t: Parameters<typeof atEnd>[0]): Promise<ChangeFeed> {
  const changes = new ChangeFeed(addressOf(db))
  await changes.open()
  atEnd(t, () => changes.close())
  return changes
}
