import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { titlesIn } from '../../testing/page.ts'
import { deleteQuestion } from './commands.ts'

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

  test('a deleted question is in no list', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const question = await aQuestion(db, { course, title: 'soon gone', status: 'resolved' })
    await deleteQuestion(db, question.id)
    for (const query of ['', '?sort=votes', '?status=resolved', '?status=unanswered']) {
      assert.deepEqual(await titlesAt(`/courses/${course.slug}${query}`), [])
    }
  })

  test('a private course is seen by its members and admins only', async () => {
    const { app, db } = forum
    const course = await aCourse(db, { isPublic: false, title: 'Behind doors' })
    await aQuestion(db, { course, title: 'a secret question', tags: ['secret-tag'] })
    const allowed = [await aMember(db, course), await aPerson(db, { isAdmin: true })]
    const paths = [`/courses/${course.slug}`, `/questions?course=${course.slug}`]

    for (const browser of [visitor(app), await signedIn(app, await aPerson(db))]) {
      for (const path of paths) assert.equal((await browser.get(path)).statusCode, 404)
      for (const path of ['/', '/questions?tag=secret-tag', '/tags', '/courses', '/questions?sort=active']) {
        assert.doesNotMatch((await browser.get(path)).body, /a secret question|Behind doors/, path)
      }
      assert.equal((await browser.get('/tags/secret-tag')).statusCode, 404)
    }
    for (const person of allowed) {
      const browser = await signedIn(app, person)
      for (const path of [...paths, '/questions?tag=secret-tag']) {
        assert.deepEqual(await titlesAt(path, browser), ['a secret question'], path)
      }
    }
  })
})
