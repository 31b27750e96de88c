import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ASKED_WEEKS, anAskedCourse } from '../../testing/asked-course.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { aForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { rowsOf } from './testing.ts'
import { weeksBetween } from './weeks.ts'

test('a range is whole weeks from Monday, twelve unless said', () => {
  assert.deepEqual(weeksBetween('2026-11-22', '2026-11-23'), {
    from: '2026-11-16',
    to: '2026-11-29',
    count: 2,
  })
  assert.deepEqual(weeksBetween('1969-12-31', '1970-01-01'), {
    from: '1969-12-29',
    to: '1970-01-04',
    count: 1,
  })
})

test('a range that is none is explained, and what was typed stays', async (t) => {
  const { db, app } = await aForum(t)
  const course = await aCourse(db)
  const staff = await signedIn(app, await aMember(db, course, 'assistant'))
  const path = `/courses/${course.slug}/figures`
  for (const [query, problem] of [
    ['from=2026-02-30', /Enter a date as/],
    ['from=%3Cscript%3E&to=', /Enter a date as/],
    ['from=2026-10-05&to=2026-10-04', /The range ends before it starts/],
    ['from=2001-01-01&to=2020-01-01', /ten years/],
    ['to=1812-01-01', /between 2000/],
    ['from=2026-01-01&from=2026-02-01', /more than once/],
  ] as const) {
    const page = await staff.get(`${path}?${query}`)
    assert.equal(page.statusCode, 422, query)
    assert.match(textOf(/class="error-summary"[\s\S]*?<\/div>/.exec(page.body)?.[0] ?? ''), problem, query)
    assert.ok(!page.body.includes('<script>'), query)
    assert.equal((await staff.get(`${path}.csv?${query}`)).statusCode, 422, query)
  }
  assert.match((await staff.get(`${path}?from=2026-02-30`)).body, /value="2026-02-30"/)
  for (const query of ['', 'from=&to=', 'from=2026-10-05&to=2026-10-05', 'to=2026-10-05', 'unknown=1'])
    assert.equal((await staff.get(`${path}?${query}`)).statusCode, 200, query)
})

test('the last twelve weeks, this run and all time are a link away, and the CSV follows', async (t) => {
  const { db, app } = await aForum(t)
  const course = await aCourse(db, { timeZone: 'UTC' })
  const staff = await signedIn(app, await aMember(db, course, 'assistant'))
  const made = new Date('2026-03-04T12:00:00Z')
  await db.updateTable('courses').set({ created_at: made }).where('id', '=', course.id).execute()
  await aQuestion(db, { course, writtenAt: new Date('2024-12-31T12:00:00Z') })
  const path = `/courses/${course.slug}/figures`
  const today = weeksBetween('2026-01-01', new Date().toISOString().slice(0, 10))
  const nav = async (page: string) =>
    [
      ...(await staff.get(page)).body.matchAll(
        /href="([^"]*figures\?from=[^"]*)"( aria-current="true")?>([^<]*)</g,
      ),
    ].map(([, link = '', current, name = '']) => ({
      link: link.replaceAll('&amp;', '&'),
      name,
      isCurrent: current !== undefined,
    }))
  const [weeks, run, all] = await nav(path)
  assert.deepEqual([weeks?.name, weeks?.isCurrent], ['Last 12 weeks', true])
  assert.deepEqual([run?.name, run?.link], ['This course run', `${path}?from=2026-03-02&to=${today.to}`])
  assert.deepEqual([all?.name, all?.link], ['All time', `${path}?from=2024-12-30&to=${today.to}`])
  assert.deepEqual(
    (await nav(all?.link ?? '')).map(({ isCurrent }) => isCurrent),
    [false, false, true],
  )
  const page = await staff.get(all?.link ?? '')
  const csvs = [...page.body.matchAll(/href="([^"]*figures\.csv[^"]*)"/g)].map(([, link = '']) => link)
  assert.equal(csvs.length, 9)
  for (const csv of csvs) assert.match(csv, /from=2024-12-30&amp;to=/)
  assert.match(
    (await staff.get((csvs[0] ?? '').replaceAll('&amp;', '&'))).body,
    /weeks,2024-12-30,questions,<5/,
  )
  // More than ten years cannot be drawn: all time is the last ten then.
  await aQuestion(db, { course, writtenAt: new Date('2001-01-01T12:00:00Z') })
  const [, , decade] = await nav(path)
  assert.equal((await staff.get(decade?.link ?? '')).statusCode, 200)
})

test('figures are for staff; a learner is refused, a visitor signs in, nobody else hears of a private course', async (t) => {
  const { db, app } = await aForum(t)
  const course = await aCourse(db, { isPublic: false })
  const status = async (role: 'learner' | 'assistant' | null) => {
    const person = role === null ? await aPerson(db) : await aMember(db, course, role)
    const browser = await signedIn(app, person)
    const page = await browser.get(`/courses/${course.slug}/figures`)
    assert.equal((await browser.get(`/courses/${course.slug}/figures.csv`)).statusCode, page.statusCode)
    const list = await browser.get(`/courses/${course.slug}`)
    assert.equal(list.body.includes(`/courses/${course.slug}/figures"`), role === 'assistant')
    return page.statusCode
  }
  assert.deepEqual([await status('assistant'), await status('learner'), await status(null)], [200, 403, 404])
  assert.equal((await visitor(app).get(`/courses/${course.slug}/figures`)).statusCode, 303)
})

