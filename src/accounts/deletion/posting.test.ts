import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { recount } from '../../database/recount.ts'
import type { Database, Write } from '../../database/schema.ts'
import { questionFollowing } from '../../forum/follows/following.ts'
import { unnameIn } from '../../forum/people/unname.ts'
import { purgePostsOf } from '../../forum/purging/leavers-posts.ts'
import { refusalOf } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { rowsOf } from '../../testing/rows.ts'
import { aForum, anOwner, overtaken, PASSWORD } from '../testing.ts'
import { finishDepartures } from './departure.ts'

const LEAVING = { posts: 'delete', current_password: PASSWORD }

/** How many living posts, roles and follows a person has. */
async function remains(db: Database, { id }: { readonly id: number }): Promise<number> {
  const { rows } = await sql<{ count: number }>`select (
    (select count(*) from questions where author_id = ${id} and deleted_at is null)
    + (select count(*) from answers where author_id = ${id} and deleted_at is null)
    + (select count(*) from replies where author_id = ${id} and deleted_at is null)
    + (select count(*) from course_members where person_id = ${id})
    + (select count(*) from question_follows where person_id = ${id})
    + (select count(*) from posted_once where person_id = ${id}))::integer as count`.execute(db)
  return rows[0]?.count ?? -1
}

/** The account is closed, and what its owner wrote waits to be dealt with. */
const leave =
  ({ id }: { readonly id: number }) =>
  (db: Database | Write) =>
    db.updateTable('people').set({ left_at: new Date() }).where('id', '=', id).execute()

suite('leaving with all posts while more of them are sent', () => {
  const forum = sharedForum()

  /** Somebody, and what posts one more of theirs. */
  async function aPoster(kind: 'questions' | 'answers' | 'replies') {
    const { app, db } = forum
    const person = await anOwner(db)
    const course = await aCourse(db)
    const question = await aQuestion(db, { course })
    const browser = await signedIn(app, person)
    const path = kind === 'questions' ? '/questions' : `/questions/${question.id}/${kind}`
    const fields = { course: course.slug, title: 'One more of mine', body: 'One more of mine' }
    return { person, browser, post: (token: string) => browser.post(path, fields, { token }) }
  }

  for (const kind of ['questions', 'answers', 'replies'] as const) {
    test(`leaves no ${kind} and no membership behind`, async () => {
      const { app, db } = forum
      const { person, browser, post } = await aPoster(kind)
      const leaver = await signedIn(app, person)
      const tokens = await Promise.all(Array.from({ length: 12 }, () => browser.token()))
      const before = tokens.slice(0, 6).map(post)
      const left = leaver.post('/settings/account/delete', LEAVING)
      const after = tokens.slice(6).map(post)
      assert.equal((await left).statusCode, 303)
      for (const { statusCode } of await Promise.all([...before, ...after]))
        assert.ok(statusCode === 303 || statusCode === 403, String(statusCode))
      assert.equal(await remains(db, person), 0)
      assert.deepEqual(await recount(db), [])
    })

    test(`refuses ${kind} that were waiting for the account`, async () => {
      const { db } = forum
      const { person, browser, post } = await aPoster(kind)
      const token = await browser.token()
      const refused = await overtaken(db, person, () => post(token), leave(person))
      assert.equal(refused.statusCode, 403)
      assert.match(refused.body, /Your account is being deleted/)
      assert.equal(await remains(db, person), 0)
    })
  }

  test('leaves no question followed', async () => {
    const { db } = forum
    const [person, question] = [await anOwner(db), await aQuestion(db)]
    await leave(person)(db)
    const call = { actor: person, key: question.id, input: { value: '1' } }
    assert.equal(await refusalOf(forum, questionFollowing, call), 'leaving')
    assert.equal(await remains(db, person), 0)
  })
})

test('posts that could not be removed are removed later, and the account is closed all the same', async (t) => {
  const { app, db, person } = await aForum(t)
  await aQuestion(db, { author: person })
  const browser = await signedIn(app, person)
  await sql`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
    create trigger refuse before update of deleted_at on questions for each row execute function refuse()`.execute(
    db,
  )
  await browser.post('/settings/account/delete', LEAVING)
  assert.equal((await browser.get('/settings')).statusCode, 303)
  assert.equal(await remains(db, person), 1)
  await sql`drop trigger refuse on questions`.execute(db)
  await sql`update jobs set due_at = now()`.execute(db)
  await finishDepartures(db, { purge: purgePostsOf, unname: unnameIn, sweepPictures: async () => undefined })
  assert.equal(await remains(db, person), 0)
  assert.deepEqual(await rowsOf(db, 'departures', {}), [])
})
