import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { aText } from '../../testing/posts.ts'
import { rowOf, rowsOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { setFollowing } from '../follows/following.ts'
import { unseenNotifications } from '../notifications/queries.ts'
import { writtenNow } from '../posts/find.ts'
import { renderedBody } from '../posts/text.ts'
import { notifyOfMentions, setMentions } from './mentions.ts'
import { markRead } from './read.ts'
import { notifyOfAnswer } from './tell-posts.ts'

type Someone = { readonly id: number }

/** An answer that was there already and mentions these people from an edit on. */
async function mentionByEdit(
  db: Database,
  answer: { id: number; authorId: number; question: Someone },
  people: Someone[],
) {
  const post = { questionId: answer.question.id, answerId: answer.id }
  await db.transaction().execute(async (write) => {
    await sql`update answers set edited_at = now() where id = ${answer.id}`.execute(write)
    const ids = people.map(({ id }) => id)
    const added = await setMentions(write, post, ids)
    await notifyOfMentions(write, post, answer.authorId, added)
  })
}

const told = async (db: Database, { id }: Someone) =>
  (await unseenNotifications(db, id, null)).map(({ reason, posts }) => ({
    reason,
    posts: posts.map((post) => post.reason),
  }))

suite('a mention', () => {
  test('is told to whom a new post mentions, once, as the strongest reason, and they follow from then on', async (t) => {
    const db = await testDatabase(t)
    const [asker, other] = [await aPerson(db), await aPerson(db)]
    const question = await aQuestion(db, { author: asker })
    const helper = await aPerson(db)
    await db.transaction().execute(async (write) => {
      const written = { ...renderedBody(await aText('a')), written_at: writtenNow(question.id) }
      const answer = { question_id: question.id, author_id: helper.id, ...written }
      const made = write.insertInto('answers').values(answer).returning('id')
      const { id } = await made.executeTakeFirstOrThrow()
      const post = { questionId: question.id, answerId: id }
      const added = await setMentions(write, post, [other.id, asker.id, helper.id])
      assert.deepEqual(added, [asker.id, other.id, helper.id])
      await notifyOfAnswer(write, { id, questionId: question.id, authorId: helper.id })
    })
    for (const person of [asker, other])
      assert.deepEqual(await told(db, person), [{ reason: 'mention', posts: ['mention'] }])
    assert.deepEqual(await told(db, helper), [], 'nobody is told of their own')
    assert.ok((await rowsOf(db, 'notifications', {})).every(({ count }) => count === 1))
    assert.equal((await rowOf(db, 'question_follows', { person_id: other.id })).level, 'follow')
  })

  test('by an edit is told to those alone whom the post did not mention before, until they have read it', async (t) => {
    const db = await testDatabase(t)
    const [one, two, follower] = [await aPerson(db), await aPerson(db), await aPerson(db)]
    const answer = await anAnswer(db)
    await within(db, setFollowing, answer.question.id, follower.id, 'follow')
    await mentionByEdit(db, answer, [one])
    const mentioned = [{ reason: 'mention', posts: ['mention'] }]
    assert.deepEqual(await told(db, one), mentioned)
    const edited = sql<Date>`(select date_trunc('milliseconds', edited_at) from answers where id = ${answer.id})`
    await within(db, markRead, answer.question.id, one.id, edited)
    assert.deepEqual(await told(db, one), [])
    await mentionByEdit(db, answer, [one, two])
    assert.deepEqual(await told(db, one), [])
    assert.deepEqual(await told(db, two), mentioned)
    assert.deepEqual(await told(db, follower), [])
    await mentionByEdit(db, answer, [one])
    assert.deepEqual(await told(db, two), [], 'the post mentions them no more')
  })

  test('reaches nobody who may not read the question or who muted it', async (t) => {
    const db = await testDatabase(t)
    const course = await aCourse(db, { isPublic: false })
    const [asker, muter] = [await aMember(db, course), await aMember(db, course)]
    const outsider = await aPerson(db)
    const question = await aQuestion(db, { course, author: asker })
    const answer = await anAnswer(db, { question, author: await aMember(db, course, 'instructor') })
    await within(db, setFollowing, question.id, muter.id, 'mute')
    await mentionByEdit(db, answer, [outsider, muter])
    for (const { id } of [outsider, muter])
      assert.deepEqual(await rowsOf(db, 'notifications', { person_id: id }), [])
    assert.deepEqual(await rowsOf(db, 'question_follows', { person_id: outsider.id }), [])
    assert.equal((await rowOf(db, 'question_follows', { person_id: muter.id })).level, 'mute')
  })
})
