import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { postTable } from '../../testing/multipart.ts'
import { textOf, valueIn } from '../../testing/page.ts'
import { questionPath } from '../../web/paths.ts'

suite('the lectures of a course, run from the browser', () => {
  const forum = sharedForum()

  async function anInstructor(lectures: readonly string[] = ['Verbs', 'Codes', 'Headers']) {
    const course = await aCourse(forum.db, { lectures })
    const browser = await signedIn(forum.app, await aMember(forum.db, course, 'instructor'))
    return { course, browser, path: `/courses/${course.slug}/lectures` }
  }

  async function there(course: { readonly id: number }) {
    const rows = await forum.db
      .selectFrom('lectures')
      .select(['position', 'title', 'questions_count'])
      .where('course_id', '=', course.id)
      .orderBy('position')
      .execute()
    return rows.map(({ position, title, questions_count }) => `${position} ${title} ${questions_count}`)
  }

  const titlesOf = async (course: { readonly id: number }) =>
    (await there(course)).map((one) => one.replace(/ \d+$/, ''))

  test('only who runs it finds the forms', async () => {
    const { course, browser, path } = await anInstructor()
    assert.match((await browser.get(path)).body, /<textarea[^>]* name="lectures"/)
    for (const role of ['learner', 'assistant'] as const) {
      const other = await signedIn(forum.app, await aMember(forum.db, course, role))
      assert.doesNotMatch((await other.get(path)).body, /<textarea/)
      assert.equal((await other.post(path, { lectures: 'x' })).statusCode, 403)
    }
  })

  /** Saves a list as who read what was shown. */
  const saveList = (
    browser: Awaited<ReturnType<typeof signedIn>>,
    path: string,
    fields: Readonly<Record<string, string>>,
  ) => browser.post(path, { ...fields, act: 'save' })

  const ADDED: readonly (readonly [string, string, readonly string[]])[] = [
    [
      'titles after those there are',
      'Media types\n\nCaching, with commas\n',
      ['4 Media types', '5 Caching, with commas'],
    ],
    ['a table with numbers', '2,Status codes\n7,"Caching, again"', ['2 Status codes', '7 Caching, again']],
    ['titles that begin with a digit', '3D graphics\n1. Shaders', ['4 3D graphics', '5 1. Shaders']],
    ['titles that sound like a head', 'Positioning elements', ['4 Positioning elements']],
    ['a table whose numbers stand second', 'title,position\nStatus codes,2', ['2 Status codes']],
    ['the header that the page suggests', 'number,title\n8,Welcome', ['8 Welcome']],
    ['what a spreadsheet copies', 'position\ttitle\n5\tCaching', ['5 Caching']],
    ['a file with a byte order mark and semicolons', '\uFEFFposition;title\r\n9;캐시', ['9 캐시']],
  ]
  for (const [what, lectures, found] of ADDED) {
    test(`${what} can be added`, async () => {
      const { course, browser, path } = await anInstructor()
      assert.equal((await saveList(browser, path, { lectures, mode: 'add' })).headers.location, path)
      const now = await titlesOf(course)
      for (const title of found) assert.ok(now.includes(title), `${title}: ${now.join('; ')}`)
      assert.ok(now.includes('1 Verbs'))
    })
  }

  test('what was read is shown before anything is saved, and can be edited', async () => {
    const { course, browser, path } = await anInstructor()
    await aQuestion(forum.db, { course, lectureId: course.lectureIds[2] ?? 0, audience: 'staff' })
    const list = { lectures: '번호,제목\n1,Methods\n9,Welcome', mode: 'replace' }
    const shown = await browser.post(path, list)
    assert.equal(shown.statusCode, 200)
    assert.match(
      textOf(shown.body),
      /1 Methods Now “Verbs” Renamed 2 Codes Deleted 3 Headers Kept \(has questions\) 9 Welcome New/,
    )
    assert.deepEqual(await titlesOf(course), ['1 Verbs', '2 Codes', '3 Headers'])
    assert.equal(valueIn(shown.body, 'lectures'), list.lectures)
    const edited = await browser.post(path, { ...list, act: 'edit' })
    assert.equal(valueIn(edited.body, 'lectures'), list.lectures)
    assert.equal(valueIn(edited.body, 'mode'), 'replace')
    const one = await browser.post(path, { lectures: 'Media types', mode: 'add' })
    assert.equal(one.headers.location, path, 'one title changes nothing that is there')
  })

  test('each change can be undone, but not past a later one', async () => {
    const { course, browser, path } = await anInstructor()
    const [first = 0] = course.lectureIds
    await aQuestion(forum.db, { course, lectureId: first })
    const undo = async (answer: { readonly statusCode: number }) => {
      assert.equal(answer.statusCode, 303)
      const page = await browser.get(path)
      return /action="([^"]*undo\/\d+)"/.exec(page.body)?.[1] ?? ''
    }
    for (const act of [
      () => saveList(browser, path, { lectures: '2,Status codes\n5,ETags' }),
      () => saveList(browser, path, { lectures: '7,Other', mode: 'replace' }),
      () => browser.post(`${path}/1/removal`, { into: '' }),
      () => browser.post(`${path}/1/merger`, { into: '2' }),
      () => browser.post(`${path}/3/move`, { to: '1' }),
    ]) {
      const before = await there(course)
      const undone = await browser.post(await undo(await act()))
      assert.match(textOf((await browser.follow(undone)).body), /Change undone/)
      assert.deepEqual(await there(course), before)
    }
    const early = await undo(await browser.post(path, { lectures: 'One more' }))
    await browser.post(path, { lectures: 'Another' })
    assert.match(textOf((await browser.follow(await browser.post(early))).body), /Not undone/)
    const added = await undo(await browser.post(path, { lectures: 'Asked about' }))
    const { id } = await forum.db
      .selectFrom('lectures')
      .select('id')
      .where('title', '=', 'Asked about')
      .executeTakeFirstOrThrow()
    await aQuestion(forum.db, { course, lectureId: id })
    assert.match(textOf((await browser.follow(await browser.post(added))).body), /Not undone/)
    assert.deepEqual((await titlesOf(course)).slice(3), ['4 One more', '5 Another', '6 Asked about'])
  })

  test('every fault of a list is told at once, nothing is taken, and the text comes back', async () => {
    const { course, browser, path } = await anInstructor()
    const lectures = '4,Media types\nx,Caching\n5,'
    const refused = await browser.post(path, { lectures })
    assert.equal(refused.statusCode, 422)
    assert.match(textOf(refused.body), /line 2: "x" isn’t a number.*line 3: the title is missing/)
    assert.equal(valueIn(refused.body, 'lectures'), lectures)
    assert.equal((await there(course)).length, 3)
    const many = Array.from({ length: 1001 }, (_, at) => `Lecture ${at}`).join('\n')
    assert.equal((await saveList(browser, path, { lectures: many })).statusCode, 422)
    assert.equal((await browser.post(path, { lectures: 'a\u0000b' })).statusCode, 422)
  })

  test('after the last number there is no room for another lecture', async () => {
    const { course, browser, path } = await anInstructor()
    assert.equal((await saveList(browser, path, { lectures: '999999,Last' })).statusCode, 303)
    const refused = await browser.post(path, { lectures: 'One more' })
    assert.equal(refused.statusCode, 422)
    assert.match(textOf(refused.body), /highest possible number \(999,999\)/)
    assert.equal(valueIn(refused.body, 'lectures'), 'One more')
    assert.equal((await browser.post(path, { lectures: '1000000,Beyond' })).statusCode, 422)
    assert.equal((await there(course)).length, 4)
  })

  test('a file is read as its pasted lines are, and what is wrong in it comes back to be mended', async () => {
    const { course, browser, path } = await anInstructor()
    const table = 'position,title\r\n4,"Media types, in short"\r\n5,캐시\r\n'
    const shown = await postTable(browser, path, Buffer.from(`\uFEFF${table}`, 'utf16le'), { lectures: '' })
    const taken = await saveList(browser, path, { lectures: valueIn(shown.body, 'lectures') ?? '' })
    assert.equal(taken.headers.location, path)
    assert.deepEqual((await titlesOf(course)).slice(3), ['4 Media types, in short', '5 캐시'])
    const wrong = await postTable(browser, path, Buffer.from('6,ETags\nx,Caching'), { mode: 'add' })
    assert.equal(wrong.statusCode, 422)
    assert.equal(valueIn(wrong.body, 'lectures'), '6,ETags\nx,Caching')
    const unread = await postTable(browser, path, Buffer.from([0x36, 0x2c, 0xbe, 0xc8]))
    assert.equal(unread.statusCode, 422)
    assert.match(textOf(unread.body), /This file isn’t UTF-8 or UTF-16 text/)
    assert.equal((await titlesOf(course)).length, 5)
  })

  test('replacing them keeps those with questions', async () => {
    const { course, browser, path } = await anInstructor()
    await aQuestion(forum.db, { course, lectureId: course.lectureIds[2] ?? 0 })
    await saveList(browser, path, { lectures: '1,Methods', mode: 'replace' })
    assert.deepEqual(await there(course), ['1 Methods 0', '3 Headers 1'])
  })

  test('they are moved, by one or to a number', async () => {
    const { course, browser, path } = await anInstructor()
    const up = await browser.post(`${path}/3/move`, { direction: 'up' })
    assert.match((await browser.follow(up)).body, /data-flash>Moved\. It’s lecture 2 now\./)
    assert.equal(up.headers.location, `${path}#lecture-2`)
    assert.match((await browser.get(path)).body, /<summary [^>]*id="lecture-2"/)
    assert.deepEqual(await titlesOf(course), ['1 Verbs', '2 Headers', '3 Codes'])
    await browser.post(`${path}/3/move`, { to: '1' })
    assert.deepEqual(await titlesOf(course), ['1 Codes', '2 Verbs', '3 Headers'], 'dragged')
    await browser.post(`${path}/1/move`, { to: '3' })
    assert.deepEqual(await titlesOf(course), ['1 Verbs', '2 Headers', '3 Codes'])
    await browser.post(`${path}/1/move`, { direction: 'up' })
    assert.deepEqual(await titlesOf(course), ['1 Verbs', '2 Headers', '3 Codes'], 'the first stays the first')
    await browser.post(`${path}/3`, { title: 'Status codes', position: '1' })
    assert.deepEqual(await titlesOf(course), ['1 Status codes', '2 Verbs', '3 Headers'])
    await browser.post(`${path}/1`, { title: 'Status codes', position: '20' })
    assert.deepEqual(await titlesOf(course), ['2 Verbs', '3 Headers', '20 Status codes'])
    const wrong = await browser.post(`${path}/2`, { title: 'Verbs', position: '0' })
    assert.equal(wrong.statusCode, 422)
    await browser.post(`${path}/2`, { title: 'Verbs', position: '999999' })
    assert.equal((await browser.post(`${path}/3`, { title: 'Headers', position: '999999' })).statusCode, 422)
    assert.equal((await browser.get(`${path}/77`)).statusCode, 404)
  })

  test('two are merged: the questions go along and the counts are right', async () => {
    const { course, browser, path } = await anInstructor()
    for (const lectureId of course.lectureIds.slice(0, 2)) await aQuestion(forum.db, { course, lectureId })
    assert.equal((await browser.post(`${path}/1/merger`, { into: '1' })).statusCode, 422)
    assert.equal((await browser.post(`${path}/1/merger`, { into: '2' })).headers.location, path)
    assert.deepEqual(await there(course), ['2 Codes 2', '3 Headers 0'])
  })

  test('one is removed with a choice for its questions, which stay', async () => {
    const { course, browser, path } = await anInstructor()
    const [first = 0, second = 0] = course.lectureIds
    const question = await aQuestion(forum.db, { course, lectureId: first })
    await aQuestion(forum.db, { course, lectureId: second })
    assert.equal((await browser.post(`${path}/1/removal`, { into: '' })).headers.location, path)
    assert.equal((await browser.get(questionPath(question))).statusCode, 200)
    assert.equal((await browser.post(`${path}/2/removal`, { into: '3' })).headers.location, path)
    assert.deepEqual(await there(course), ['3 Headers 1'])
  })

  test('a question asked about a lecture that is removed meanwhile is kept', async () => {
    const { course, browser, path } = await anInstructor()
    const asker = await signedIn(forum.app, await aPerson(forum.db))
    const asked = {
      course: course.slug,
      title: 'What is a verb?',
      body: 'Long text.',
      tags: '',
      lecture: '1',
    }
    const form = await asker.token(`/questions/new?course=${course.slug}&lecture=1`)
    await browser.post(`${path}/1/removal`)
    const refused = await asker.post('/questions', asked, { token: form })
    assert.equal(refused.statusCode, 422)
    assert.equal(valueIn(refused.body, 'body'), 'Long text.')
    assert.equal((await asker.post('/questions', { ...asked, lecture: '' }, { token: form })).statusCode, 303)
  })

  test('removed and asked about at the same moment, no question is lost and nothing fails', async () => {
    const { course, browser, path } = await anInstructor(['Verbs'])
    const asker = await signedIn(forum.app, await aPerson(forum.db))
    const tokens: string[] = []
    for (let number = 0; number < 8; number += 1) tokens.push(await asker.token())
    const sent = tokens.map((token, index) =>
      asker.post(
        '/questions',
        { course: course.slug, title: `What is verb ${index}?`, body: 'Text.', tags: '', lecture: '1' },
        { token },
      ),
    )
    const [removed, ...answers] = await Promise.all([browser.post(`${path}/1/removal`), ...sent])
    assert.equal(removed?.statusCode, 303)
    for (const { statusCode } of answers) assert.ok([303, 422].includes(statusCode), String(statusCode))
    const posted = answers.filter(({ statusCode }) => statusCode === 303).length
    const { count } = await forum.db
      .selectFrom('questions')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('course_id', '=', course.id)
      .executeTakeFirstOrThrow()
    assert.equal(Number(count), posted)
  })
})
