import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf, rowsOf } from '../../testing/rows.ts'

const TEXT = { title: 'How are marks given?', body: 'By two people.' }

/** Posts and their versions: questions/edit.test.ts. */
suite('forms of staff that are sent again with nothing changed', () => {
  const forum = sharedForum()

  test('make no version, say so, and make one as soon as something changes', async () => {
    const { app, db } = forum
    const course = await aCourse(db)
    const staff = await signedIn(app, await aMember(db, course, 'instructor'))
    const admin = await signedIn(app, await aPerson(db, { isAdmin: true }))
    const base = `/courses/${course.slug}`
    for (const [table, path, editOf, fields] of [
      ['announcements', `${base}/announcements/new`, (id: number) => `/announcements/${id}/edit`, TEXT],
      ['faq_entries', `${base}/faq`, (id: number) => `/faq/${id}`, { ...TEXT, state: 'shown' }],
      ['saved_answers', `${base}/desk/saved`, () => `${base}/desk/saved`, TEXT],
      ['policies', `${base}/settings/rules`, () => `${base}/settings/rules`, { body: TEXT.body }],
    ] as const) {
      const now = () => rowOf(db, table, { course_id: course.id })
      assert.equal((await staff.post(path, fields)).statusCode, 303, table)
      const { id, version } = await now()
      const sent = { ...fields, version, ...(table === 'saved_answers' && { id }) }
      const same = await staff.post(editOf(id), sent)
      assert.match(textOf((await staff.follow(same)).body), /Nothing changed\./, table)
      assert.equal((await now()).version, version, table)
      const changed = await staff.post(editOf(id), { ...sent, body: 'By three people.' })
      assert.doesNotMatch(textOf((await staff.follow(changed)).body), /Nothing changed/, table)
      assert.equal((await now()).version, version + 1, table)
    }
    const page = '/admin/pages/contact?language=ko'
    const empty = await admin.post(page, { body: '', version: '' })
    assert.match(textOf((await admin.follow(empty)).body), /Nothing changed\./)
    assert.deepEqual(await rowsOf(db, 'policies', { language: 'ko' }), [])
    const before = await rowOf(db, 'courses', course.id)
    const same = await staff.post(`${base}/settings`, { title: before.title, version: before.version })
    assert.match(textOf((await staff.follow(same)).body), /Nothing changed\./)
    assert.deepEqual(await rowOf(db, 'courses', course.id), before)
  })
})
