import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { act, refuses } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson, aQuestion, type MadeQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { until, untilWaiting } from '../../testing/waiting.ts'
import { begun } from '../cases/testing.ts'
import { questionClosing } from '../desk/closing.ts'
import { questionMove } from '../desk/moving.ts'
import { lockQuestion } from '../posts/lock.ts'
import { BULK_ACTS } from './acts.ts'
import { questionsBulk } from './questions.ts'
import { carryOut, itemsOf } from './record.ts'
import { bulkUndoing } from './report.ts'

const AROUND = { baseUrl: 'http://localhost:3000', careful: null, language: 'en', log: () => {} } as const

suite('what staff do to several questions at once', () => {
  const forum = sharedForum()

  async function aScene() {
    const { db } = forum
    const course = await aCourse(db, { lectures: ['Verbs', 'Codes'] })
    const staff = await aMember(db, course, 'assistant')
    const questions = [
      await aQuestion(db, { course, tags: ['http'] }),
      await aQuestion(db, { course, tags: ['a', 'b', 'c', 'd', 'e'] }),
      await aQuestion(db, { course }),
    ]
    const foreign = await aQuestion(db)
    const browser = await signedIn(forum.app, staff)
    const path = `/courses/${course.slug}/questions/bulk`
    const ids = [...questions, foreign].map(({ id }) => String(id))
    const send = async (fields: Record<string, string>) => {
      const sent = await browser.post(path, { question: ids, ...fields })
      assert.equal(sent.statusCode, 303, textOf(sent.body))
      const report = String(sent.headers.location)
      return { report, said: textOf((await browser.get(report)).body) }
    }
    const undo = async (report: string) => {
      const sent = await browser.post(`${report}/undo`)
      assert.deepEqual([sent.statusCode, sent.headers.location], [303, report])
      return textOf((await browser.get(report)).body)
    }
    const column = async (name: 'lecture_id' | 'closing_reason' | 'deleted_at') => {
      const rows = await Promise.all(questions.map(({ id }) => rowOf(db, 'questions', id)))
      return rows.map((row) => row[name])
    }
    const tagsOf = async ({ id }: MadeQuestion) =>
      (await rowsOf(db, 'question_tags', { question_id: id })).length
    const tagCounts = () => Promise.all(questions.map(tagsOf))
    return { db, course, staff, questions, foreign, browser, path, ids, send, undo, column, tagCounts }
  }

  test('is closing: what was closed for that stays, and an undo brings back what was before', async () => {
    const { db, staff, questions, send, undo, column } = await aScene()
    const [, second, third] = questions
    const closes = ({ id = 0 } = {}, reason: string) => {
      const key = { id, duplicate: '' }
      return act(forum, questionClosing, { actor: staff, key, input: { reason, duplicate: '' } })
    }
    await closes(second, 'unclear')
    await closes(third, 'heated')
    const { report, said } = await send({ act: 'close', reason: 'unclear' })
    for (const part of [/Done for 2 of 4\./, /Nothing to change\./, /It isn’t in this course/])
      assert.match(said, part)
    assert.deepEqual(await column('closing_reason'), ['unclear', 'unclear', 'unclear'])
    const entries = await rowsOf(db, 'audit', { actor_id: staff.id, act: 'bulk-act' })
    assert.equal(entries.length, 1)
    assert.match(JSON.stringify(entries[0]?.detail), new RegExp(`"ids":"${questions[0]?.id} `))
    assert.match(await undo(report), /Undone for 2 of 2\./)
    assert.deepEqual(await column('closing_reason'), [null, 'unclear', 'heated'])
    assert.match(await undo(report), /Undone for 2 of 2\./)
    const acts = valuesOf(await rowsOf(db, 'audit', { actor_id: staff.id }), 'act')
    assert.deepEqual(acts, ['staff-decided', 'staff-decided', 'bulk-act', 'bulk-act'])
  })

  test('is moving to a lecture, and back', async () => {
    const { send, undo, column } = await aScene()
    const before = await column('lecture_id')
    const { report } = await send({ act: 'lecture', lecture: '2' })
    const [moved] = await column('lecture_id')
    assert.ok(moved)
    assert.deepEqual(await column('lecture_id'), [moved, moved, moved])
    await undo(report)
    assert.deepEqual(await column('lecture_id'), before)
  })

  test('is tagging, each as far as it takes more, and back', async () => {
    const { send, undo, tagCounts } = await aScene()
    const { report, said } = await send({ act: 'tag', tags: 'HTTP, rest' })
    assert.match(said, /Use up to 5 tags/)
    assert.deepEqual(await tagCounts(), [2, 5, 2])
    await undo(report)
    assert.deepEqual(await tagCounts(), [1, 5, 0])
  })

  test('is deleting, as a measure with its reason that is lifted by the undo; not of their own or equals', async () => {
    const { db, course, staff, questions, send, undo, column, ids } = await aScene()
    const own = await aQuestion(db, { course, author: staff })
    ids.push(String(own.id))
    const { report, said } = await send({ act: 'delete', ground: 'rude', note: 'Please be kind.' })
    assert.match(said, /Done for 3 of 5\./)
    assert.match(said, /You can’t do this here/)
    assert.ok((await column('deleted_at')).every((at) => at !== null))
    const [matter] = await rowsOf(db, 'cases', { question_id: questions[0]?.id ?? 0 })
    assert.deepEqual([matter?.state, matter?.reason, matter?.note], ['upheld', 'rude', 'Please be kind.'])
    assert.equal((await rowOf(db, 'questions', own.id)).deleted_at, null)
    assert.deepEqual(await rowsOf(db, 'cases', { question_id: own.id }), [])
    await undo(report)
    assert.deepEqual(await column('deleted_at'), [null, null, null])
  })

  test('tells nothing of questions of other courses, and goes on where there is none', async () => {
    const { db, staff, foreign, ids, send } = await aScene()
    await setRows(db, 'questions', foreign.id, { title: 'A secret of elsewhere' })
    ids.push('999999999')
    for (const fields of [
      { act: 'lecture', lecture: '1' },
      { act: 'tag', tags: 'rest' },
      { act: 'close', reason: 'unclear' },
      { act: 'delete', ground: 'spam' },
    ]) {
      const { said } = await send(fields)
      assert.match(said, /of 5\./)
      assert.doesNotMatch(said, /A secret of elsewhere/)
      assert.match(said, new RegExp(`#?${foreign.id}`))
    }
    assert.equal((await rowsOf(db, 'bulk_acts', { made_by: staff.id })).length, 4)
  })

  test('is done once where it is sent twice at once, and taken back once', async () => {
    const { db, course, staff, questions } = await aScene()
    const question = questions.map(({ id }) => String(id))
    for (const fields of [
      { act: 'close', reason: 'unclear' },
      { act: 'tag', tags: 'rest' },
      { act: 'delete', ground: 'spam' },
    ] as const) {
      const by = { actor: staff, key: course.slug, input: { question, ...fields } }
      const { bulkId } = await act(forum, questionsBulk, by)
      const twice = () =>
        Promise.all([0, 1].map(() => carryOut(db, bulkId, BULK_ACTS[fields.act], { id: staff.id }, AROUND)))
      const outcomes = async (name: 'outcome' | 'undo_outcome') =>
        (await itemsOf(db, bulkId)).map((item) => item[name])
      await twice()
      const done = await outcomes('outcome')
      assert.deepEqual(done, ['done', fields.act === 'tag' ? 'refused' : 'done', 'done'])
      await act(forum, bulkUndoing, { actor: staff, key: bulkId })
      await twice()
      const undone = done.map((outcome) => (outcome === 'done' ? 'done' : null))
      assert.deepEqual(await outcomes('undo_outcome'), undone)
    }
  })

  test('stops where it is taken back before it is through', async () => {
    const { db, course, staff, questions, column } = await aScene()
    const question = questions.map(({ id }) => String(id))
    const by = { actor: staff, key: course.slug, input: { act: 'close', reason: 'unclear', question } }
    const { bulkId } = await act(forum, questionsBulk, by)
    const carry = () => carryOut(db, bulkId, BULK_ACTS.close, { id: staff.id }, AROUND)
    const release = await begun(db, (write) => lockQuestion(write, questions[1]?.id ?? 0))
    const acting = carry()
    await until('the first is done', async () => (await column('closing_reason'))[0] === 'unclear')
    await untilWaiting(db)
    const undoing = act(forum, bulkUndoing, { actor: staff, key: bulkId }).then(carry)
    await untilWaiting(db, 2)
    await release()
    await Promise.all([acting, undoing])
    assert.deepEqual(await column('closing_reason'), [null, null, null])
  })

  test('leaves by its undo what others moved on since', async () => {
    const { db, staff, questions, send, undo, column } = await aScene()
    const { report } = await send({ act: 'lecture', lecture: '1' })
    const [one] = await column('lecture_id')
    const id = questions[0]?.id ?? 0
    await act(forum, questionMove, { actor: staff, key: id, input: { lecture: '2' } })
    assert.match(await undo(report), /Undone for 2 of 3\./)
    const [moved, ...others] = await column('lecture_id')
    assert.ok(moved !== one && moved !== null)
    assert.deepEqual(others, [null, null])
    assert.equal((await rowOf(db, 'lectures', Number(moved))).position, 2)
  })

  test('is refused whole where the form says too little, with what was typed', async () => {
    const { course, staff, browser, path, ids } = await aScene()
    const many = Array.from({ length: 101 }, (_, index) => String(index + 1))
    await refuses(forum, questionsBulk, { actor: staff, key: course.slug }, [
      [{ act: 'close', question: ids }, 'reason: bulk.reason.none'],
      [{ act: 'tag', question: ids }, 'tags: bulk.tags.none'],
      [{ act: 'lecture', question: ids, lecture: '9' }, 'lecture: questions.lecture.unknown'],
      [{ act: 'delete', question: ids, note: 'Why' }, 'ground: reports.form.noReason'],
      [{ act: 'delete', question: ids, ground: 'rude' }, 'note: reasons.missing'],
      [{ act: 'close', question: [], reason: 'unclear' }, 'question: bulk.none'],
      [{ act: 'close', question: many, reason: 'unclear' }, 'question: bulk.many'],
      [{ act: 'nothing', question: ids }, 'act: bulk.act.none'],
    ])
    const refused = await browser.post(path, { act: 'delete', question: ids, note: 'Because of that.' })
    assert.equal(refused.statusCode, 422)
    assert.match(refused.body, /Because of that\./)
    assert.equal(refused.body.match(/name="question"[^>]*checked/g)?.length, 3)
    const most = Array.from({ length: 97 }, (_, index) => String(999_999_999_999_000 + index))
    const why = { act: 'delete', ground: 'rude', rule: '', note: '', reason: '', lecture: '', tags: '' }
    const filled = await browser.post(path, { ...why, question: [...ids.slice(0, 3), ...most] })
    assert.equal(filled.statusCode, 422, '100 boxes and all other fields are read')
    const sent = (question: string[]) => browser.post(path, { act: 'close', question, reason: 'unclear' })
    assert.equal((await sent(many)).statusCode, 422)
    assert.equal((await sent(many.slice(1))).statusCode, 303, 'a hundred fit into a form')
  })

  test('begins in the lists of staff, who choose by boxes, and tells others nothing', async () => {
    const { db, course, questions, browser, path, send } = await aScene()
    const list = `/courses/${course.slug}`
    const ofStaff = (await browser.get(list)).body
    assert.equal(ofStaff.match(/<input[^>]*name="question"/g)?.length, 3)
    assert.ok(ofStaff.includes(`action="${path}"`))
    const learner = await signedIn(forum.app, await aMember(db, course))
    assert.doesNotMatch((await learner.get(list)).body, /name="question"/)
    const query = `question=${questions[0]?.id}&question=${questions[2]?.id}`
    const chosen = (await browser.get(`${path}?${query}`)).body
    assert.equal(chosen.match(/name="question"[^>]*checked/g)?.length, 2)
    assert.ok(!chosen.includes('value="solved-elsewhere"'))
    assert.match((await browser.get(path)).body, /Nothing selected/)
    const { report } = await send({ act: 'close', reason: 'unclear' })
    const stranger = await signedIn(forum.app, await aPerson(db))
    for (const reader of [learner, stranger]) assert.equal((await reader.get(report)).statusCode, 403)
    await setRows(db, 'courses', course.id, { is_public: false })
    assert.equal((await stranger.get(report)).statusCode, 404)
  })
})
