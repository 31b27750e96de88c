import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Operation } from '../../kernel/operation.ts'
import { act, refusalOf, refuses } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { postTable } from '../../testing/multipart.ts'
import { textOf, valueIn } from '../../testing/page.ts'
import { rowOf, rowsOf } from '../../testing/rows.ts'
import { askQuestion } from '../questions/operations.ts'
import {
  lectureAdding,
  lectureChange,
  lectureMerger,
  lectureMove,
  lectureRemoval,
  lectureUndoing,
} from './operations.ts'

type Sent = Readonly<Record<string, unknown>>

suite('the lectures of a course, run from the browser', () => {
  const forum = sharedForum()

  async function anInstructor(lectures: readonly string[] = ['Verbs', 'Codes', 'Headers']) {
    const course = await aCourse(forum.db, { lectures })
    const { id, slug } = course
    const person = await aMember(forum.db, course, 'instructor')
    const by = { actor: { id: person.id } }
    /** Does something to the lecture with a number, or to a change with its own. */
    const doing = <Outcome>(part: number, operation: Operation<{ slug: string; part: number }, Outcome>) => ({
      done: (input: Sent = {}) => act(forum, operation, { ...by, key: { slug, part }, input }),
      refused: (input: Sent) => refusalOf(forum, operation, { ...by, key: { slug, part }, input }),
    })
    const adding = { ...by, key: slug }
    const add = (lectures: string, mode = 'add') =>
      act(forum, lectureAdding, { ...adding, input: { lectures, mode } })
    /** "1 Verbs 0": each with the number of its questions. */
    const there = async () => {
      const rows = await rowsOf(forum.db, 'lectures', { course_id: id })
      const inOrder = rows.toSorted((one, other) => one.position - other.position)
      return inOrder.map(({ position, title, questions_count }) => `${position} ${title} ${questions_count}`)
    }
    const titles = async () => (await there()).map((one) => one.replace(/ \d+$/, ''))
    const browser = await signedIn(forum.app, person)
    return { course, browser, path: `/courses/${slug}/lectures`, adding, add, doing, there, titles }
  }

  test('only who runs it finds the forms', async () => {
    const { course, browser, path } = await anInstructor()
    assert.match((await browser.get(path)).body, /<textarea[^>]* name="lectures"/)
    for (const role of ['learner', 'assistant'] as const) {
      const other = await signedIn(forum.app, await aMember(forum.db, course, role))
      assert.doesNotMatch((await other.get(path)).body, /<textarea/)
    }
  })

  test('titles and tables are added, however they are written', async () => {
    for (const [lectures, found] of [
      ['Media types\n\nCaching, with commas\n', ['4 Media types', '5 Caching, with commas']],
      ['2,Status codes\n7,"Caching, again"', ['2 Status codes', '7 Caching, again']],
      ['3D graphics\n1. Shaders', ['4 3D graphics', '5 1. Shaders']],
      ['Positioning elements', ['4 Positioning elements']],
      ['title,position\nStatus codes,2', ['2 Status codes']],
      ['number,title\n8,Welcome', ['8 Welcome']],
      ['position\ttitle\n5\tCaching', ['5 Caching']],
      ['\uFEFFposition;title\r\n9;캐시', ['9 캐시']],
    ] as const) {
      const { add, titles } = await anInstructor()
      await add(lectures)
      const kept = ['1 Verbs', '2 Codes', '3 Headers'].filter((one) => !found.some(([at]) => at === one[0]))
      assert.deepEqual(await titles(), [...kept, ...found].sort(), lectures)
    }
  })

  test('what was read is shown before anything is saved, and can be edited', async () => {
    const { course, browser, path, titles } = await anInstructor()
    await aQuestion(forum.db, { course, lectureId: course.lectureIds[2] ?? 0, audience: 'staff' })
    const list = { lectures: '번호,제목\n1,Methods\n9,Welcome', mode: 'replace' }
    const shown = await browser.post(path, list)
    assert.equal(shown.statusCode, 200)
    const plan =
      /1 Methods Now “Verbs” Renamed 2 Codes Deleted 3 Headers Kept \(has questions\) 9 Welcome New/
    assert.match(textOf(shown.body), plan)
    assert.deepEqual(await titles(), ['1 Verbs', '2 Codes', '3 Headers'])
    const { body } = await browser.post(path, { ...list, act: 'edit' })
    for (const form of [shown.body, body]) assert.equal(valueIn(form, 'lectures'), list.lectures)
    assert.equal(valueIn(body, 'mode'), 'replace')
    assert.equal((await browser.post(path, { ...list, act: 'save' })).headers.location, path)
    assert.deepEqual(await titles(), ['1 Methods', '3 Headers', '9 Welcome'])
    const one = await browser.post(path, { lectures: 'Media types', mode: 'add' })
    assert.equal(one.headers.location, path, 'one title changes nothing that is there')
  })

  test('each change can be undone, but not past a later one', async () => {
    const { course, browser, path, add, doing, there, titles } = await anInstructor()
    const [first = 0] = course.lectureIds
    await aQuestion(forum.db, { course, lectureId: first })
    const undo = async ({ change }: { change: number | null }) =>
      (await doing(change ?? assert.fail(), lectureUndoing).done()).outcome
    for (const change of [
      () => add('2,Status codes\n5,ETags'),
      () => add('7,Other', 'replace'),
      () => doing(1, lectureRemoval).done(),
      () => doing(1, lectureMerger).done({ into: '2' }),
      () => doing(3, lectureMove).done({ to: '1' }),
    ]) {
      const before = await there()
      assert.equal(await undo(await change()), 'undone')
      assert.deepEqual(await there(), before)
    }
    await browser.post(path, { lectures: 'One more' })
    const early = /action="([^"]*undo\/\d+)"/.exec((await browser.get(path)).body)?.[1] ?? ''
    await add('Another')
    assert.match(textOf((await browser.follow(await browser.post(early))).body), /Not undone/)
    const added = await add('Asked about')
    const newest = forum.db.selectFrom('lectures').select('id').orderBy('id', 'desc')
    await aQuestion(forum.db, { course, lectureId: (await newest.executeTakeFirstOrThrow()).id })
    assert.equal(await undo(added), 'late')
    assert.deepEqual((await titles()).slice(3), ['4 One more', '5 Another', '6 Asked about'])
  })

  test('every fault of a list is told at once, nothing is taken, and the text comes back', async () => {
    const { browser, path, adding, there } = await anInstructor()
    const lectures = '4,Media types\nx,Caching\n5,'
    const refused = await browser.post(path, { lectures })
    assert.equal(refused.statusCode, 422)
    assert.match(textOf(refused.body), /line 2: "x" isn’t a number.*line 3: the title is missing/)
    assert.equal(valueIn(refused.body, 'lectures'), lectures)
    const many = Array.from({ length: 1001 }, (_, at) => `Lecture ${at}`).join('\n')
    await refuses(forum, lectureAdding, adding, [
      [{ lectures: many }, 'lectures: lectures.many'],
      [{ lectures: 'a\u0000b' }, 'lectures: forms.forbidden'],
    ])
    assert.equal((await there()).length, 3)
  })

  test('after the last number there is no room for another lecture', async () => {
    const { adding, add, there } = await anInstructor()
    await add('999999,Last')
    await refuses(forum, lectureAdding, adding, [
      [{ lectures: 'One more' }, 'lectures: lectures.noRoom'],
      [{ lectures: '1000000,Beyond' }, 'lectures: lectures.file.position'],
    ])
    assert.equal((await there()).length, 4)
  })

  test('a file is read as its pasted lines are, and what is wrong in it comes back to be mended', async () => {
    const { browser, path, add, titles } = await anInstructor()
    const table = 'position,title\r\n4,"Media types, in short"\r\n5,캐시\r\n'
    const shown = await postTable(browser, path, Buffer.from(`\uFEFF${table}`, 'utf16le'), { lectures: '' })
    await add(valueIn(shown.body, 'lectures') ?? '')
    assert.deepEqual((await titles()).slice(3), ['4 Media types, in short', '5 캐시'])
    const wrong = await postTable(browser, path, Buffer.from('6,ETags\nx,Caching'), { mode: 'add' })
    assert.equal(wrong.statusCode, 422)
    assert.equal(valueIn(wrong.body, 'lectures'), '6,ETags\nx,Caching')
    const unread = await postTable(browser, path, Buffer.from([0x36, 0x2c, 0xbe, 0xc8]))
    assert.equal(unread.statusCode, 422)
    assert.match(textOf(unread.body), /This file isn’t UTF-8 or UTF-16 text/)
    assert.equal((await titles()).length, 5)
  })

  test('they are moved, by one or to a number', async () => {
    const { browser, path, doing, titles } = await anInstructor()
    const up = await browser.post(`${path}/3/move`, { direction: 'up' })
    assert.match((await browser.follow(up)).body, /data-flash>Moved\. It’s lecture 2 now\./)
    assert.equal(up.headers.location, `${path}#lecture-2`)
    assert.match((await browser.get(path)).body, /<summary [^>]*id="lecture-2"/)
    assert.deepEqual(await titles(), ['1 Verbs', '2 Headers', '3 Codes'])
    for (const [at, operation, input, found] of [
      [3, lectureMove, { to: '1' }, ['1 Codes', '2 Verbs', '3 Headers']],
      [1, lectureMove, { to: '3' }, ['1 Verbs', '2 Headers', '3 Codes']],
      [1, lectureMove, { direction: 'up' }, ['1 Verbs', '2 Headers', '3 Codes']],
      [3, lectureChange, { title: 'States', position: '1' }, ['1 States', '2 Verbs', '3 Headers']],
      [1, lectureChange, { title: 'States', position: '20' }, ['2 Verbs', '3 Headers', '20 States']],
      [2, lectureChange, { title: 'Verbs', position: '999999' }, ['3 Headers', '20 States', '999999 Verbs']],
    ] as const) {
      assert.equal(await doing<unknown>(at, operation).refused(input), 'done')
      assert.deepEqual(await titles(), found)
    }
    const { refused } = doing(3, lectureChange)
    for (const position of ['0', '999999'])
      assert.equal(await refused({ title: 'Headers', position }), 'position: lectures.position.wrong')
    assert.equal((await browser.get(`${path}/77`)).statusCode, 404)
  })

  test('two are merged: the questions go along and the counts are right', async () => {
    const { course, doing, there } = await anInstructor()
    for (const lectureId of course.lectureIds.slice(0, 2)) await aQuestion(forum.db, { course, lectureId })
    const { done, refused } = doing(1, lectureMerger)
    assert.equal(await refused({ into: '1' }), 'merger: lectures.into.unknown')
    await done({ into: '2' })
    assert.deepEqual(await there(), ['2 Codes 2', '3 Headers 0'])
  })

  test('one is removed with a choice for its questions, which stay', async () => {
    const { course, doing, there } = await anInstructor()
    const [first = 0, second = 0] = course.lectureIds
    const { id } = await aQuestion(forum.db, { course, lectureId: first })
    await aQuestion(forum.db, { course, lectureId: second })
    await doing(1, lectureRemoval).done({ into: '' })
    const kept = await rowOf(forum.db, 'questions', id)
    assert.deepEqual([kept.lecture_id, kept.is_listed], [null, true])
    await doing(2, lectureRemoval).done({ into: '3' })
    assert.deepEqual(await there(), ['3 Headers 1'])
  })

  test('removed and asked about at the same moment, no question is lost and nothing fails', async () => {
    const { course, browser, path } = await anInstructor(['Verbs'])
    const asker = await signedIn(forum.app, await aPerson(forum.db))
    const asked = { course: course.slug, body: 'Text.', tags: '', lecture: '1' }
    await asker.token()
    const sent = Array.from({ length: 8 }, (_, index) =>
      asker.post('/questions', { ...asked, title: `What is verb ${index}?` }),
    )
    const [removed, ...answers] = await Promise.all([browser.post(`${path}/1/removal`), ...sent])
    assert.equal(removed?.statusCode, 303)
    for (const { statusCode } of answers) assert.ok([303, 422].includes(statusCode), String(statusCode))
    const posted = answers.filter(({ statusCode }) => statusCode === 303).length
    assert.equal((await rowsOf(forum.db, 'questions', { course_id: course.id })).length, posted)
    const late = { actor: await aPerson(forum.db), key: course.slug, input: { ...asked, title: 'Too late?' } }
    assert.equal(await refusalOf(forum, askQuestion, late), 'lecture: questions.lecture.unknown')
  })
})
