import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ASKED_WEEKS, anAskedCourse } from '../../testing/asked-course.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf, titlesIn } from '../../testing/page.ts'
import { setRows, valuesOf } from '../../testing/rows.ts'
import { weeksBetween } from './periods.ts'
import { rowsOf } from './testing.ts'

test('a range is whole weeks from Monday, twelve unless said', () => {
  const weeks = (from: string, to: string) => Object.values(weeksBetween(from, to)).join(' ')
  assert.equal(weeks('2026-11-22', '2026-11-23'), '2026-11-16 2026-11-29 2')
  assert.equal(weeks('1969-12-31', '1970-01-01'), '1969-12-29 1970-01-04 1')
})

suite('the range of figures', () => {
  const forum = sharedForum()

  test('a range that is none is explained, and what was typed stays', async () => {
    const { db, app } = forum
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

  test('the last twelve weeks, this run and all time are a link away, and the CSV follows', async () => {
    const { db, app } = forum
    const course = await aCourse(db, { timeZone: 'UTC' })
    const staff = await signedIn(app, await aMember(db, course, 'assistant'))
    await setRows(db, 'courses', course.id, { created_at: new Date('2026-03-04T12:00:00Z') })
    await aQuestion(db, { course, writtenAt: new Date('2024-12-31T12:00:00Z') })
    const path = `/courses/${course.slug}/figures`
    const today = weeksBetween('2026-01-01', new Date().toISOString().slice(0, 10))
    const RANGE = /href="([^"]*figures\?from=[^"]*)"( aria-current="true")?>([^<]*)</g
    const nav = async (page: string) =>
      [...(await staff.get(page)).body.matchAll(RANGE)].map(([, link = '', current, name = '']) => ({
        ...{ link: link.replaceAll('&amp;', '&'), name, isCurrent: current !== undefined },
      }))
    const [weeks, run, all] = await nav(path)
    assert.deepEqual([weeks?.name, weeks?.isCurrent], ['Last 12 weeks', true])
    assert.deepEqual([run?.name, run?.link], ['This course run', `${path}?from=2026-03-02&to=${today.to}`])
    assert.deepEqual([all?.name, all?.link], ['All time', `${path}?from=2024-12-30&to=${today.to}`])
    assert.deepEqual(valuesOf(await nav(all?.link ?? ''), 'isCurrent'), [false, false, true])
    const page = await staff.get(all?.link ?? '')
    const csvs = [...page.body.matchAll(/href="([^"]*figures\.csv[^"]*)"/g)].map(([, link = '']) => link)
    assert.ok(csvs.length > 0)
    for (const link of csvs) assert.match(link, /from=2024-12-30&amp;to=/)
    const csv = await staff.get((csvs[0] ?? '').replaceAll('&amp;', '&'))
    assert.match(csv.body, /weeks,2024-12-30,questions,1/)
    // More than ten years cannot be drawn: all time is the last ten then.
    await aQuestion(db, { course, writtenAt: new Date('2001-01-01T12:00:00Z') })
    const [, , decade] = await nav(path)
    assert.equal((await staff.get(decade?.link ?? '')).statusCode, 200)
  })

  test('the list of a course leads its staff alone to its figures', async () => {
    const { db, app } = forum
    const course = await aCourse(db, { isPublic: false })
    for (const role of ['learner', 'assistant'] as const) {
      const list = await (await signedIn(app, await aMember(db, course, role))).get(`/courses/${course.slug}`)
      assert.equal(list.body.includes(`/courses/${course.slug}/figures"`), role === 'assistant')
    }
  })

  test('times, hours and words of fewer than five people are in no difference of two ranges', async () => {
    const { db, app } = forum
    const { course, instructor, learners } = await anAskedCourse(db)
    const staff = await signedIn(app, instructor)
    const csv = async (to: string) =>
      (await staff.get(`/courses/${course.slug}/figures.csv?from=${ASKED_WEEKS.from}&to=${to}`)).body
    // The third week has questions by three people: with it and without it their times and hours are the same.
    const behaviour = (text: string) =>
      text.split('\r\n').filter((line) => /^(first|resolution|hours)(?!.*,2026-09-21,)/.test(line))
    assert.deepEqual(behaviour(await csv('2026-09-27')), behaviour(await csv('2026-09-20')))
    assert.match(await csv('2026-09-27'), /weeks,2026-09-21,questions,4\r\n/)
    assert.match(await csv('2026-09-27'), /firstAnswer,2026-09-21,median \(minutes\),<5/)

    // Nor do its words help a term over what it needs to be shown.
    const lectureId = course.lectureIds[1] ?? 0
    const asks = (author: (typeof learners)[number], writtenAt: Date) =>
      aQuestion(db, { course, author, lectureId, title: 'A quagga, quagga', writtenAt })
    for (const author of learners.slice(3, 7)) await asks(author, new Date('2026-09-16T03:00:00Z'))
    const third = learners[2] ?? assert.fail()
    await asks(third, new Date('2026-09-23T03:00:00Z'))
    assert.doesNotMatch(await csv('2026-09-27'), /quagga/)
    await asks(third, new Date('2026-09-16T03:00:00Z'))
    assert.match(await csv('2026-09-27'), /quagga/)
  })

  test('a course of few is shown by longer periods, its questions counted and led to, times withheld in one note', async () => {
    const { db, app } = forum
    const course = await aCourse(db, { timeZone: 'Asia/Seoul', lectures: ['Verbs', 'Errors'] })
    const instructor = await aMember(db, course, 'instructor')
    const staff = await signedIn(app, instructor)
    const [verbs = 0, errors = 0] = course.lectureIds
    const ask = async (day: string, lectureId: number) => {
      const at = (time: string) => ({ writtenAt: new Date(`${day}T${time}:00+09:00`) })
      const question = await aQuestion(db, { course, lectureId, ...at('00:30') })
      await anAnswer(db, { question, author: instructor, ...at('01:30') })
    }
    for (const day of ['2026-09-08', '2026-09-15']) await ask(day, errors)
    for (const day of ['2026-10-01', '2026-10-06', '2026-10-13', '2026-10-20', '2026-10-27'])
      await ask(day, verbs)
    const range = { from: '2026-09-07', to: '2026-11-01' }
    const weeks = await rowsOf(staff, course, 'weeks', range)
    const counts = weeks.map(({ from, questions, answers }) => [from, questions, answers].join(' '))
    assert.deepEqual(counts, ['2026-09-07 2 2', '2026-09-28 5 5'])
    const waits = await rowsOf(staff, course, 'firstAnswer', range)
    const medians = waits.map((row) => row['median (minutes)'])
    assert.deepEqual(medians, ['<5', '60'])

    const path = `/courses/${course.slug}/figures?from=${range.from}&to=${range.to}`
    const { body } = await staff.get(path)
    const text = textOf(body)
    assert.match(text, /7 people asked 7 questions from 7 Sep 2026 to 1 Nov 2026\./)
    assert.match(text, /Whole weeks, by month.*28 Sep 2026 – 1 Nov 2026/)
    assert.match(text, /Of 7 questions older than a day, 7 were answered within a day\./)
    assert.match(text, /Lecture 1, Verbs ?, raises the most questions: 5\./)
    assert.match(text, /28 Sep 2026 – 1 Nov 2026 5 5 0 1 h 1 h/)
    assert.match(text, /7 Sep 2026 – 27 Sep 2026 2 2 0 – –/)
    assert.equal(body.match(/id="withheld"/g)?.length, 1)
    assert.doesNotMatch(body, /viewBox="0 0 480/, 'no chart of two points or of nothing')

    // A number leads to just the questions that it counts, in the course's time zone.
    const link = /href="([^"]*from=2026-09-28[^"]*to=2026-11-01)"[^>]*>5</.exec(body)?.[1] ?? ''
    const list = (await staff.get(link.replaceAll('&amp;', '&'))).body
    assert.equal(titlesIn(list).length, 5)
    assert.match(textOf(list), /From 28 Sep 2026 to 1 Nov 2026/)
    const empty = (await staff.get(`/courses/${course.slug}/figures?from=2026-08-03&to=2026-08-30`)).body
    assert.match(textOf(empty), /No one asked from 3 Aug 2026 to 30 Aug 2026/)
    assert.doesNotMatch(empty, /class="chart"|id="withheld"/)
  })

  test('the drawings have neither styles nor scripts, a table each, and years where the range has several', async () => {
    const { db, app } = forum
    const { course, instructor, learners } = await anAskedCourse(db)
    for (const [index, author] of learners.entries())
      await aQuestion(db, { course, author, writtenAt: new Date(Date.UTC(2026, 8, 7 - 7 * (index % 2))) })
    const staff = await signedIn(app, instructor)
    const page = async (from: string) =>
      (await staff.get(`/courses/${course.slug}/figures?from=${from}&to=${ASKED_WEEKS.to}`)).body
    const body = await page('2026-08-24')
    const svgs = [...body.matchAll(/<svg[^>]*viewBox="0 0 480[\s\S]*?<\/svg>/g)].map(([svg]) => svg)
    assert.equal(svgs.length, 6)
    for (const svg of svgs) {
      assert.doesNotMatch(svg, /style|<script|NaN|undefined/)
      assert.match(svg, /^<svg[^>]* role="img"/)
      assert.ok(body.includes(`<h2 id="${/aria-labelledby="([^"]+)"/.exec(svg)?.[1]}"`))
    }
    assert.equal(body.match(/<details class="data">/g)?.length, 8)
    assert.match(body, /class="bar-q"/)
    assert.match(body, /class="heat-4"/)
    assert.match(body, />7 Sep</)
    assert.match(await page('2025-12-01'), />1 Dec 2025</)
  })

  test('what is for staff alone is in no figure', async () => {
    const { db, app } = forum
    const { course, instructor, learners } = await anAskedCourse(db)
    const staff = await signedIn(app, instructor)
    const before = await rowsOf(staff, course, 'weeks')
    const lectureId = course.lectureIds[0] ?? 0
    const asked = { course, lectureId, title: 'quagga quagga', writtenAt: new Date('2026-09-09T03:00:00Z') }
    for (const author of learners) await aQuestion(db, { ...asked, author, audience: 'staff' })
    assert.deepEqual(await rowsOf(staff, course, 'weeks'), before)
    const weeks = new URLSearchParams({ ...ASKED_WEEKS })
    const page = await staff.get(`/courses/${course.slug}/figures?${weeks}`)
    assert.doesNotMatch(page.body, /quagga/)
  })
})
