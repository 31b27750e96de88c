import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { recount } from '../../database/recount.ts'
import { courseCopy } from '../../forum/course-settings/copy.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import { act } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf, setRows, valuesOf } from '../../testing/rows.ts'
import { runsIn } from './course-copies-testing.ts'

suite('copying questions for the next run', () => {
  const forum = sharedForum()
  const { aRun, kind, questionsOf } = runsIn(forum)

  test('lectures and tags are chosen in the form, which keeps what was ticked when it is refused', async () => {
    const { db } = forum
    const run = await aRun()
    const { course, browser, asked } = run
    const path = `/courses/${course.slug}`
    const refused = await browser.post(`${path}/copy`, {
      title: 'Next',
      questions: 'chosen',
      names: '1',
      tag: ['gone', 'x'],
    })
    assert.equal(refused.statusCode, 422)
    assert.match(textOf(refused.body), /Choose at least one lecture or tag\./)
    assert.match(refused.body, /value="chosen" checked/)
    const untitled = await browser.post(`${path}/copy`, {
      title: '',
      questions: 'chosen',
      lecture: ['1', '2'],
      tag: 'http',
    })
    for (const [name, value] of [
      ['lecture', '2'],
      ['tag', 'http'],
    ])
      assert.match(untitled.body, new RegExp(`name="${name}"\\s+value="${value}"\\s+checked`))
    const ticked = { title: 'Next', questions: 'chosen', lecture: ['1', '2'], names: '1' }
    const away = await visitor(forum.app).post(`${path}/copy`, ticked)
    const { fields } = await rowOf(db, 'kept_forms', {})
    assert.match(String(away.headers.location), /^\/sign-in/)
    assert.deepEqual(fields, { ...ticked, lecture: '1 2', tag: '' })
    const form = textOf((await browser.get(`${path}/settings/copy`)).body)
    assert.match(form, /endorsed answer \(2\).*2 · Same \(1\).*http \(1\)/)
    for (const chosen of [{ lecture: ['1', '2'] }, { tag: 'http' }, { lecture: '2', tag: 'http' }]) {
      const made = await browser.post(`${path}/copy`, { title: 'Chosen', questions: 'chosen', ...chosen })
      const settings = String(made.headers.location)
      assert.match(textOf((await browser.get(settings)).body), /will be copied in a moment/)
      await doJobs(db, kind())
      assert.doesNotMatch(textOf((await browser.get(settings)).body), /will be copied|Copying questions/)
      const copy = await rowOf(db, 'courses', { slug: settings.split('/')[2] ?? '' })
      assert.deepEqual(valuesOf(await questionsOf(copy.id), 'title'), [asked.title])
    }
  })

  test('a copy that broke off begins again, one that is done does nothing, and one whose course is gone says so', async () => {
    const { db, app } = forum
    const run = await aRun()
    const { course, kim, browser } = run
    const { slug } = await act(forum, courseCopy, {
      ...{ actor: kim, key: course.slug, input: { title: 'Broken', questions: 'accepted' } },
    })
    const copy = await rowOf(db, 'courses', { slug })
    const quitting = AbortSignal.abort(new Error('stop'))
    const job = [{ id: 1, key: String(copy.id), tries: 1 }]
    await assert.rejects(kind().run(job, quitting), { message: 'stop' })
    const page = textOf((await browser.get(`/courses/${slug}/settings`)).body)
    assert.match(page, /Copying questions: 2 of 2/)
    assert.doesNotMatch(textOf((await browser.get(`/courses/${slug}`)).body), /Which code/)
    // Meanwhile it isn't for all members any more.
    await setRows(db, 'questions', run.asked.id, { hidden_at: new Date() })
    await doJobs(db, kind())
    await kind().run(job, new AbortController().signal)
    assert.deepEqual(valuesOf(await questionsOf(copy.id), 'title'), ['Asked in hiding'])
    assert.deepEqual(await recount(db), [])
    const next = await act(forum, courseCopy, {
      ...{ actor: kim, key: course.slug, input: { title: 'Too late', questions: 'accepted' } },
    })
    const late = await rowOf(db, 'courses', { slug: next.slug })
    await setRows(db, 'course_copies', { course_id: late.id }, { from_course_id: null })
    const failed = await kind()
      .run([{ id: 2, key: String(late.id), tries: 1 }], new AbortController().signal)
      .then(
        () => assert.fail(),
        (error: unknown) => error,
      )
    assert.equal(kind().isHopeless?.(failed), true)
    await kind().failed?.({ id: 2, key: String(late.id), tries: 1 }, true)
    const said = textOf((await (await signedIn(app, kim)).get(`/courses/${next.slug}/settings`)).body)
    assert.match(said, /The questions couldn’t be copied/)
    await sql`delete from jobs where kind = 'copies'`.execute(db)
  })
})
