import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { recount } from '../../database/recount.ts'
import { courseCopy } from '../../forum/course-settings/copy.ts'
import { uploaded } from '../../forum/pictures/pictures-testing.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import { act } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { deleteQuestion } from '../../testing/posts.ts'
import { rowOf, rowsOf, setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { copyingKind } from './course-copies.ts'

/** What must not come along says it. */
const CANARY = 'Zyxcanary'

suite('questions for the next run', () => {
  const forum = sharedForum()
  let runs = 0

  /** A course with questions of each kind, and what its instructor copies of it. */
  async function aRun() {
    const { db, app } = forum
    runs += 1
    const course = await aCourse(db, {
      title: `Run ${runs}`,
      lectures: ['Same', 'Same'],
      categories: ['Lab'],
    })
    const member = async (displayName: string, role: 'learner' | 'instructor' = 'learner') =>
      aMember(db, course, role, await aPerson(db, { displayName }))
    const [kim, mina, jun, shy] = [
      await member('Kim', 'instructor'),
      await member(`Mina${CANARY}`),
      await member(`Jun${CANARY}`),
      await member(`Shy${CANARY}`),
    ]
    const browser = await signedIn(app, kim)
    const picture = await uploaded(await signedIn(app, mina))
    const other = await aQuestion(db, { course, author: mina, title: 'Without an answer' })
    const asked = await aQuestion(db, {
      ...{ course, author: mina, title: 'Which code?', tags: ['http'], votes: 2, views: 7 },
      lectureId: course.lectureIds[1] ?? 0,
    })
    const answer = await anAnswer(db, {
      question: asked,
      author: kim,
      isAccepted: true,
      votes: 1,
      body: 'It is **201**.',
    })
    await aReply(db, { answer, author: mina, body: 'Thanks.' })
    const anonymous = await aQuestion(db, {
      course,
      author: shy,
      title: 'Asked in hiding',
      isAnonymous: true,
    })
    const endorsed = await anAnswer(db, {
      question: anonymous,
      author: jun,
      body: `See #${asked.id} and #${other.id}.`,
    })
    await setRows(db, 'answers', endorsed.id, { endorsed_at: new Date(), endorsed_by: kim.id })
    return { course, kim, mina, jun, shy, browser, picture, other, asked, answer, anonymous, endorsed }
  }

  /** Copies it, and does the job. */
  async function copied(
    { course, kim }: Awaited<ReturnType<typeof aRun>>,
    input: Record<string, unknown> = {},
  ) {
    const { db } = forum
    const title = `${course.slug} again`
    const { slug } = await act(forum, courseCopy, {
      ...{ actor: kim, key: course.slug },
      input: { title, questions: 'accepted', ...input },
    })
    await doJobs(db, kind())
    return rowOf(db, 'courses', { slug })
  }

  const kind = () => {
    const { app, db } = forum
    return copyingKind(db, { store: app.pictures, baseUrl: app.config.baseUrl })
  }
  const questionsOf = (courseId: number) => rowsOf(forum.db, 'questions', { course_id: courseId })
  const pageOf = async (browser: Awaited<ReturnType<typeof signedIn>>, id: number) => {
    const answer = await browser.get(`/questions/${id}`)
    return (answer.statusCode === 301 ? await browser.follow(answer) : answer).body
  }

  test('answered questions come along, in their lectures and categories, without votes, history and learners’ names', async () => {
    const { db } = forum
    const run = await aRun()
    const { asked, kim, mina, browser, picture } = run
    const { baseUrl } = forum.app.config
    await setRows(db, 'questions', asked.id, {
      body: `${picture.markdown}\n\nAsk @[Mina${CANARY}](person:${mina.id}) or @[Kim](person:${kim.id}).\n\n[Who](/people/${mina.id}) ${baseUrl}/people/${mina.id}/mina`,
      ...{ version: 2, edited_at: new Date(), edited_by: kim.id, edit_reason: CANARY },
    })
    await sql`insert into post_images (image_id, question_id) select id, ${asked.id} from images
      where name = ${picture.url.split('/').at(-1)}`.execute(db)
    const written = {
      written_at: new Date(),
      written_by: mina.id,
      title: CANARY,
      body: CANARY,
      tags: ['http'],
    }
    await db
      .insertInto('post_versions')
      .values({ question_id: asked.id, version: 1, ...written })
      .execute()
    const copy = await copied(run)
    const questions = await questionsOf(copy.id)
    assert.deepEqual(questions.map(({ title }) => title).sort(), ['Asked in hiding', 'Which code?'])
    const question = questions.find(({ title }) => title === 'Which code?') ?? assert.fail()
    assert.deepEqual(
      [question.votes_count, question.views_count, question.version, question.edited_at, question.status],
      [0, 0, 1, null, 'resolved'],
    )
    const lecture = await rowOf(db, 'lectures', { id: question.lecture_id ?? 0 })
    assert.deepEqual([lecture.course_id, lecture.position], [copy.id, 2], 'one of the same title is another')
    assert.equal((await rowsOf(db, 'lectures', { course_id: copy.id })).length, 2)
    assert.equal((await rowsOf(db, 'categories', { course_id: copy.id })).length, 2)
    const answers = await rowsOf(db, 'answers', { question_id: question.id })
    assert.deepEqual(
      answers.map(({ author_id, votes_count }) => [author_id, votes_count]),
      [[kim.id, 0]],
    )
    assert.equal(question.accepted_answer_id, answers[0]?.id)
    for (const { id } of questions) {
      const page = await pageOf(browser, id)
      assert.doesNotMatch(page, new RegExp(`${CANARY}|/people/${mina.id}\\b`), 'for staff')
      assert.doesNotMatch(await pageOf(visitor(forum.app), id), new RegExp(CANARY))
    }
    const page = textOf(await pageOf(browser, question.id))
    assert.match(page, new RegExp(`From ${run.course.title}`))
    assert.match(page, /Ask @someone or @?Kim/)
    assert.deepEqual(await recount(db), [])
  })

  test('what not all members read stays behind, and so do answers and replies that they don’t', async () => {
    const { db } = forum
    const run = await aRun()
    const { course, kim, asked, answer } = run
    const resolved = async (title: string) => {
      const question = await aQuestion(db, {
        course,
        title: `${title} ${CANARY}`,
        tags: [`${title}-${CANARY}`],
      })
      await anAnswer(db, { question, author: kim, isAccepted: true, body: CANARY })
      return question
    }
    const [secret, held, hidden, deleted] = [
      ...[
        await resolved('private'),
        await resolved('held'),
        await resolved('hidden'),
        await resolved('deleted'),
      ],
    ] as const
    await setRows(db, 'questions', secret.id, { audience: 'staff' })
    await setRows(db, 'questions', held.id, { held_at: new Date(), held_for: 'links' })
    await setRows(db, 'questions', hidden.id, { hidden_at: new Date() })
    await within(db, deleteQuestion, deleted.id)
    const gone = await anAnswer(db, { question: asked, body: CANARY })
    await aReply(db, { answer: gone, body: CANARY })
    await setRows(db, 'answers', gone.id, { hidden_at: new Date() })
    const reply = await aReply(db, { answer, body: CANARY })
    await setRows(db, 'replies', reply.id, { held_at: new Date(), held_for: 'links' })
    const copy = await copied(run)
    const questions = await questionsOf(copy.id)
    assert.deepEqual(questions.map(({ title }) => title).sort(), ['Asked in hiding', 'Which code?'])
    const ids = questions.map(({ id }) => id)
    const { rows } = await sql`
      select body from answers where question_id = any(${ids}::bigint[]) and body = ${CANARY}
      union all select body from replies where question_id = any(${ids}::bigint[]) and body = ${CANARY}`.execute(
      db,
    )
    assert.deepEqual(rows, [])
    const { rows: tags } = await sql<{ name: string }>`
      select name from course_tags join tags on tags.id = tag_id where course_id = ${copy.id}`.execute(db)
    assert.deepEqual(tags, [{ name: 'http' }])
  })

  test('learners are named if that is chosen, as the same people and no members; who was anonymous is no one all the same', async () => {
    const { db } = forum
    const run = await aRun()
    const { mina, jun, shy, kim, anonymous } = run
    const copy = await copied(run, { names: '1' })
    const authors = Object.fromEntries(
      (await questionsOf(copy.id)).map(({ title, author_id }) => [title, author_id]),
    )
    assert.equal(authors['Which code?'], mina.id)
    assert.notEqual(authors[anonymous.title], shy.id)
    const hidden = await rowOf(db, 'people', { id: authors[anonymous.title] ?? 0 })
    assert.deepEqual([hidden.display_name, hidden.left_at === null], ['Former member', false])
    const answers = await db
      .selectFrom('answers')
      .innerJoin('questions as q', 'q.id', 'answers.question_id')
      .select('answers.author_id')
      .where('q.course_id', '=', copy.id)
      .orderBy('answers.author_id')
      .execute()
    assert.deepEqual(
      answers.map(({ author_id }) => author_id),
      [kim.id, jun.id].sort((one, two) => one - two),
    )
    const members = await rowsOf(db, 'course_members', { course_id: copy.id })
    assert.deepEqual(
      members.map(({ person_id }) => person_id),
      [kim.id],
    )
    assert.deepEqual(await recount(db), [])
  })

  test('links between copied questions lead to the copies, others to the course that they come from', async () => {
    const run = await aRun()
    const { course, other, anonymous, asked, browser } = run
    const copy = await copied(run)
    const ids = Object.fromEntries((await questionsOf(copy.id)).map(({ title, id }) => [title, id]))
    const of = ids[anonymous.title] ?? 0
    const page = await pageOf(browser, of)
    assert.match(page, new RegExp(`href="/questions/${ids[asked.title]}/which-code"`))
    assert.match(page, new RegExp(`href="/questions/${other.id}/without-an-answer"`))
    await setRows(forum.db, 'courses', course.id, { is_public: false })
    assert.doesNotMatch(await pageOf(visitor(forum.app), of), /without-an-answer|Without an answer/)
  })

  test('a picture is shared with the copy’s members, but none that not all members of the course see', async () => {
    const { db, app } = forum
    const run = await aRun()
    const { course, mina, asked, picture } = run
    const staffOnly = await aQuestion(db, { course, audience: 'staff' })
    const secret = await uploaded(await signedIn(app, mina))
    const nameOf = ({ url }: { url: string }) => url.split('/').at(-1) ?? ''
    const shows = (questionId: number, name: string) =>
      sql`
      insert into post_images (image_id, question_id) select id, ${questionId} from images where name = ${name}`.execute(
        db,
      )
    await shows(asked.id, nameOf(picture))
    await shows(staffOnly.id, nameOf(secret))
    await setRows(db, 'questions', asked.id, { body: `${picture.markdown} ${secret.markdown}` })
    const copy = await copied(run)
    await setRows(db, 'courses', copy.id, { is_public: false })
    await setRows(db, 'courses', course.id, { is_public: false })
    const member = await signedIn(app, await aMember(db, { ...course, ...copy }, 'learner'))
    assert.equal((await member.get(picture.url)).statusCode, 200)
    assert.equal((await member.get(secret.url)).statusCode, 404)
    assert.equal((await visitor(app).get(picture.url)).statusCode, 404)
    assert.equal((await rowsOf(db, 'images', { uploader_id: mina.id })).length, 2, 'none is doubled')
  })

  test('copies wait on no desk, and nobody is notified or follows them', async () => {
    const { db } = forum
    const run = await aRun()
    await setRows(db, 'questions', run.anonymous.id, { reopened_at: new Date() })
    const [told, follows] = [await rowsOf(db, 'notifications', {}), await rowsOf(db, 'question_follows', {})]
    const copy = await copied(run)
    const desks = await rowsOf(db, 'question_desk', { course_id: copy.id })
    assert.ok(
      desks.every(
        ({ waiting_since, classmates_since }) => waiting_since === null && classmates_since === null,
      ),
    )
    assert.deepEqual(await rowsOf(db, 'notifications', {}), told)
    assert.deepEqual(await rowsOf(db, 'question_follows', {}), follows)
    const events = await rowsOf(db, 'events', { course_id: copy.id })
    assert.deepEqual(
      events.map(({ type }) => type),
      ['course.imported'],
    )
  })

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
      assert.deepEqual(
        (await questionsOf(copy.id)).map(({ title }) => title),
        [asked.title],
      )
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
    assert.deepEqual(
      (await questionsOf(copy.id)).map(({ title }) => title),
      ['Asked in hiding'],
    )
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
