import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { recount } from '../../database/recount.ts'
import { uploaded } from '../../forum/pictures/pictures-testing.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aMember, anAnswer, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { deleteQuestion } from '../../testing/posts.ts'
import { addRow, columnsOf, rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { CANARY, runsIn } from './course-copies-testing.ts'

suite('questions for the next run', () => {
  const forum = sharedForum()
  const { aRun, copied, questionsOf, pageOf } = runsIn(forum)

  test('answered questions come along, in their lectures and categories, without votes, history and learners’ names', async () => {
    const { db } = forum
    const run = await aRun()
    const { asked, kim, mina, browser, picture } = run
    const { baseUrl } = forum.app.config
    await setRows(db, 'questions', asked.id, {
      body: `${picture.markdown}\n\nAsk @[Mina${CANARY}](person:${mina.id}) or @[Kim](person:${kim.id}).\n\n[Who, ${CANARY}](/people/${mina.id}) ${baseUrl}/people/${mina.id}/mina`,
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
    await addRow(db, 'post_versions', { question_id: asked.id, version: 1, ...written })
    const copy = await copied(run)
    const questions = await questionsOf(copy.id)
    assert.deepEqual(valuesOf(questions, 'title').sort(), ['Asked in hiding', 'Which code?'])
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
    assert.deepEqual(columnsOf(answers, 'author_id', 'votes_count'), [[kim.id, 0]])
    assert.equal(question.accepted_answer_id, answers[0]?.id)
    for (const { id } of questions) {
      const page = await pageOf(browser, id)
      assert.doesNotMatch(page, new RegExp(`${CANARY}|/people/${mina.id}\\b`), 'for staff')
      assert.doesNotMatch(await pageOf(visitor(forum.app), id), new RegExp(CANARY))
    }
    const page = textOf(await pageOf(browser, question.id))
    assert.match(page, new RegExp(`From ${run.course.title}`))
    assert.doesNotMatch(await pageOf(browser, question.id), /Imported from/)
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
    assert.deepEqual(valuesOf(questions, 'title').sort(), ['Asked in hiding', 'Which code?'])
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
      valuesOf(answers, 'author_id'),
      [kim.id, jun.id].sort((one, two) => one - two),
    )
    const members = await rowsOf(db, 'course_members', { course_id: copy.id })
    assert.deepEqual(valuesOf(members, 'person_id'), [kim.id])
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
    assert.deepEqual(valuesOf(events, 'type'), ['course.imported'])
  })
})
