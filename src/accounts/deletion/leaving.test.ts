import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { recount } from '../../database/recount.ts'
import { setFollowing } from '../../forum/follows/following.ts'
import { unnameIn } from '../../forum/people/unname.ts'
import { purgePostsOf } from '../../forum/purging/leavers-posts.ts'
import { markSent, sweepMails } from '../../mail/outbox.ts'
import { refusalOf, refuses } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf, rowsOf, setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { personPath, questionPath } from '../../web/paths.ts'
import { addEveryWay } from '../address/testing.ts'
import { addLinkRow, addProviderRow } from '../providers/row-testing.ts'
import {
  anOwner,
  inSession,
  kindsTo,
  lettersTo,
  mailToken,
  NO_WAY_IN,
  PASSWORD,
  waysInto,
} from '../testing.ts'
import { finishDepartures } from './departure.ts'
import { accountDeletion } from './leave.ts'
import { leave } from './testing.ts'

suite('leaving', () => {
  const forum = sharedForum()

  /** Somebody who asked, answered and replied, and somebody who answered them. */
  async function aLeaver() {
    const { db } = forum
    const course = await aCourse(db)
    const person = await aMember(db, course, 'learner', await anOwner(db))
    const other = await anOwner(db)
    const asked = await aQuestion(db, { course, author: person, title: 'My own question' })
    const theirs = await aQuestion(db, { course, author: other, votes: 1 })
    const answer = await anAnswer(db, { question: theirs, author: person, body: 'My own answer' })
    await aReply(db, { answer, author: person, body: 'My own reply' })
    await anAnswer(db, { question: asked, author: other, body: 'Their answer' })
    return { person, other, asked, theirs }
  }

  /** Leaves by the operation; what it does to posts afterwards is done. */
  async function leaveWith(posts: 'keep' | 'delete', { id }: { readonly id: number }) {
    await leave(forum.db, id, posts)
    const work = { purge: purgePostsOf, unname: unnameIn, sweepPictures: async () => undefined }
    await finishDepartures(forum.db, work)
  }

  const pageOf = async (path: string) => (await visitor(forum.app).get(path)).body

  test('keeps the posts under "former member", and nothing that tells whose they were', async () => {
    const { app, db } = forum
    const { person, asked, theirs } = await aLeaver()
    const browser = await signedIn(app, person)
    await mailToken(db, person, 'new-password')
    await addEveryWay(app, person)
    const form = { posts: 'keep', current_password: PASSWORD }
    const left = await browser.post('/settings/account/delete', form)
    assert.equal(left.headers.location, '/')
    assert.match(textOf((await browser.follow(left)).body), /Account deleted/)
    for (const question of [asked, theirs]) {
      const page = await pageOf(questionPath(question))
      assert.match(page, /Former member/)
      assert.ok(!page.includes(person.displayName))
    }
    assert.equal((await rowOf(db, 'people', person.id)).display_name, 'Former member')
    assert.deepEqual(await kindsTo(db, person.email), ['farewell'])
    assert.deepEqual(await waysInto(db, person), { ...NO_WAY_IN, email: null })
    for (const table of ['mail_links', 'course_members', 'passkey_holders'] as const)
      assert.deepEqual(await rowsOf(db, table, { person_id: person.id }), [], table)
    const profile = personPath({ id: person.id, displayName: 'Former member' })
    assert.equal((await visitor(app).get(profile)).statusCode, 200)
    await anOwner(db, { email: person.email })
  })

  test('takes along what waits to be let through, though the posts stay', async () => {
    const { db } = forum
    const { person, asked, theirs } = await aLeaver()
    const held = await anAnswer(db, { question: theirs, author: person, body: 'Nobody has seen this.' })
    await setRows(db, 'answers', held.id, { held_at: new Date(), held_for: 'newcomers' })
    await leaveWith('keep', person)
    const { body, purged_at: purgedAt } = await rowOf(db, 'answers', held.id)
    assert.deepEqual([body, purgedAt !== null], ['-', true])
    assert.ok((await rowOf(db, 'questions', asked.id)).is_shown)
  })

  test('leaves no name where posts mention them, nor in the earlier texts of these', async () => {
    const { app, db } = forum
    const { person, other, theirs } = await aLeaver()
    const body = `Ask @[${person.displayName}](person:${person.id}), who knows.`
    const answer = await anAnswer(db, { question: theirs, author: other, body })
    const author = await signedIn(app, other)
    await setRows(db, 'answers', answer.id, { written_at: new Date(0) })
    const edited = { body: `${body} Or not.`, version: 1 }
    assert.equal((await author.post(`/answers/${answer.id}/edit`, edited)).statusCode, 303)
    await leaveWith('keep', person)
    assert.match(textOf(await pageOf(questionPath(theirs))), /Ask @Former member, who knows\. Or not\./)
    for (const path of [questionPath(theirs), `/questions/${theirs.id}/feed.atom`])
      assert.ok(!(await pageOf(path)).includes(person.displayName), path)
    for (const path of [`/answers/${answer.id}/edit`, `/answers/${answer.id}/history?version=1`])
      assert.ok(!(await author.get(path)).body.includes(person.displayName), path)
    assert.deepEqual(await rowsOf(db, 'mentions', { person_id: person.id }), [])
  })

  test('takes the posts along, where that is wished, and every counter stays right', async () => {
    const { person, asked, theirs } = await aLeaver()
    await leaveWith('delete', person)
    assert.doesNotMatch(await pageOf(questionPath(theirs)), /My own answer|My own reply/)
    assert.equal((await visitor(forum.app).get(questionPath(asked))).statusCode, 410)
    assert.ok(!(await pageOf('/')).includes(`/questions/${asked.id}/`))
    assert.deepEqual(await recount(forum.db), [])
  })

  test('is not for the last admin, nor without a choice', async () => {
    const { db } = forum
    const own = await inSession(db, await anOwner(db, { isAdmin: true }))
    await refuses(forum, accountDeletion, own, [
      [{ posts: 'keep' }, 'posts: leaving.lastAdmin'],
      [{ posts: 'x' }, 'posts: forms.choice'],
    ])
    const other = await anOwner(db, { isAdmin: true })
    assert.equal(await refusalOf(forum, accountDeletion, { ...own, input: { posts: 'keep' } }), 'done')
    await setRows(db, 'people', other.id, { is_admin: false })
  })

  test('leaves no address behind once the farewell is sent, or is refused for good', async () => {
    const { db } = forum
    for (const isTaken of [true, false]) {
      const person = await anOwner(db)
      await leaveWith('keep', person)
      const { id } = await rowOf(db, 'mails', { recipient: person.email })
      if (isTaken) await markSent(db, [id])
      else await setRows(db, 'jobs', { key: `${id}` }, { give_up_at: new Date() })
      assert.equal(await sweepMails(db), isTaken ? 0 : 1)
      assert.deepEqual(await lettersTo(db, person.email), [])
    }
  })

  test('one’s own data are all there as JSON, and no secret, and nothing of anybody else', async () => {
    const { app, db } = forum
    const { person, other } = await aLeaver()
    const browser = await signedIn(app, person)
    await visitor(app).post('/forgotten-password', { email: person.email })
    await addLinkRow(db, person.id, await addProviderRow(db), 'https://github.com', 'mina')
    assert.match((await browser.get('/settings/account')).body, /href="\/settings\/account\/data"/)
    const answer = await browser.get('/settings/account/data')
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
    assert.match(String(answer.headers['content-disposition']), /^attachment/)
    assert.match(String(answer.headers['cache-control']), /no-store/)
    const data = answer.json()
    const { account, questions, answers, replies, sessions, mails, courses } = data
    assert.deepEqual(
      [account.email, questions[0].title, answers[0].body, replies[0].body, sessions[0].browser],
      [person.email, 'My own question', 'My own answer', 'My own reply', 'a test'],
    )
    assert.match(questions[0].address, /^http:\/\/localhost:3000\/questions\/\d+\/my-own-question$/)
    assert.deepEqual([mails[0].subject, courses.length], ['Reset your password', 1])
    const [{ issuer, subject }] = data.linkedAccounts
    assert.deepEqual([issuer, subject], ['https://github.com', 'mina'])
    assert.doesNotMatch(answer.body, /argon2|token_|_hash|secret/i)
    assert.ok(!answer.body.includes(other.email) && !answer.body.includes('Their answer'))
    assert.equal((await waysInto(db, person)).passwords, 1, 'nothing has changed')
  })

  test('one’s own data name no question of others that was deleted, or is in a course that is closed to them', async () => {
    const { app, db } = forum
    const { person, asked, theirs } = await aLeaver()
    const closed = await aCourse(db, { isPublic: false })
    const secret = await aQuestion(db, { course: closed, title: 'Nobody else may know this' })
    for (const { id } of [theirs, secret]) {
      await db.insertInto('question_votes').values({ question_id: id, person_id: person.id }).execute()
      await within(db, setFollowing, id, person.id, 'follow')
    }
    const told = async () => (await (await signedIn(app, person)).get('/settings/account/data')).json()
    assert.equal((await told()).answers[0].title, theirs.title)
    for (const { id } of [theirs, asked]) await setRows(db, 'questions', id, { deleted_at: new Date() })
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
    const member = await told()
    assert.ok(member.follows.some(({ title }: { title: string }) => title === secret.title))
  })
})