test('fewer than five people are in no number, nor in the difference of two ranges', async (t) => {
  const { db, app } = await aForum(t)
  const { course, instructor, learners } = await anAskedCourse(db)
  const staff = await signedIn(app, instructor)
  const csv = async (to: string) =>
    (await staff.get(`/courses/${course.slug}/figures.csv?from=${ASKED_WEEKS.from}&to=${to}`)).body
  // The third week has questions by three people: with it and without it everything but its own line is the same.
  const without = (text: string) => text.split('\r\n').filter((line) => !/,2026-09-2[18],/.test(line))
  assert.deepEqual(without(await csv('2026-09-27')), without(await csv('2026-09-20')))
  assert.match(await csv('2026-09-27'), /weeks,2026-09-21,questions,<5/)

  // Nor do its words help a term over what it needs to be shown.
  const lectureId = course.lectureIds[1] ?? 0
  const asks = (author: (typeof learners)[number], writtenAt: Date) =>
    aQuestion(db, { course, author, lectureId, title: 'A quagga, quagga', writtenAt })
  for (const author of learners.slice(3, 7)) await asks(author, new Date('2026-09-16T03:00:00Z'))
  const third = learners[2]
  assert.ok(third !== undefined)
  await asks(third, new Date('2026-09-23T03:00:00Z'))
  assert.doesNotMatch(await csv('2026-09-27'), /quagga/)
  await asks(third, new Date('2026-09-16T03:00:00Z'))
  assert.match(await csv('2026-09-27'), /quagga/)

  for (const author of learners.slice(0, 5))
    await aQuestion(db, { course, author, writtenAt: new Date('2026-09-30T03:00:00Z') })
  assert.match(await csv('2026-10-04'), /weeks,2026-09-28,questions,5/)
  const page = await staff.get(`/courses/${course.slug}/figures?from=2026-09-21&to=2026-09-27`)
  assert.equal(page.statusCode, 200)
  assert.match(textOf(page.body), /Questions 0 Resolved – /)
})

test('answers by fewer than five classmates are not counted, those of staff alone are', async (t) => {
  const { db, app } = await aForum(t)
  const course = await aCourse(db)
  const instructor = await aMember(db, course, 'instructor')
  const staff = await signedIn(app, instructor)
  const writtenAt = new Date('2026-09-08T03:00:00Z')
  const questions = []
  for (let count = 0; count < 5; count += 1) questions.push(await aQuestion(db, { course, writtenAt }))
  for (const question of questions) await anAnswer(db, { question, author: instructor, writtenAt })
  const answers = async () => (await rowsOf(staff, course, 'weeks'))[0]?.answers
  assert.equal(await answers(), '5')

  const [question] = questions
  assert.ok(question !== undefined)
  await anAnswer(db, { question })
  assert.equal(await answers(), '<5')
  assert.deepEqual(
    (await rowsOf(staff, course, 'who')).map((row) => row.answers),
    ['0', '0'],
  )
})

test('the drawings have neither styles nor scripts, and a table each', async (t) => {
  const { db, app } = await aForum(t)
  const { course, instructor } = await anAskedCourse(db)
  const page = await (await signedIn(app, instructor)).get(
    `/courses/${course.slug}/figures?from=${ASKED_WEEKS.from}&to=${ASKED_WEEKS.to}`,
  )
  const svgs = [...page.body.matchAll(/<svg[^>]*viewBox="0 0 480[\s\S]*?<\/svg>/g)].map(([svg]) => svg)
  assert.equal(svgs.length, 6)
  for (const svg of svgs) {
    assert.doesNotMatch(svg, /style|<script|NaN|undefined/)
    assert.match(svg, /^<svg[^>]* role="img"/)
    assert.ok(page.body.includes(`<h2 id="${/aria-labelledby="([^"]+)"/.exec(svg)?.[1]}"`))
  }
  assert.equal(page.body.match(/<details class="data">/g)?.length, 8)
  assert.match(page.body, /class="bar-q"/)
  assert.match(page.body, /class="heat-4"/)
})

test('what is for staff alone is in no figure', async (t) => {
  const { db, app } = await aForum(t)
  const { course, instructor, learners } = await anAskedCourse(db)
  const staff = await signedIn(app, instructor)
  const before = await rowsOf(staff, course, 'weeks')
  const lectureId = course.lectureIds[0] ?? 0
  for (const author of learners)
    await aQuestion(db, {
      course,
      author,
      lectureId,
      audience: 'staff',
      title: 'quagga quagga',
      writtenAt: new Date('2026-09-09T03:00:00Z'),
    })
  assert.deepEqual(await rowsOf(staff, course, 'weeks'), before)
  const page = await staff.get(
    `/courses/${course.slug}/figures?from=${ASKED_WEEKS.from}&to=${ASKED_WEEKS.to}`,
  )
  assert.doesNotMatch(page.body, /quagga/)
})
