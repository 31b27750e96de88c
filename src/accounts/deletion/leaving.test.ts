import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { recount } from '../../database/recount.ts'
import { setFollowing } from '../../forum/follows/following.ts'
import { markSent, sweepMails } from '../../mail/outbox.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { textOf } from '../../testing/page.ts'
import { within } from '../../testing/within.ts'
import { personPath, questionPath } from '../../web/paths.ts'
import { aForum, lettersTo, PASSWORD } from '../testing.ts'

async function somebodyWithPosts(t: Parameters<typeof aForum>[0]) {
  const { app, db, person } = await aForum(t)
  const course = await aCourse(db)
  await aMember(db, course, 'learner', person)
  const other = await aPerson(db)
  const asked = await aQuestion(db, { course, author: person, title: 'My own question' })
  const theirs = await aQuestion(db, { course, author: other, votes: 1 })
  const answer = await anAnswer(db, { question: theirs, author: person, body: 'My own answer' })
  await aReply(db, { answer, author: person, body: 'My own reply' })
  await anAnswer(db, { question: asked, author: other, body: 'Their answer' })
  return { app, db, person, other, asked, theirs, browser: await signedIn(app, person) }
}

suite('leaving', () => {
  test('keeps the posts under "former member", and nothing that tells whose they were', async (t) => {
    const { app, db, person, asked, theirs, browser } = await somebodyWithPosts(t)
    const elsewhere = await signedIn(app, person)
    await browser.post('/forgotten-password', { email: person.email })
    const refused = await browser.post('/settings/account/delete', { posts: 'keep', current_password: 'no' })
    assert.equal(refused.statusCode, 422)
    const choice = await browser.post('/settings/account/delete', { posts: 'x', current_password: PASSWORD })
    assert.equal(choice.statusCode, 422)
    const left = await browser.post('/settings/account/delete', { posts: 'keep', current_password: PASSWORD })
    assert.equal(left.headers.location, '/')
    assert.match(textOf((await browser.follow(left)).body), /Account deleted/)
    for (const gone of [browser, elsewhere]) assert.equal((await gone.get('/settings')).statusCode, 303)
    assert.equal((await visitor(app).post('/sign-in', signIn(person))).statusCode, 422)

    for (const question of [asked, theirs]) {
      const page = (await visitor(app).get(questionPath(question))).body
      assert.match(page, /Former member/)
      assert.ok(!page.includes(person.displayName))
    }
    const row = await db
      .selectFrom('people')
      .selectAll()
      .where('id', '=', person.id)
      .executeTakeFirstOrThrow()
    assert.deepEqual([row.display_name, row.email, row.password_hash], ['Former member', null, null])
    assert.deepEqual(
      (await lettersTo(db, person.email)).map(({ kind }) => kind),
      ['farewell'],
    )
    for (const table of ['sessions', 'mail_links', 'course_members'] as const)
      assert.equal((await rowsOf(table)).length, 0, table)
    const profile = personPath({ id: person.id, displayName: 'Former member' })
    assert.equal((await visitor(app).get(profile)).statusCode, 200)
    const anew = await visitor(app).post('/sign-up', { ...signIn(person), display_name: 'Again' })
    assert.equal(anew.statusCode, 303)

    function rowsOf(table: 'sessions' | 'mail_links' | 'course_members') {
      return db.selectFrom(table).select('person_id').where('person_id', '=', person.id).execute()
    }
  })

  test('leaves no name where posts mention them, nor in the earlier texts of these', async (t) => {
    const { app, db, person, other, theirs, browser } = await somebodyWithPosts(t)
    const body = `Ask @[${person.displayName}](person:${person.id}), who knows.`
    const answer = await anAnswer(db, { question: theirs, author: other, body })
    const author = await signedIn(app, other)
    const edited = { body: `${body} Or not.`, version: 1 }
    await db
      .updateTable('answers')
      .set({ written_at: new Date(0) })
      .where('id', '=', answer.id)
      .execute()
    assert.equal((await author.post(`/answers/${answer.id}/edit`, edited)).statusCode, 303)
    await browser.post('/settings/account/delete', { posts: 'keep', current_password: PASSWORD })
    const page = (await visitor(app).get(questionPath(theirs))).body
    assert.match(textOf(page), /Ask @Former member, who knows\. Or not\./)
    for (const path of [questionPath(theirs), `/questions/${theirs.id}/feed.atom`])
      assert.ok(!(await visitor(app).get(path)).body.includes(person.displayName), path)
    for (const path of [`/answers/${answer.id}/edit`, `/answers/${answer.id}/history?version=1`])
      assert.ok(!(await author.get(path)).body.includes(person.displayName), path)
    const left = await db.selectFrom('mentions').selectAll().where('person_id', '=', person.id).execute()
    assert.deepEqual(left, [])
  })

  test('takes the posts along, where that is wished, and every counter stays right', async (t) => {
    const { app, db, asked, theirs, browser } = await somebodyWithPosts(t)
    await browser.post('/settings/account/delete', { posts: 'delete', current_password: PASSWORD })
    const page = (await visitor(app).get(questionPath(theirs))).body
    assert.doesNotMatch(page, /My own answer|My own reply/)
    assert.equal((await visitor(app).get(questionPath(asked))).statusCode, 410)
    assert.doesNotMatch((await visitor(app).get('/')).body, /My own question/)
    assert.deepEqual(await recount(db), [])
  })

  test('is not for the last admin', async (t) => {
    const { app, db, person } = await aForum(t)
    await db.updateTable('people').set({ is_admin: true }).execute()
    const browser = await signedIn(app, person)
    const leaving = { posts: 'keep', current_password: PASSWORD }
    const refused = await browser.post('/settings/account/delete', leaving)
    assert.equal(refused.statusCode, 422)
    assert.match(refused.body, /You are the only admin/)
    await aPerson(db, { isAdmin: true })
    assert.equal((await browser.post('/settings/account/delete', leaving)).statusCode, 303)
  })

  test('leaves no address behind once the farewell is sent, or is refused for good', async (t) => {
    for (const isTaken of [true, false]) {
      const { db, person, browser } = await somebodyWithPosts(t)
      await browser.post('/settings/account/delete', { posts: 'keep', current_password: PASSWORD })
      const [mail] = await db.selectFrom('mails').select(['id', 'recipient']).execute()
      assert.equal(mail?.recipient, person.email)
      if (isTaken) await markSent(db, [mail.id])
      else await db.updateTable('jobs').set({ give_up_at: new Date() }).execute()
      assert.equal(await sweepMails(db), isTaken ? 0 : 1)
      assert.deepEqual(await lettersTo(db, person.email), [])
    }
  })

  test('is nobody else’s to do', async (t) => {
    const { app } = await aForum(t)
    for (const path of ['/settings/account', '/settings/account/data'])
      assert.equal((await visitor(app).get(path)).statusCode, 303)
    assert.equal((await visitor(app).post('/settings/account/delete')).statusCode, 303)
  })
})

