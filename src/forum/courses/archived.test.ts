import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { claimsOf } from '../../kernel/rights/routes-testing.ts'
import { RIGHTS } from '../../kernel/rights/table.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { aForum, sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { routesOf } from '../../testing/routes-of.ts'
import { questionPath } from '../../web/paths.ts'

suite('a course that is archived', () => {
  const forum = sharedForum()

  async function anArchivedThread() {
    const { db } = forum
    const course = await aCourse(db)
    const asker = await aPerson(db)
    const question = await aQuestion(db, { course, author: asker })
    const answer = await anAnswer(db, { question, author: asker })
    const reply = await aReply(db, { answer, author: asker })
    await db.updateTable('courses').set({ archived_at: new Date() }).where('id', '=', course.id).execute()
    return { course, asker, question, answer, reply }
  }

  test('refuses every form that writes in it, with a page that says why', async () => {
    const { app, db } = forum
    const { course, asker, ...posts } = await anArchivedThread()
    const ids = { questions: posts.question.id, answers: posts.answer.id, replies: posts.reply.id }
    const people = [asker, await aMember(db, course, 'instructor'), await aPerson(db, { isAdmin: true })]
    const writing = routesOf(app).filter(({ method, path }) =>
      (claimsOf(`${method} ${path}`) ?? []).some(
        ({ act }) => method === 'POST' && act in RIGHTS && act !== 'meet' && isOfPosts(path) && !isLeft(act),
      ),
    )
    assert.ok(writing.length > 12)
    for (const person of people) {
      const browser = await signedIn(app, person)
      for (const { path } of writing) {
        const kind = path.split('/')[1] as keyof typeof ids
        const answer = await browser.post(path.replace(':id', String(ids[kind])), { body: 'x', value: '1' })
        assert.equal(answer.statusCode, 403, path)
        if (person !== asker) assert.match(textOf(answer.body), /This course is archived/, path)
      }
    }
  })

  test('takes no question, says so, and keeps what was typed', async () => {
    const { app, db } = forum
    const { course } = await anArchivedThread()
    const browser = await signedIn(app, await aPerson(db))
    const form = await browser.get(`/questions/new?course=${course.slug}`)
    assert.equal(form.statusCode, 403)
    assert.match(textOf(form.body), /This course is archived/)
    const asked = { course: course.slug, title: 'Is anybody here?', body: 'Kept words.', tags: '' }
    const refused = await browser.post('/questions', asked)
    assert.equal(refused.statusCode, 403)
    assert.match(refused.body, /Kept words\./)
  })

  test('is told nothing, and its FAQ stays as it is', async () => {
    const { app, db } = forum
    const course = await aCourse(db, { lectures: ['Verbs'] })
    const instructor = await signedIn(app, await aMember(db, course, 'instructor'))
    const path = `/courses/${course.slug}`
    const text = { title: 'Room 5', body: 'We meet in room 5.' }
    await instructor.post(`${path}/announcements/new`, text)
    await instructor.post(`${path}/faq`, { ...text, state: 'shown' })
    const [announcement, entry] = [
      await db
        .selectFrom('announcements')
        .select('id')
        .where('course_id', '=', course.id)
        .executeTakeFirstOrThrow(),
      await db
        .selectFrom('faq_entries')
        .select('id')
        .where('course_id', '=', course.id)
        .executeTakeFirstOrThrow(),
    ]
    await instructor.post(`${path}/archive`, { value: 1 })
    for (const [to, fields] of [
      [`${path}/announcements/new`, text],
      [`/announcements/${announcement.id}/edit`, { ...text, version: 1 }],
      [`${path}/faq`, text],
      [`/faq/${entry.id}`, { title: 'Another title' }],
    ] as const)
      assert.equal((await instructor.post(to, fields)).statusCode, 403, to)
    const told = db.selectFrom('announcements').select(['title']).where('course_id', '=', course.id)
    assert.deepEqual(await told.execute(), [{ title: 'Room 5' }])
  })

  test('keeps a draft to be read, which cannot be posted', async () => {
    const { app, db } = forum
    const { asker, question } = await anArchivedThread()
    const browser = await signedIn(app, asker)
    const place = `/questions/${question.id}/answers`
    await browser.post('/drafts', { place, body: 'Words of a draft.', version: '0' })
    const posted = await browser.post(place, { body: 'Words of a draft.' })
    assert.equal(posted.statusCode, 403)
    const { count } = await db
      .selectFrom('answers')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('question_id', '=', question.id)
      .executeTakeFirstOrThrow()
    assert.equal(count, 1)
  })

  test('is read as before, without forms, and says that it is archived', async () => {
    const { app, db } = forum
    const { course, question } = await anArchivedThread()
    for (const browser of [visitor(app), await signedIn(app, await aPerson(db))]) {
      const page = await browser.get(questionPath(question))
      assert.equal(page.statusCode, 200)
      assert.match(textOf(page.body), /This course is archived and read-only/)
      assert.doesNotMatch(page.body, /action="[^"]*\/(answers|replies|votes|resolution|edit)"/)
      assert.equal((await browser.get(`/courses/${course.slug}`)).statusCode, 200)
    }
  })
})

test('where members alone write, others read and are told so', async (t) => {
  const { app, db } = await aForum(t)
  const course = await aCourse(db)
  const question = await aQuestion(db, { course })
  await db.updateTable('courses').set({ asking: 'members' }).where('id', '=', course.id).execute()
  const stranger = await signedIn(app, await aPerson(db))
  assert.equal((await stranger.get(`/questions/new?course=${course.slug}`)).statusCode, 403)
  assert.equal((await stranger.post(`/questions/${question.id}/answers`, { body: 'x' })).statusCode, 403)
  assert.match(
    textOf((await stranger.get(questionPath(question))).body),
    /Only members of this course can post/,
  )
  const member = await signedIn(app, await aMember(db, course))
  assert.equal((await member.post(`/questions/${question.id}/answers`, { body: 'x' })).statusCode, 303)
})

const isOfPosts = (path: string) => /^\/(questions|answers|replies)\/:id\//.test(path)
const isLeft = (act: string) => RIGHTS[act as keyof typeof RIGHTS].on.includes('archived')
