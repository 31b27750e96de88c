import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { recount } from '../../database/recount.ts'
import type { Database } from '../../database/schema.ts'
import {
  aCourse,
  aMember,
  anAnswer,
  aPerson,
  aQuestion,
  aReply,
  type MadeAnswer,
} from '../../testing/builders.ts'
import { setPromise } from '../../testing/courses.ts'
import { testDatabase } from '../../testing/database.ts'
import {
  aText,
  deleteAnswer,
  deleteQuestion,
  deleteReply,
  restoreAnswer,
  restoreQuestion,
} from '../../testing/posts.ts'
import { rowOf, setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { settle } from '../../tools/simulate/settle.ts'
import { setEndorsement } from '../answers/endorsement.ts'
import { archiveCourse } from '../course-settings/operations.ts'
import { addMember } from '../courses/commands.ts'
import { waitingCount } from '../courses/course-bar.ts'
import { removeMember } from '../courses/roles.ts'
import { setResolution, undoResolution } from '../posts/resolution.ts'
import { editText } from '../posts/text.ts'
import { sayDone } from './done.ts'
import { setDuplicate } from './duplicates.ts'
import { countDesk } from './queries.ts'
import { snoozeQuestion } from './snooze.ts'

const HOUR_MS = 3_600_000

/** A row of the table in docs/instructor.md. */
interface Case {
  readonly steps: readonly string[]
  readonly turn: string
  /** The number of a step; null: it does not wait. */
  readonly since: number | null
}

function casesOf(page: string): Case[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('| asker asks'))
    .map((line) => {
      const [, steps = '', turn = '', since = ''] = line.split('|').map((cell) => cell.trim())
      return { steps: steps.split('; '), turn, since: since === '' ? null : Number(since) }
    })
}

/** A course of its own with a question, and what can be done there. */
async function aThread(db: Database) {
  const course = await aCourse(db)
  const staff = await aMember(db, course, 'assistant')
  const [asker, classmate] = [await aPerson(db), await aPerson(db)]
  const original = await aQuestion(db, { course, author: classmate })
  await within(db, setResolution, original.id, 'resolved')
  const question = await aQuestion(db, { course, author: asker })
  const { id } = question
  const answers: MadeAnswer[] = []
  const answerBy = async (author: { id: number }) => {
    const answer = await anAnswer(db, { question, author })
    answers.push(answer)
    return answer
  }
  const acts: Readonly<Record<string, () => Promise<unknown>>> = {
    'asker asks': async () => {},
    'asker replies': () => aReply(db, { question, author: asker }),
    'asker calls staff': () => aReply(db, { question, author: asker, body: 'What now, @staff?' }),
    'asker resolves': () => within(db, setResolution, id, 'resolved'),
    'asker reopens': () => within(db, setResolution, id, 'unresolved'),
    'classmate answers': () => answerBy(classmate),
    'classmate replies': () => aReply(db, { question, author: classmate }),
    'classmate calls staff': () => aReply(db, { question, author: classmate, body: 'Is that so, @staff?' }),
    'classmate becomes an assistant': () => within(db, addMember, course.id, classmate.id, 'assistant'),
    'classmate replies below the staff answer': () =>
      aReply(db, { answer: answers[0] ?? assert.fail(), author: classmate }),
    'staff answer': () => answerBy(staff),
    'staff answer is deleted': () => within(db, deleteAnswer, id, answers[0]?.id ?? 0),
    'staff reply': () => aReply(db, { question, author: staff }),
    'staff call staff': () => aReply(db, { question, author: staff, body: 'Ask @staff in the lab.' }),
    "staff endorse a classmate's answer": async () =>
      within(db, setEndorsement, id, (await answerBy(classmate)).id, staff.id),
    'staff press No reply needed': () => within(db, sayDone, id, staff.id),
    'staff undo No reply needed': () => within(db, sayDone, id, null),
    'staff press Resolve': () => within(db, setResolution, id, 'resolved'),
    'staff undo Resolve': () => within(db, undoResolution, id),
    'staff snooze it': () => within(db, snoozeQuestion, id, { day: '2999-01-01', timeZone: 'UTC' }),
    'staff link a duplicate': () =>
      within(db, setDuplicate, { questionId: id, originalId: original.id, actorId: staff.id }),
    'staff unlink the duplicate': () =>
      within(db, setDuplicate, { questionId: id, originalId: null, actorId: staff.id }),
    'question is deleted': () => within(db, deleteQuestion, id),
    'question is restored': () => within(db, restoreQuestion, id),
    'question came by an import': () =>
      sql`
      with known as (insert into imported_posts (course_id, kind, source_id, question_id)
        values (${course.id}, 'question', 1, ${id}))
      select from questions`
        .execute(db)
        .then(() => sql`select refresh_desks(array[${id}::bigint])`.execute(db)),
    'course is archived': () => within(db, archiveCourse, course.id, true),
    'course is reopened': () => within(db, archiveCourse, course.id, false),
  }
  const turn = async () => {
    const desk = await rowOf(db, 'question_desk', { question_id: id })
    if (desk.waiting_since !== null) return 'waiting'
    return desk.classmates_since === null ? 'none' : 'classmates'
  }
  return { course, question, staff, asker, classmate, turn, acts }
}

