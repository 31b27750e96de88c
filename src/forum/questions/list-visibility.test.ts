import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setAudience } from '../../testing/audience.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf, titlesIn } from '../../testing/page.ts'
import { deleteQuestion } from '../../testing/posts.ts'
import { within } from '../../testing/within.ts'
import { setFollowing } from '../follows/following.ts'
import { pinQuestion } from '../posts/pin.ts'
import { hidePost } from '../posts/removal.ts'

suite('who finds what in the question list', () => {
  const forum = sharedForum()
  const titlesAt = async (path: string, browser = visitor(forum.app)) =>
    titlesIn((await browser.get(path)).body)

  test('"mine" shows my own, and asks a visitor to sign in', async () => {
    const { app, db } = forum
    const [course, me] = [await aCourse(db), await aPerson(db)]
    await aQuestion(db, { course, author: me, title: 'my own' })
    await aQuestion(db, { course, title: 'of somebody else' })
    const path = `/questions?course=${course.slug}&mine=1`

    assert.deepEqual(await titlesAt(path, await signedIn(app, me)), ['my own'])
    const answer = await visitor(app).get(path)
    assert.equal(answer.statusCode, 303)
    assert.equal(answer.headers.location, `/sign-in?next=${encodeURIComponent(path)}`)
  })

  test('"following" shows the listed questions I follow, in each sort and filter, and asks a visitor to sign in', async () => {
    const { app, db } = forum
    const [course, me] = [await aCourse(db, { lectures: ['One'] }), await aPerson(db)]
    const other = await aCourse(db)
    const lectureId = course.lectureIds[0] ?? 0
    const follow = async (id: number, level: 'follow' | 'mute' = 'follow') =>
      within(db, setFollowing, id, me.id, level)
    const first = await aQuestion(db, { course, title: 'followed', tags: ['java'], lectureId, views: 3 })
    await follow(first.id)
    await follow((await aQuestion(db, { course: other, title: 'elsewhere', status: 'resolved' })).id)
    await follow((await aQuestion(db, { course, title: 'muted' })).id, 'mute')
    await follow((await aQuestion(db, { course, title: 'kept', audience: 'staff' })).id)
    const gone = await aQuestion(db, { course, title: 'gone' })
    await follow(gone.id)
    await within(db, deleteQuestion, gone.id)
    const closed = await aCourse(db, { isPublic: false })
    await follow((await aQuestion(db, { course: closed, title: 'behind doors' })).id)
    await aQuestion(db, { course, title: 'of somebody else' })
    const mine = await signedIn(app, me)
    const listed = (query: string) => titlesAt(`/questions?following=1${query}`, mine)

    assert.deepEqual(await listed(''), ['elsewhere', 'followed'])
    assert.deepEqual(await listed('&sort=views'), ['followed', 'elsewhere'])
    assert.deepEqual(await listed('&status=resolved'), ['elsewhere'])
    assert.deepEqual(await listed('&tag=java'), ['followed'])
    assert.deepEqual(await listed(`&course=${course.slug}&lecture=1`), ['followed'])
    assert.deepEqual(await listed(`&course=${other.slug}`), ['elsewhere'])
    const answer = await visitor(app).get('/questions?following=1')
    assert.equal(answer.headers.location, `/sign-in?next=${encodeURIComponent('/questions?following=1')}`)
    const nothing = await (await signedIn(app, await aPerson(db))).get('/questions?following=1')
    assert.match(textOf(nothing.body), /You aren’t following any questions here/)
  })

  test('a pin shows nobody a question that became private, was hidden or deleted', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const pinned = async (title: string) => {
      const { id, authorId } = await aQuestion(db, { course, title })
      const pin = { questionId: id, until: '2999-12-31', timeZone: 'UTC', actorId: authorId }
      assert.equal(await within(db, pinQuestion, pin), 'done')
      return id
    }
    await pinned('stays pinned')
    await setAudience(db, await pinned('became private'), 'staff')
    await within(db, hidePost, { table: 'questions', id: await pinned('was hidden') })
    await within(db, deleteQuestion, await pinned('was deleted'))
    assert.deepEqual(await titlesAt(`/courses/${course.slug}`), ['stays pinned'])
  })
})