suite('one’s own data', () => {
  test('are all there as JSON, and no secret, and nothing of anybody else', async (t) => {
    const { app, db, person, other, browser } = await somebodyWithPosts(t)
    await visitor(app).post('/forgotten-password', { email: person.email })
    const page = await browser.get('/settings/account')
    assert.match(page.body, /href="\/settings\/account\/data"/)
    const answer = await browser.get('/settings/account/data')
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
    assert.match(String(answer.headers['content-disposition']), /^attachment/)
    assert.match(String(answer.headers['cache-control']), /no-store/)
    const data = answer.json()
    assert.equal(data.account.email, person.email)
    assert.deepEqual(data.questions[0].title, 'My own question')
    assert.match(data.questions[0].address, /^http:\/\/localhost:3000\/questions\/\d+\/my-own-question$/)
    assert.deepEqual([data.answers[0].body, data.replies[0].body], ['My own answer', 'My own reply'])
    assert.equal(data.sessions[0].browser, 'a test')
    assert.equal(data.mails[0].subject, 'Reset your password')
    assert.equal(data.courses.length, 1)
    assert.doesNotMatch(answer.body, /argon2|token_|_hash|secret/i)
    assert.ok(!answer.body.includes(other.email) && !answer.body.includes('Their answer'))
    const rows = await db.selectFrom('people').select('id').execute()
    assert.equal(rows.length, 3, 'nothing has changed')
  })

  test('name no question of others that was deleted, or is in a course that is closed to them', async (t) => {
    const { app, db, person, asked, theirs, browser } = await somebodyWithPosts(t)
    const closed = await aCourse(db, { isPublic: false })
    const secret = await aQuestion(db, { course: closed, title: 'Nobody else may know this' })
    for (const { id } of [theirs, secret]) {
      await db.insertInto('question_votes').values({ question_id: id, person_id: person.id }).execute()
      await within(db, setFollowing, id, person.id, 'follow')
    }
    const told = async () => (await browser.get('/settings/account/data')).json()
    assert.equal((await told()).answers[0].title, theirs.title)
    const hidden = { deleted_at: new Date() }
    await db.updateTable('questions').set(hidden).where('id', 'in', [theirs.id, asked.id]).execute()
    const { questions, answers, replies, questionVotes, follows } = await told()
    assert.equal(questions[0].title, asked.title, 'one’s own stays one’s own')
    for (const rows of [answers, replies, questionVotes, follows]) {
      assert.ok(rows.length > 0)
      for (const row of rows) {
        assert.equal(row.title, null)
        assert.match(row.address, /\/questions\/\d+$/)
      }
    }
    assert.equal(answers[0].body, 'My own answer')
    await aMember(db, closed, 'learner', person)
    const again = await signedIn(app, person)
    const member = (await again.get('/settings/account/data')).json()
    assert.ok(member.follows.some(({ title }: { title: string }) => title === 'Nobody else may know this'))
  })
})

function signIn({ email }: { readonly email: string }) {
  return { email, password: PASSWORD }
}
