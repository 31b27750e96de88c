import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { beginSession } from '../../accounts/sessions/sessions.ts'
import { recount } from '../../database/recount.ts'
import { SlugTaken } from '../../forum/courses/commands.ts'
import { LANGUAGES } from '../../messages/language.ts'
import { anAnswer, aPerson } from '../../testing/builders.ts'
import { differing, lookOf } from '../../testing/changes.ts'
import { testDatabase } from '../../testing/database.ts'
import { readForum } from '../../testing/forum.ts'
import { rowOf, rowsOf, valuesOf } from '../../testing/rows.ts'
import { loadSample, sampleSignIns } from './sample.ts'
import { readSample } from './sample-file.ts'

suite('the sample course', () => {
  const forum = readForum(({ db }) => loadSample(db))

  test('is loaded whole, every counter right, and each question can be found', async () => {
    const { db, world: loaded } = forum
    const course = await rowOf(db, 'courses', { slug: loaded.slug })
    assert.equal(course.questions_count, loaded.questions)
    assert.ok(course.resolved_count > 0 && course.unanswered_count > 0)
    assert.deepEqual(await recount(db), [])
    const documents = await db.selectFrom('search_documents').select('question_id').execute()
    assert.equal(documents.length, loaded.questions)
  })

  test('has the first question a reader should see, with its answer, thanks and lecture', async () => {
    const { db } = forum
    const question = await db
      .selectFrom('questions')
      .innerJoin('people as asker', 'asker.id', 'questions.author_id')
      .innerJoin('lectures', 'lectures.id', 'questions.lecture_id')
      .selectAll('questions')
      .select(['lectures.position', 'asker.display_name'])
      .where('questions.title', 'like', '%hypermedia links%')
      .executeTakeFirstOrThrow()
    assert.deepEqual([question.status, question.votes_count, question.answers_count], ['unresolved', 0, 1])
    assert.deepEqual([question.position, question.display_name], [12, 'Minseo Kim'])
    assert.match(question.body_html, /<li>/)
    const reply = await rowOf(db, 'replies', { question_id: question.id })
    assert.ok(reply.answer_id !== null)
    assert.deepEqual(reply.written_at, question.active_at)
    assert.ok(question.written_at < reply.written_at && reply.written_at < new Date())
  })

  test('has accepted answers, each of a resolved question', async () => {
    const accepted = await forum.db
      .selectFrom('questions')
      .select('status')
      .where('accepted_answer_id', 'is not', null)
      .execute()
    assert.ok(accepted.length > 3 && accepted.every(({ status }) => status === 'resolved'))
  })

  test('can be signed in to by link: the instructor and one learner', async () => {
    const signIns = await sampleSignIns(forum.db, 'en')
    const people = signIns.map(({ role, displayName }) => [role, displayName])
    assert.deepEqual(people, Object.entries({ instructor: 'Mara Ilić', learner: 'Minseo Kim' }))
  })
})

test('its askers follow what they asked: the printed learner is told of the printed instructor’s answer', async (t) => {
  const db = await testDatabase(t)
  assert.deepEqual(await sampleSignIns(db, 'en'), [])
  await loadSample(db)
  const [instructor = assert.fail(), learner = assert.fail()] = await sampleSignIns(db, 'en')
  const asked = await rowOf(db, 'questions', { author_id: learner.personId, status: 'unresolved' })
  const question = { ...asked, courseId: asked.course_id, authorId: asked.author_id }
  await anAnswer(db, { question, author: { id: instructor.personId } })
  const told = await rowsOf(db, 'notifications', { person_id: learner.personId })
  assert.deepEqual(valuesOf(told, 'reason'), ['answered'])
})

test('loading it a second time is refused and changes nothing', async (t) => {
  const db = await testDatabase(t)
  await loadSample(db)
  const look = await lookOf(db)
  const before = await look()
  await assert.rejects(loadSample(db), SlugTaken)
  assert.deepEqual(differing(before, await look()), [])
})

test('a person who signed up under an address of the sample loses the account before it gets a role', async (t) => {
  const db = await testDatabase(t)
  const [first] = (await readSample('en')).people
  assert.ok(first !== undefined)
  const squatter = await aPerson(db, { email: first.email, isConfirmed: false, passwordHash: 'a hash' })
  await beginSession(db, squatter.id, 'a test')
  await loadSample(db)
  const row = await rowOf(db, 'people', squatter.id)
  assert.equal(row.password_hash, null)
  assert.ok(row.email_confirmed_at !== null)
  assert.deepEqual(await db.selectFrom('sessions').selectAll().execute(), [])
})

for (const language of LANGUAGES)
  test(`in ${language}: the question of REST without links, and an admin where one is wanted`, async (t) => {
    const db = await testDatabase(t)
    await loadSample(db, { language, admin: true })
    const { slug } = await db.selectFrom('courses').select('slug').executeTakeFirstOrThrow()
    assert.equal(slug, (await readSample(language)).slug)
    const asked = await db
      .selectFrom('questions')
      .select('title')
      .where('title', 'like', '%ResponseEntity%')
      .execute()
    assert.equal(asked.length, 1)
    assert.deepEqual(valuesOf(await sampleSignIns(db, language), 'role'), ['instructor', 'learner', 'admin'])
    const other = LANGUAGES.find((one) => one !== language) ?? 'en'
    assert.deepEqual(await sampleSignIns(db, other), [])
  })
