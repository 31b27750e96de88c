import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import type { Database, Rhythm } from '../../database/schema.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { rowsOf, setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { setAcceptance } from '../answers/acceptance.ts'
import { addMember } from '../courses/commands.ts'
import { setFollowing, setPlaceFollowing } from '../follows/following.ts'
import { hidePost } from '../posts/removal.ts'
import { notifyOfMentions } from './mentions.ts'

type Id = { readonly id: number }

const told = async (db: Database, person: Id) => {
  const { rows } = await sql<{ question: number; reason: string; count: number; isDue: boolean }>`
    select question_id as question, reason, count, exists (select from deliveries
      where notification_id = told.id and channel = 'email' and waiting_since is not null) as "isDue"
    from notifications as told where person_id = ${person.id} and seen_at is null order by id`.execute(db)
  return rows
}

suite('who is told of what', () => {
  test('of an answer whoever asked and whoever follows, of a reply whose post it is under, never who wrote it', async (t) => {
    const db = await testDatabase(t)
    const [asker, helper, follower] = [await aPerson(db), await aPerson(db), await aPerson(db)]
    const question = await aQuestion(db, { author: asker })
    await within(db, setFollowing, question.id, follower.id, 'follow')
    const answer = await anAnswer(db, { question, author: helper })
    const row = { question: question.id, count: 1, isDue: true }
    assert.deepEqual(await told(db, asker), [{ ...row, reason: 'answered' }])
    assert.deepEqual(await told(db, follower), [{ ...row, reason: 'followed' }])
    assert.deepEqual(await told(db, helper), [])

    await aReply(db, { answer, author: asker })
    assert.deepEqual(await told(db, helper), [{ ...row, reason: 'reply' }])
    assert.deepEqual(await told(db, asker), [], 'whoever writes there has read it')
    assert.deepEqual(await told(db, follower), [{ ...row, reason: 'followed', count: 2 }])

    await within(db, setAcceptance, question.id, answer.id, true, asker.id)
    const both = { ...row, reason: 'accepted', count: 2 } as const
    assert.deepEqual(await told(db, helper), [both], 'the strongest reason')
  })

  test('of a new question staff, unless they said otherwise, and who follows course, lecture or tag, once', async (t) => {
    const db = await testDatabase(t)
    const course = await aCourse(db, { lectures: ['One'] })
    const [staff, silent] = [await aMember(db, course, 'assistant'), await aMember(db, course, 'instructor')]
    const [learner, other] = [await aPerson(db), await aPerson(db)]
    const first = await aQuestion(db, { course, tags: ['http'] })
    const { id: tagId } = await db.selectFrom('tags').select('id').executeTakeFirstOrThrow()
    await within(db, setPlaceFollowing, { kind: 'course', id: course.id }, silent.id, false)
    await within(db, setPlaceFollowing, { kind: 'lecture', id: course.lectureIds[0] ?? 0 }, learner.id, true)
    await within(db, setPlaceFollowing, { kind: 'tag', id: tagId }, learner.id, true)
    await within(db, setPlaceFollowing, { kind: 'course', id: course.id }, other.id, true)
    const question = await aQuestion(db, { course, tags: ['http'], lectureId: course.lectureIds[0] ?? 0 })
    const row = { question: question.id, reason: 'question', count: 1, isDue: true } as const
    assert.deepEqual(await told(db, staff), [{ ...row, question: first.id }, row])
    for (const person of [learner, other]) assert.deepEqual(await told(db, person), [row])
    assert.equal((await told(db, silent)).length, 1, 'only of what came before')
  })

  test('of a new question the first instructor where all staff want to hear of none, or nobody would know of it', async (t) => {
    const db = await testDatabase(t)
    const course = await aCourse(db)
    const place = { kind: 'course', id: course.id } as const
    const assistant = await aMember(db, course, 'assistant')
    const [first, second] = [await aMember(db, course, 'instructor'), await aMember(db, course, 'instructor')]
    for (const { id } of [assistant, first, second]) await within(db, setPlaceFollowing, place, id, false)
    const question = await aQuestion(db, { course })
    const count = async () =>
      Promise.all([assistant, first, second].map(async (person) => (await told(db, person)).length))
    const row = { question: question.id, reason: 'question', count: 1, isDue: true } as const
    assert.deepEqual(await told(db, first), [row])
    assert.deepEqual(await count(), [0, 1, 0])
    await aQuestion(db, { course, author: first })
    assert.deepEqual(await count(), [0, 1, 1], 'another one where they ask themselves')
    await within(db, setPlaceFollowing, place, assistant.id, true)
    await aQuestion(db, { course })
    assert.deepEqual(await count(), [1, 1, 1], 'nobody else where one listens')
  })

  test('of new questions who becomes staff, though they wanted to hear of none as a learner', async (t) => {
    const db = await testDatabase(t)
    const course = await aCourse(db)
    const place = { kind: 'course', id: course.id } as const
    await aMember(db, course, 'instructor')
    const [promoted, appointed] = [await aMember(db, course), await aPerson(db)]
    for (const { id } of [promoted, appointed])
      for (const isFollowed of [true, false]) await within(db, setPlaceFollowing, place, id, isFollowed)
    await aQuestion(db, { course })
    for (const person of [promoted, appointed]) assert.deepEqual(await told(db, person), [])
    for (const { id } of [promoted, appointed]) await within(db, addMember, course.id, id, 'assistant')
    await aQuestion(db, { course })
    for (const person of [promoted, appointed]) assert.equal((await told(db, person)).length, 1)
    await within(db, setPlaceFollowing, place, promoted.id, false)
    await within(db, addMember, course.id, promoted.id, 'instructor')
    await aQuestion(db, { course })
    assert.equal((await told(db, promoted)).length, 1, 'what they say as staff stays')
  })

  test('nobody who muted it, may not read it, or has left', async (t) => {
    const db = await testDatabase(t)
    const course = await aCourse(db, { isPublic: false })
    const [asker, muter] = [await aMember(db, course), await aMember(db, course)]
    const [former, classmate] = [await aMember(db, course), await aMember(db, course)]
    const instructor = await aMember(db, course, 'instructor')
    await within(db, setPlaceFollowing, { kind: 'course', id: course.id }, classmate.id, true)
    const question = await aQuestion(db, { course, author: asker })
    await within(db, setFollowing, question.id, muter.id, 'mute')
    await within(db, setFollowing, question.id, former.id, 'follow')
    await db.deleteFrom('course_members').where('person_id', '=', former.id).execute()
    await anAnswer(db, { question, author: instructor })
    for (const person of [muter, former]) assert.deepEqual(await told(db, person), [])
    assert.equal((await told(db, asker)).length, 1)

    const before = (await told(db, classmate)).length
    await aQuestion(db, { course, author: asker, audience: 'staff' })
    assert.equal((await told(db, classmate)).length, before, 'a private question is told to staff alone')
    assert.equal((await told(db, instructor)).length, 1)
  })

  test('nobody of what is done in a hidden question, though its asker and staff can read it', async (t) => {
    const db = await testDatabase(t)
    const course = await aCourse(db)
    const staff = await aMember(db, course, 'assistant')
    const question = await aQuestion(db, { course })
    const before = await told(db, staff)
    await within(db, hidePost, { table: 'questions', id: question.id })
    await within(db, notifyOfMentions, { questionId: question.id }, question.authorId, [staff.id])
    assert.deepEqual(await told(db, staff), before)
  })

  test('settings decide whether a mail is due, and when: eight in the morning where the person is', async (t) => {
    const db = await testDatabase(t)
    const course = await aCourse(db)
    const someone = async (mail_rhythm: Rhythm) => {
      const person = await aPerson(db, { timeZone: 'Asia/Seoul' })
      await setRows(db, 'people', person.id, { mail_rhythm })
      return person
    }
    const [soon, daily] = [await someone('soon'), await someone('daily')]
    const [weekly, never] = [await someone('weekly'), await someone('never')]
    const question = await aQuestion(db, { course })
    for (const { id } of [soon, daily, weekly, never])
      await within(db, setFollowing, question.id, id, 'follow')
    await anAnswer(db, { question })
    const due = async ({ id }: Id) => (await rowsOf(db, 'delivery_windows', { person_id: id }))[0]
    const first = await due(soon)
    assert.equal(first?.ends_at.getTime(), first?.begins_at.getTime())
    const format = { timeZone: 'Asia/Seoul', weekday: 'short', hour: '2-digit', minute: '2-digit' } as const
    const seoul = (at: Date | undefined) => at?.toLocaleString('en-GB', format)
    assert.match(seoul((await due(daily))?.ends_at) ?? '', /08:00/)
    assert.match(seoul((await due(weekly))?.ends_at) ?? '', /Mon.*08:00/)
    assert.equal(await due(never), undefined)
    assert.equal((await told(db, never)).length, 1, 'the bell is another thing')
  })
})
