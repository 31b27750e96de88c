import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { testApp } from '../../testing/app.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { textOf } from '../../testing/page.ts'
import { anAnnouncement, aText } from '../../testing/posts.ts'
import { rowsOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { announce, editAnnouncement } from '../announcements/announcement.ts'
import { setPlaceFollowing } from '../follows/following.ts'
import { saveMailChoices } from '../mailing/choices.ts'
import { unseenNotifications } from '../notifications/queries.ts'

type Id = { readonly id: number }

const TEXT = { title: 'The exam moves to Friday', body: 'It is in the **blue hall** now.' }

const published = (
  db: Database,
  { id: courseId }: Id,
  { id: authorId }: Id,
  correctsId: number | null = null,
) => anAnnouncement(db, { ...TEXT, courseId, authorId, correctsId })

async function told(db: Database, person: Id) {
  const { rows } = await sql<{ id: number; isSoon: boolean }>`
    select announcement_id as id, waiting.channel is not distinct from 'email' as "isSoon" from notifications as told
    left join delivery_windows as closing on closing.person_id = told.person_id and closing.ends_at = told.happened_at
    left join deliveries as waiting on waiting.notification_id = told.id and waiting.waiting_since = closing.ends_at
    where told.person_id = ${person.id} and announcement_id is not null order by told.id`.execute(db)
  return rows
}

suite('an announcement', () => {
  test('is told to members and followers, soon whatever their rhythm, and never to its author; an edit tells nobody', async (t) => {
    const db = await testDatabase(t)
    const course = await aCourse(db)
    const author = await aMember(db, course, 'assistant')
    const [learner, weekly] = [await aMember(db, course), await aMember(db, course)]
    const [silent, follower, stranger] = [await aMember(db, course), await aPerson(db), await aPerson(db)]
    await within(db, setPlaceFollowing, { kind: 'course', id: course.id }, follower.id, true)
    const choose = (person: Id, rhythm: 'weekly' | 'never') =>
      within(db, saveMailChoices, person.id, { rhythm, courses: new Map(), isResumed: false })
    await choose(weekly, 'weekly')
    await choose(silent, 'never')
    const id = await published(db, course, author)
    for (const person of [learner, weekly, follower])
      assert.deepEqual(await told(db, person), [{ id, isSoon: true }])
    assert.deepEqual(await told(db, silent), [{ id, isSoon: false }], 'the bell alone')
    for (const person of [author, stranger]) assert.deepEqual(await told(db, person), [])

    const edit = { ...TEXT, body: await aText('At nine.'), actorId: author.id, version: 1 }
    assert.equal(await within(db, editAnnouncement, id, edit), 'done')
    assert.equal((await told(db, learner)).length, 1)
    const correction = await published(db, course, author, id)
    const both = (isSoon: boolean) => [id, correction].map((one) => ({ id: one, isSoon }))
    assert.deepEqual(await told(db, learner), both(true))
    await choose(learner, 'never')
    assert.deepEqual(await told(db, learner), both(false), 'what waits goes by the new settings')
  })

  test('of a closed course is told to nobody who has left it, and is gone for those who leave later', async (t) => {
    const db = await testDatabase(t)
    const course = await aCourse(db, { isPublic: false })
    const author = await aMember(db, course, 'instructor')
    const [former, learner] = [await aPerson(db), await aMember(db, course)]
    await within(db, setPlaceFollowing, { kind: 'course', id: course.id }, former.id, true)
    await published(db, course, author)
    assert.deepEqual(await told(db, former), [])
    const shown = async () => (await unseenNotifications(db, learner.id, null)).map(({ title }) => title)
    assert.deepEqual(await shown(), [TEXT.title])
    await db.deleteFrom('course_members').where('person_id', '=', learner.id).execute()
    assert.deepEqual(await shown(), [])
  })

  test('stands on the page of notifications beside questions, is opened there, and is seen once it was read', async (t) => {
    const db = await testDatabase(t)
    const app = await testApp(t, db)
    const course = await aCourse(db)
    const author = await aMember(db, course, 'instructor', await aPerson(db, { displayName: 'Mara' }))
    const learner = await aMember(db, course)
    await anAnswer(db, { question: await aQuestion(db, { course, author: learner }) })
    const [first, second] = [await published(db, course, author), await published(db, course, author)]
    const reader = await signedIn(app, learner)
    const page = async () => (await reader.get('/notifications')).body
    assert.match(
      textOf(await page()),
      /New: Mara announced: The exam moves to Friday It is in the blue hall now\./,
    )
    assert.match(await page(), /3 new notifications/)
    const [opening = ''] = /\/notifications\/\d+\/opening/.exec(await page()) ?? []
    const path = `/announcements/${second}/the-exam-moves-to-friday`
    assert.equal((await reader.post(opening)).headers.location, path)
    assert.match(await page(), /2 new notifications/)
    const shown = (await reader.get(path.replace(String(second), String(first)))).body
    assert.match(shown, /data-part="since"[^>]*>\s*<input[^>]*><span>New<\/span>/)
    assert.equal((await reader.post(`/announcements/${first}/reading`)).statusCode, 303)
    assert.match(await page(), /One new notification/)
  })

  test('is told to 3,000 by one statement, in the transaction that publishes it', async (t) => {
    const db = await testDatabase(t)
    const course = await aCourse(db)
    const author = await aMember(db, course, 'instructor')
    await sql`
      with made as (insert into people (display_name, email, email_confirmed_at)
        select 'Learner ' || number, 'learner-' || number || '@example.com', now() from generate_series(1, 3000) as number
        returning id)
      insert into course_members (course_id, person_id, role)
        select ${course.id}::bigint, id, 'learner' from made`.execute(db)
    const body = await aText(TEXT.body)
    await assert.rejects(
      db.transaction().execute(async (write) => {
        await announce(write, { ...TEXT, body, courseId: course.id, authorId: author.id, correctsId: null })
        throw new Error('not published')
      }),
    )
    await published(db, course, author)
    assert.equal((await rowsOf(db, 'notifications', {})).length, 3000)
  })
})
