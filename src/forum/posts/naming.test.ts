import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { within } from '../../testing/within.ts'
import { setFollowing } from '../follows/following.ts'

suite('posts without a name', () => {
  const forum = sharedForum()

  async function aCourseWithMasks() {
    const { app, db } = forum
    const course = await aCourse(db)
    await db.updateTable('courses').set({ allows_anonymous: true }).where('id', '=', course.id).execute()
    const asker = await aMember(db, course, 'learner', await aPerson(db, { displayName: 'Zyxmina' }))
    return {
      course,
      asker,
      mina: await signedIn(app, asker),
      staff: await signedIn(app, await aMember(db, course, 'assistant')),
    }
  }
  const tickedIn = (html: string) =>
    [...html.matchAll(/<input id="[\w-]*anonymous[\w-]*" type="checkbox"[^>]*>/g)].map(([box]) =>
      /checked/.test(box),
    )
  const latest = async () =>
    await forum.db
      .selectFrom('questions')
      .select(['id', 'is_anonymous'])
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()

  test('a learner asks, answers and replies without the name, and goes on so in that thread', async () => {
    const { course, mina, staff } = await aCourseWithMasks()
    const form = await mina.get(`/questions/new?course=${course.slug}`)
    assert.match(form.body, /your name \(Zyxmina/)
    assert.deepEqual(tickedIn(form.body), [false])
    const fields = { course: course.slug, title: 'Who dares', body: 'I do.', tags: '', anonymous: '1' }
    const posted = await mina.follow(await mina.post('/questions', fields))
    assert.match(textOf(posted.body), /Anonymous 1 \(you\)/)
    assert.deepEqual(tickedIn(posted.body), [true, true], 'reply and answer')
    const { id } = await latest()
    await mina.post(`/questions/${id}/answers`, { body: 'Found it.', anonymous: '1' })
    await mina.post(`/questions/${id}/replies`, { body: 'A detail.' })

    const seen = (await visitor(forum.app).get(`/questions/${id}/who-dares`)).body
    assert.match(textOf(seen), /Anonymous 1.*Zyxmina.*A detail.*Anonymous 1.*Found it/s)
    assert.match(
      textOf((await staff.get(`/questions/${id}/who-dares`)).body),
      /Zyxmina .*Anonymous 1 to classmates/s,
    )
  })

  test('staff post with their names, and so does everybody where the course says so', async () => {
    const { course, staff } = await aCourseWithMasks()
    const question = await aQuestion(forum.db, { course })
    const page = await staff.follow(await staff.get(`/questions/${question.id}`))
    assert.deepEqual(tickedIn(page.body), [])
    const refused = await staff.post(`/questions/${question.id}/answers`, {
      body: 'Kept text.',
      anonymous: '1',
    })
    assert.equal(refused.statusCode, 422)
    assert.match(refused.body, /Staff can’t post anonymously[\s\S]*Kept text/)

    const elsewhere = await aCourse(forum.db)
    const other = await aQuestion(forum.db, { course: elsewhere })
    const learner = await signedIn(forum.app, await aMember(forum.db, elsewhere))
    for (const path of [`/questions/${other.id}/answers`, `/questions/${other.id}/replies`]) {
      const answer = await learner.post(path, { body: 'Kept text.', anonymous: '1' })
      assert.equal(answer.statusCode, 422)
      assert.match(answer.body, /Anonymous posts are off in this course[\s\S]*Kept text/)
    }
    const asked = { course: elsewhere.slug, title: 'Who dares', body: 'I do.', tags: '', anonymous: '1' }
    assert.equal((await learner.post('/questions', asked)).statusCode, 422)
  })

  test('an edit that says nothing of the name keeps it hidden; naming is free, hiding for five minutes', async () => {
    const { db, app } = forum
    const { course, asker, mina, staff } = await aCourseWithMasks()
    const question = await aQuestion(db, { course, author: asker, isAnonymous: true, title: 'Who dares' })
    const answer = await anAnswer(db, { question, author: asker, isAnonymous: true })
    const content = { title: 'Who dares', body: 'More.', tags: '' }
    const path = `/questions/${question.id}/edit`
    const isHidden = async () =>
      !/Zyxmina/.test((await visitor(app).get(`/questions/${question.id}/who-dares`)).body)

    await mina.post(path, { ...content, version: '1' })
    await mina.post(`/answers/${answer.id}/edit`, { body: 'Even more.', version: '1' })
    await staff.post(path, { ...content, body: 'By staff.', version: '2', anonymous: '0' })
    assert.equal(await isHidden(), true)
    assert.match((await mina.get(path)).body, /name="anonymous" value="1" checked/)
    assert.doesNotMatch((await staff.get(path)).body, /name="anonymous"/)

    await mina.post(`/answers/${answer.id}/edit`, { body: 'Even more.', version: '2', anonymous: '0' })
    assert.equal(await isHidden(), false)
    const late = { body: 'Even more.', version: '3', anonymous: '1' }
    await db
      .updateTable('answers')
      .set({ written_at: new Date(Date.now() - 6 * 60_000) })
      .where('id', '=', answer.id)
      .execute()
    const refused = await mina.post(`/answers/${answer.id}/edit`, late)
    assert.equal(refused.statusCode, 422)
    assert.match(refused.body, /only for 5 minutes after posting[\s\S]*Even more/)
    await db.updateTable('answers').set({ written_at: new Date() }).where('id', '=', answer.id).execute()
    assert.equal((await mina.post(`/answers/${answer.id}/edit`, late)).statusCode, 303)
    assert.equal(await isHidden(), true)
  })

  test('a name that a mail or a push told a classmate is not hidden any more; staff know it anyway', async () => {
    const { db } = forum
    const { course, asker, mina } = await aCourseWithMasks()
    const question = await aQuestion(db, { course, author: asker })
    const classmate = await aMember(db, course)
    await within(db, setFollowing, question.id, classmate.id, 'follow')
    const answer = await anAnswer(db, { question, author: asker })
    const hide = () => mina.post(`/answers/${answer.id}/edit`, { body: 'Mine.', version: 1, anonymous: '1' })
    const mailed = (sent_at: Date | null) => db.updateTable('deliveries').set({ sent_at }).execute()

    await mailed(new Date())
    assert.equal((await hide()).statusCode, 422)
    assert.doesNotMatch((await mina.get(`/answers/${answer.id}/edit`)).body, /name="anonymous"/)
    await mailed(null)
    await db
      .updateTable('deliveries')
      .set({ sent_at: new Date() })
      .where('person_id', '<>', classmate.id)
      .execute()
    assert.equal((await hide()).statusCode, 303)
  })

  test('who deletes, restores and leaves is told to classmates by no name', async () => {
    const { db, app } = forum
    const { course, asker, mina } = await aCourseWithMasks()
    const question = await aQuestion(db, { course, author: asker, isAnonymous: true, title: 'Who dares' })
    const answer = await anAnswer(db, { question, author: asker, isAnonymous: true })
    for (const act of ['delete', 'restoration'])
      assert.equal((await mina.post(`/answers/${answer.id}/${act}`)).statusCode, 303)
    for (const act of ['delete', 'restoration'])
      assert.equal((await mina.post(`/questions/${question.id}/${act}`)).statusCode, 303)
    assert.doesNotMatch((await visitor(app).get(`/questions/${question.id}/who-dares`)).body, /Zyxmina/)
  })
})