/** Plays the steps, an hour after each other, as far in the past as is needed. */
async function play(db: Database, { steps }: Case) {
  const thread = await aThread(db)
  const { id } = thread.question
  const begun = Math.floor(Date.now() / 1000) * 1000 - 100 * HOUR_MS
  const at = (step: number) => new Date(begun + step * HOUR_MS)
  for (const [index, step] of steps.entries()) {
    await (thread.acts[step] ?? assert.fail(`nobody can do this: ${step}`))()
    await settle(db, id, at(index + 1))
    await sql`update question_desk set done_at = ${at(index + 1)} where question_id = ${id} and done_at > ${at(index + 1)}`.execute(
      db,
    )
  }
  return { ...thread, at }
}

/** Where the question is, by what the desk counts in its views. */
async function turnOf(db: Database, courseId: number, viewerId: number): Promise<string> {
  const counts = await countDesk(db, { courseId, lectureId: null, viewerId })
  assert.equal(await waitingCount(db, courseId), counts.waiting, 'the bar counts what the desk shows')
  const turns = {
    waiting: 'staff',
    classmates: 'classmates',
    asker: 'asker',
    snoozed: 'snoozed',
    closed: 'closed',
  } as const
  const found = Object.entries(turns).filter(([view]) => counts[view as keyof typeof turns] > 0)
  assert.ok(found.length < 2, `in several views at once: ${found.map(([view]) => view).join(', ')}`)
  return found[0]?.[1] ?? 'no one'
}

suite('the table of whose turn it is, in docs/instructor.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/instructor.md'), 'utf8')

  test('is what the desk does, row by row', async (t) => {
    const db = await testDatabase(t)
    const cases = casesOf(page)
    assert.ok(cases.length >= 30, `only ${cases.length} rows`)
    for (const row of cases) {
      const { course, question, staff, at } = await play(db, row)
      const what = row.steps.join('; ')
      assert.equal(await turnOf(db, course.id, staff.id), row.turn, what)
      const desk = await rowOf(db, 'question_desk', { question_id: question.id })
      const since = desk.waiting_since ?? desk.classmates_since ?? desk.asker_since ?? desk.replied_since
      if (row.since !== null) assert.deepEqual(since, at(row.since), what)
    }
    assert.deepEqual(await recount(db), [])
  })
})

