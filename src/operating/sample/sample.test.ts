import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beginSession } from '../../accounts/sessions/sessions.ts'
import { recount } from '../../database/recount.ts'
import { SlugTaken } from '../../forum/courses/commands.ts'
import { LANGUAGES } from '../../messages/language.ts'
import { anAnswer, aPerson } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { loadSample, sampleSignIns } from './sample.ts'
import { readSample } from './sample-file.ts'

test('the sample course is loaded whole, every counter right', async (t) => {
  const db = await testDatabase(t)
  const loaded = await loadSample(db)

  const course = await db.selectFrom('courses').selectAll().executeTakeFirstOrThrow()
  assert.equal(course.slug, loaded.slug)
  assert.equal(course.questions_count, loaded.questions)
  assert.ok(course.resolved_count > 0 && course.unanswered_count > 0)
  assert.deepEqual(await recount(db), [])
})

test('the first question a reader should see is there with its answer, thanks and lecture', async (t) => {
  const db = await testDatabase(t)
  await loadSample(db)

  const question = await db
    .selectFrom('questions')
    .innerJoin('people as asker', 'asker.id', 'questions.author_id')
    .innerJoin('lectures', 'lectures.id', 'questions.lecture_id')
    .select([
      'questions.id',
      'questions.status',
      'questions.votes_count',
      'questions.answers_count',
      'questions.body_html',
    ])
    .select(['questions.written_at', 'questions.active_at', 'lectures.position', 'asker.display_name'])
    .where('questions.title', 'like', '%hypermedia links%')
    .executeTakeFirstOrThrow()
  assert.deepEqual([question.status, question.votes_count, question.answers_count], ['unresolved', 0, 1])
  assert.deepEqual([question.position, question.display_name], [12, 'Minseo Kim'])
  assert.match(question.body_html, /<li>/)
  const reply = await db
    .selectFrom('replies')
    .selectAll()
    .where('question_id', '=', question.id)
    .executeTakeFirstOrThrow()
  assert.ok(reply.answer_id !== null)
  assert.deepEqual(reply.written_at, question.active_at)
  assert.ok(question.written_at < reply.written_at && reply.written_at < new Date())
})

test('its askers follow what they asked: the printed learner is told of the printed instructor’s answer', async (t) => {
  const db = await testDatabase(t)
  await loadSample(db)
  const [instructor, learner] = await sampleSignIns(db, 'en')
  assert.ok(instructor !== undefined && learner !== undefined)
  const question = await db
    .selectFrom('questions')
    .select(['id', 'title', 'course_id as courseId', 'author_id as authorId'])
    .where('author_id', '=', learner.personId)
    .where('status', '=', 'unresolved')
    .executeTakeFirstOrThrow()
  await anAnswer(db, { question, author: { id: instructor.personId } })
  const told = await db
    .selectFrom('notifications')
    .select('reason')
    .where('person_id', '=', learner.personId)
    .execute()
  assert.deepEqual(told, [{ reason: 'answered' }])
})

test('every question of it can be found', async (t) => {
  const db = await testDatabase(t)
  const loaded = await loadSample(db)

  const documents = await db.selectFrom('search_documents').select('question_id').execute()
  assert.equal(documents.length, loaded.questions)
})

test('an accepted answer belongs to a resolved question', async (t) => {
  const db = await testDatabase(t)
  await loadSample(db)

  const accepted = await db
    .selectFrom('questions')
    .select('status')
    .where('accepted_answer_id', 'is not', null)
    .execute()
  assert.ok(accepted.length > 3 && accepted.every((question) => question.status === 'resolved'))
})

test('loading it a second time is refused and changes nothing', async (t) => {
  const db = await testDatabase(t)
  await loadSample(db)
  const before = await counts()

  await assert.rejects(loadSample(db), SlugTaken)

  assert.deepEqual(await counts(), before)

  async function counts() {
    const tables = ['people', 'courses', 'questions', 'answers', 'replies'] as const
    return Promise.all(
      tables.map((table) =>
        db
          .selectFrom(table)
          .select((select) => select.fn.countAll().as('count'))
          .execute(),
      ),
    )
  }
})

test('the instructor and one learner can be signed in by link', async (t) => {
  const db = await testDatabase(t)
  assert.deepEqual(await sampleSignIns(db, 'en'), [])
  await loadSample(db)

  const signIns = await sampleSignIns(db, 'en')
  assert.deepEqual(
    signIns.map(({ role, displayName }) => [role, displayName]),
    [
      ['instructor', 'Mara Ilić'],
      ['learner', 'Minseo Kim'],
    ],
  )
})

test('a person who signed up under an address of the sample loses the account before it gets a role', async (t) => {
  const db = await testDatabase(t)
  const [first] = (await readSample('en')).people
  assert.ok(first !== undefined)
  const squatter = await aPerson(db, { email: first.email, isConfirmed: false, passwordHash: 'a hash' })
  await beginSession(db, squatter.id, 'a test')
  await loadSample(db)
  const row = await db
    .selectFrom('people')
    .selectAll()
    .where('id', '=', squatter.id)
    .executeTakeFirstOrThrow()
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
    assert.deepEqual(
      (await sampleSignIns(db, language)).map(({ role }) => role),
      ['instructor', 'learner', 'admin'],
    )
    const other = LANGUAGES.find((one) => one !== language) ?? 'en'
    assert.deepEqual(await sampleSignIns(db, other), [])
  })
