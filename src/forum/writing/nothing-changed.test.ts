import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'

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
    const versionIn = (table: 'announcements' | 'faq_entries' | 'saved_answers' | 'policies') =>
      db
        .selectFrom(table)
        .select(['id', 'version'])
        .where('course_id', '=', course.id)
        .executeTakeFirstOrThrow()
    const made = {
      announcements: [staff, `${base}/announcements/new`, TEXT],
      faq_entries: [staff, `${base}/faq`, { ...TEXT, state: 'shown' }],
      saved_answers: [staff, `${base}/desk/saved`, TEXT],
      policies: [staff, `${base}/settings/rules`, { body: TEXT.body }],
    } as const
    for (const [name, [browser, path, fields]] of Object.entries(made)) {
      const table = name as keyof typeof made
      assert.equal((await browser.post(path, fields)).statusCode, 303, name)
      const { id, version } = await versionIn(table)
      const edits = {
        announcements: `/announcements/${id}/edit`,
        faq_entries: `/faq/${id}`,
        saved_answers: path,
        policies: path,
      }
      const sent = { ...fields, version, ...(table === 'saved_answers' && { id }) }
      const same = await browser.post(edits[table], sent)
      assert.match(textOf((await browser.follow(same)).body), /Nothing changed\./, name)
      assert.equal((await versionIn(table)).version, version, name)
      const changed = await browser.post(edits[table], { ...sent, body: 'By three people.' })
      assert.doesNotMatch(textOf((await browser.follow(changed)).body), /Nothing changed/, name)
      assert.equal((await versionIn(table)).version, version + 1, name)
    }
    const page = '/admin/pages/contact?language=ko'
    const empty = await admin.post(page, { body: '', version: '' })
    assert.match(textOf((await admin.follow(empty)).body), /Nothing changed\./)
    assert.deepEqual(await db.selectFrom('policies').select('id').where('language', '=', 'ko').execute(), [])
    const settings = () =>
      db
        .selectFrom('courses')
        .select(['title', 'version'])
        .where('id', '=', course.id)
        .executeTakeFirstOrThrow()
    const before = await settings()
    const same = await staff.post(`${base}/settings`, { ...before })
    assert.match(textOf((await staff.follow(same)).body), /Nothing changed\./)
    assert.deepEqual(await settings(), before)
  })
})
