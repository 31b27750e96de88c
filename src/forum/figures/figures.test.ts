import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type RawBuilder, sql } from 'kysely'
import { ASKED_TIME_ZONE, ASKED_WEEKS, anAskedCourse } from '../../testing/asked-course.ts'
import { readForum } from '../../testing/forum.ts'
import { valuesOf } from '../../testing/rows.ts'
import { rowsOf } from './testing.ts'

suite('figures agree with counts of their own', () => {
  const forum = readForum(async ({ db, signIn }) => {
    const asked = await anAskedCourse(db)
    return { ...asked, staff: await signIn(asked.instructor) }
  })
  const figure = (name: string) => rowsOf(forum.world.staff, forum.world.course, name)
  const get = (path: string) => forum.world.staff.get(`/courses/${forum.world.course.slug}/${path}`)

  /** All questions, with what came of them, counted another way than the figures are. */
  const allQuestions = () => sql`
    select q.*, to_char(date_trunc('week', q.written_at at time zone ${ASKED_TIME_ZONE}), 'YYYY-MM-DD') as week,
      (select min(a.written_at) from answers a where a.question_id = q.id and a.author_id <> q.author_id) as answered_at,
      (select min(a.written_at) from answers a where a.question_id = q.id and a.author_id = ${forum.world.instructor.id}) as staff_at
    from questions q where q.course_id = ${forum.world.course.id}`
  /** Those of the weeks in which five people asked: the three of the third week are joined with no one. */
  const shownQuestions = () => sql`
    select * from (${allQuestions()}) as q where q.week in (
      select week from (${allQuestions()}) as one group by week having count(distinct author_id) >= 5)`

  async function counted<Row>(query: RawBuilder<unknown>): Promise<Row[]> {
    const { rows } = await query.execute(forum.db)
    return rows as Row[]
  }

  test('what staff can count in a list is exact, however few people it is about', async () => {
    const rows = await figure('weeks')
    const expected = await counted<Record<string, number | string>>(sql`
      select week as from, count(*) as questions, sum(answers) as answers,
        count(*) filter (where status = 'resolved') as resolved,
        count(*) filter (where answered_at <= written_at + interval '24 hours') as "withinDay"
      from (${allQuestions()}) q, lateral (
        select count(*) as answers from answers a where a.question_id = q.id and a.author_id <> q.author_id) as counted
      group by 1 order by 1`)
    const nothing = { from: '2026-09-28', questions: 0, answers: 0, resolved: 0, withinDay: 0 }
    const asText = (row: object) => Object.entries(row).map(([name, value]) => `${name}: ${value}`)
    assert.deepEqual(rows.map(asText), [...expected, nothing].map(asText))
    assert.equal(rows[2]?.questions, '4', 'by three people')
  })

  for (const [name, column] of [
    ['firstAnswer', 'answered_at'],
    ['firstStaffAnswer', 'staff_at'],
    ['resolution', 'resolved_at'],
  ] as const) {
    test(`the median and 90th percentile of ${name}, as PostgreSQL counts them`, async () => {
      const rows = await figure(name)
      const wait = sql`extract(epoch from ${sql.ref(column)} - written_at) / 60`
      const expected = await counted<{ week: string; median: number; ninetieth: number }>(sql`
        select week, round(percentile_cont(0.5) within group (order by ${wait})) as median,
          round(percentile_cont(0.9) within group (order by ${wait})) as ninetieth
        from (${shownQuestions()}) q where ${sql.ref(column)} is not null group by 1 order by 1`)
      assert.equal(expected.length, 2)
      assert.deepEqual(
        rows.slice(0, 2).map((row) => [row.from, row['median (minutes)'], row['ninetieth (minutes)']]),
        expected.map(({ week, median, ninetieth }) => [week, String(median), String(ninetieth)]),
      )
      assert.deepEqual(Object.values(rows[2] ?? {}).slice(1), ['<5', '<5'])
    })
  }

  test('the share that is answered within a day', async () => {
    const rows = await figure('withinDay')
    const expected = await counted<{ share: number }>(sql`
      select round(avg((coalesce(answered_at <= written_at + interval '24 hours', false))::integer), 4)::float8 as share
      from (${allQuestions()}) q group by week order by week`)
    const shares = rows.slice(0, 3).map(({ withinDay }) => Number(withinDay))
    assert.deepEqual(shares, valuesOf(expected, 'share'))
    assert.ok(expected.some(({ share }) => share > 0 && share < 1))
  })

  test('who answers: staff and classmates, and nobody by name', async () => {
    const rows = await figure('who')
    const expected = await counted<{ group: string; answers: number }>(sql`
      select case when a.author_id = ${forum.world.instructor.id} then 'staff' else 'classmates' end as group, count(*) as answers
      from answers a join (${allQuestions()}) q on q.id = a.question_id where a.author_id <> q.author_id
      group by 1 order by 1 desc`)
    const shown = rows.map(({ group, answers }) => ({ group, answers: Number(answers) }))
    assert.deepEqual(shown, expected)
    const page = await get(`figures?${new URLSearchParams({ ...ASKED_WEEKS })}`)
    for (const { displayName } of forum.world.learners)
      assert.ok(!page.body.includes(`${displayName}<`), displayName)
  })

  test('the hours of the week, in the course’s time zone, to the nearest five', async () => {
    const rows = await figure('hours')
    const expected = await counted<{ day: number; hour: number; questions: number; people: number }>(sql`
      select extract(isodow from at)::integer - 1 as day, (extract(hour from at)::integer / 4) * 4 as hour,
        count(*) as questions, count(distinct author_id) as people
      from (${shownQuestions()}) q, lateral (select q.written_at at time zone ${ASKED_TIME_ZONE} as at) as here group by 1, 2`)
    const byPlace = new Map<string, string>()
    for (const { day, hour, questions, people } of expected)
      byPlace.set(`${day} ${hour}`, people < 5 ? '<5' : String(Math.round(questions / 5) * 5))
    for (const [day, row] of rows.entries())
      for (const hour of [0, 4, 8, 12, 16, 20])
        assert.equal(row[`${hour}–${hour + 4} h`], byPlace.get(`${day} ${hour}`) ?? '0', `${day} ${hour}`)
    assert.ok([...byPlace.values()].some((number) => Number(number) >= 5))
  })

  test('lectures by their questions, each of them counted', async () => {
    const rows = await figure('lectures')
    const expected = await counted<{ lecture: string; questions: number }>(sql`
      select position || ' · ' || lectures.title as lecture, count(*) as questions
      from (${allQuestions()}) q join lectures on lectures.id = q.lecture_id group by 1 order by 2 desc`)
    assert.equal(expected.length, 3)
    const perHundredOf = (questions: number) =>
      Math.round((questions * 1000) / forum.world.learners.length) / 10
    assert.deepEqual(
      rows.map(({ lecture, questions, perHundred }) => [lecture, Number(questions), Number(perHundred)]),
      expected.map(({ lecture, questions }) => [lecture, questions, perHundredOf(questions)]),
    )
    const termsOf = (title: string) => rows.find(({ lecture }) => lecture?.includes(title))?.terms
    assert.match(termsOf('Hypermedia') ?? '', /hypermedia/)
    assert.match(termsOf('Verbs') ?? '', /verb/)
  })

  test('the whole of it as one CSV, whatever the range is cut to', async () => {
    const whole = await get('figures.csv?from=2026-09-09&to=2026-10-01')
    assert.match(whole.body, /^\uFEFFfigure,row,column,value\r\n/)
    assert.match(whole.body, /\r\nweeks,2026-09-07,questions,20\r\n/)
    const weeks = await get(`figures.csv?${new URLSearchParams({ ...ASKED_WEEKS })}`)
    assert.equal(whole.body, weeks.body)
  })
})