suite('whose turn a question is', () => {
  test('what is deleted counts no more, nor what stands under it, until it is restored', async (t) => {
    const db = await testDatabase(t)
    const { question, staff, classmate, asker, turn } = await aThread(db)
    const { id } = question
    const reply = await aReply(db, { question, author: staff })
    await within(db, deleteReply, id, reply.id)
    assert.equal(await turn(), 'waiting')
    const answer = await anAnswer(db, { question, author: staff })
    await within(db, deleteAnswer, id, answer.id)
    assert.equal(await turn(), 'waiting')
    await within(db, restoreAnswer, id, answer.id)
    assert.equal(await turn(), 'none')
    await within(db, deleteAnswer, id, answer.id)
    const theirs = await anAnswer(db, { question, author: classmate })
    const { id: asked } = await aReply(db, { answer: theirs, author: asker })
    assert.equal(await turn(), 'waiting')
    await within(db, deleteReply, id, asked)
    assert.equal(await turn(), 'classmates')
    await aReply(db, { answer: theirs, author: staff })
    assert.equal(await turn(), 'none')
    await within(db, deleteAnswer, id, theirs.id)
    assert.equal(await turn(), 'waiting')
  })

  test('@staff makes it wait, in any language, until it is no call any more, which of staff it is not', async (t) => {
    const db = await testDatabase(t)
    const { question, classmate, staff, turn } = await aThread(db)
    await anAnswer(db, { question, author: classmate })
    await aReply(db, { question, author: classmate })
    assert.equal(await turn(), 'classmates', 'a classmate’s reply is no word of the asker')
    const call = await aReply(db, { question, author: classmate, body: 'Is that so, @staff?' })
    await anAnswer(db, { question, author: classmate })
    assert.equal(await turn(), 'waiting', 'a call is for staff')
    const edit = { actorId: classmate.id, body: await aText('Is that so?'), version: 1, isByStaff: false }
    await within(db, editText, 'replies', { id: call.id, questionId: question.id }, edit)
    assert.equal(await turn(), 'classmates', 'it is no call any more')
    await aReply(db, { question, author: classmate, body: '@운영진 도와주세요' })
    assert.equal(await turn(), 'waiting')
    await aReply(db, { question, author: staff, body: 'Ask @staff in the lab.' })
    assert.equal(await turn(), 'none', 'of staff it is no call')
    assert.deepEqual(await recount(db), [])
  })

  test('answers count by what their author is in the course now', async (t) => {
    const db = await testDatabase(t)
    const { course, question, classmate, turn } = await aThread(db)
    await anAnswer(db, { question, author: classmate })
    for (const [role, turns] of [
      ['assistant', 'none'],
      ['learner', 'classmates'],
      ['instructor', 'none'],
    ] as const) {
      await within(db, addMember, course.id, classmate.id, role)
      assert.equal(await turn(), turns, role)
    }
    await within(db, removeMember, course.id, classmate.id)
    assert.equal(await turn(), 'classmates')
    await setRows(db, 'people', classmate.id, { is_admin: true })
    assert.equal(await turn(), 'none', 'admins are staff everywhere')
    assert.deepEqual(await recount(db), [])
  })

  test('a broken promise makes it due until staff answer, or were told', async (t) => {
    const db = await testDatabase(t)
    const { course, question, staff, asker } = await aThread(db)
    const due = async () => (await db.selectFrom('due_questions').select('question_id').execute()).length
    await setRows(db, 'questions', question.id, { written_at: new Date(Date.now() - 25 * 3_600_000) })
    assert.equal(await due(), 0, 'nothing is promised')
    await setPromise(db, course.id, 24)
    assert.equal(await due(), 1)
    await sql`update question_desk set told_due_since = waiting_since`.execute(db)
    assert.equal(await due(), 0)
    const answer = await anAnswer(db, { question, author: staff })
    const reply = await aReply(db, { question, author: asker })
    assert.equal(await due(), 0, 'its turn is new')
    const later = new Date(Date.now() - 24.5 * 3_600_000)
    await setRows(db, 'answers', answer.id, { written_at: new Date(later.getTime() - 1000) })
    await setRows(db, 'replies', reply.id, { written_at: later })
    assert.equal(await due(), 1, 'and broken again')
  })
})
