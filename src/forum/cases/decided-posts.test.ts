import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { doJobs } from '../../jobs/do-jobs.ts'
import { type Browser, signedIn } from '../../testing/browser.ts'
import { aMember, aQuestion } from '../../testing/builders.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { textOf } from '../../testing/page.ts'
import { caseLettersKind } from './letters.ts'
import { aReportedScene, forumOfCases } from './scene-testing.ts'
import { caseOf, decided, measuresOf, reported } from './testing.ts'

const TEXTS = { rule: 'Be kind', note: 'Zyxreason' }

suite('what a post says of the decision about it', () => {
  const forum = forumOfCases()

  /** A question of an asker of its own, reported as rude. */
  async function aScene() {
    const scene = await aReportedScene(forum)
    const asker = await aMember(scene.db, scene.course)
    const question = await aQuestion(scene.db, { course: scene.course, author: asker, title: 'Zyxtopic' })
    const subject = { about: 'question', id: question.id } as const
    await reported(scene.db, subject, scene.reporter.id)
    const asking = await signedIn(scene.app, asker)
    const path = `/questions/${question.id}/zyxtopic`
    const seenBy = async (by: Browser) => {
      const page = await by.get(path)
      assert.deepEqual(await markupMistakes(page.body), [])
      return textOf(page.body)
    }
    const decides = async (kind: Parameters<typeof decided>[3][number], texts = TEXTS) => {
      const kinds = [kind]
      await decided(scene.db, scene.instructor.id, await caseOf(scene.db, subject), kinds, texts)
      const { id } = await caseOf(scene.db, subject)
      return { id, measure: (await measuresOf(scene.db, id))[0]?.id ?? 0 }
    }
    return { ...scene, question, subject, asker, asking, path, seenBy, decides }
  }

  test('a hidden question says so to its author with ground, rule and words, and names nobody', async () => {
    const { asking, instructor, reporter, path, seenBy, decides, browsers } = await aScene()
    const { id, measure } = await decides('hide')
    const seen = await seenBy(asking)
    assert.match(
      seen,
      /Hidden by course staff on .*: rude.*Be kind.*Zyxreason.*Only you and course staff can see this/s,
    )
    assert.match(seen, /See decision.*Object/s)
    const page = (await asking.get(path)).body
    assert.ok(page.includes(`href="/settings/standing#object-${measure}"`))
    for (const secret of [instructor.displayName, reporter.displayName, `/cases/${id}`])
      assert.ok(!page.includes(secret), secret)
    await asking.post(`/measures/${measure}/objection`, { note: 'No.' })
    assert.match(await seenBy(asking), /You objected\./)
    assert.doesNotMatch((await asking.get(path)).body, /#object-/)

    const staff = await browsers.assistant.get(path)
    assert.match(
      textOf(staff.body),
      new RegExp(`Hidden by ${instructor.displayName} on .*Case ${id}.*Undo`, 's'),
    )
    assert.equal((await browsers.assistant.post(`/measures/${measure}/end`, {})).statusCode, 303)
    assert.doesNotMatch(await seenBy(asking), /Hidden by/)
  })

  test('a ground that is the only reason is said once, on the page and in the letter', async () => {
    for (const note of ['Rude', '욕설·비방']) {
      const { asking, asker, db, seenBy, decides } = await aScene()
      await decides('hide', { rule: '', note })
      assert.match(await seenBy(asking), /Hidden by course staff on .*: rude +Only you and course staff/)
      await doJobs(db, caseLettersKind(db, { baseUrl: 'https://forum.example', timeZone: 'UTC' }))
      const mails = await db.selectFrom('mails').select('text').where('recipient', '=', asker.email).execute()
      assert.match(mails.map(({ text }) => text).join(''), /Reason: rude/)
      assert.doesNotMatch(mails.map(({ text }) => text).join(''), /Staff wrote/)
    }
  })

  test('a closed question says why to its author and staff, and to others only that it is closed', async () => {
    const { asking, seenBy, decides, browsers } = await aScene()
    await decides('close')
    assert.match(await seenBy(asking), /Closed by course staff on .*: rude.*Zyxreason.*No new answers/s)
    assert.match(await seenBy(browsers.assistant), /Closed by .*Zyxreason/s)
    const other = await seenBy(browsers.reporter)
    assert.match(other, /Staff closed this question/)
    assert.doesNotMatch(other, /Zyxreason|rude/)
  })

  test('a deleted question keeps its page and text for its author for 30 days, and for nobody else', async () => {
    const { db, asking, question, path, seenBy, decides, browsers } = await aScene()
    const { measure } = await decides('delete')
    const own = await asking.get(path)
    assert.equal(own.statusCode, 410)
    assert.match(
      await seenBy(asking),
      /Zyxtopic Deleted by course staff on .*: rude.*Zyxreason.*You can read the text until/s,
    )
    assert.doesNotMatch((await browsers.reporter.get(path)).body, /Zyxtopic|Zyxreason/)
    const at = new Date(Date.now() - 31 * 86_400_000)
    await db.updateTable('measures').set({ starts_at: at }).where('id', '=', measure).execute()
    await db.updateTable('questions').set({ deleted_at: at }).where('id', '=', question.id).execute()
    const late = await seenBy(asking)
    assert.match(late, /Deleted by course staff/)
    assert.doesNotMatch(late, /Zyxtopic/)
  })

  test('an answer that was deleted stands below its question for its author alone', async () => {
    const { db, question, subject, author, assistant, reporter, browsers } = await aReportedScene(forum)
    await reported(db, subject, reporter.id)
    await decided(db, assistant.id, await caseOf(db, subject), ['delete', 'warn'], { note: 'Zyxreason' })
    const path = `/questions/${question.id}/which-tests-count`
    const own = textOf((await browsers.author.get(path)).body)
    assert.match(own, /zyxsolution.*Deleted by course staff on .*Zyxreason.*See decision/s)
    assert.doesNotMatch((await browsers.reporter.get(path)).body, /zyxsolution|Zyxreason/)
    assert.ok(!(await browsers.author.get(path)).body.includes(`/answers/${subject.id}/restoration`))
    assert.ok(author.id > 0)
  })

  test('the bell and the email name the post and the measure; who reported it learns the outcome by the post', async () => {
    const { db, asker, asking, browsers, decides, reporter } = await aScene()
    const { measure } = await decides('hide')
    const bell = await asking.get('/notifications')
    assert.match(textOf(bell.body), /Your question was hidden: rude: Zyxtopic/)
    assert.ok(bell.body.includes(`/settings/standing#measure-${measure}`))
    const told = textOf((await browsers.reporter.get('/notifications')).body)
    assert.match(told, /Thanks for your report: the question was hidden: the question you reported/)
    assert.doesNotMatch(told, /Zyxtopic/)
    await doJobs(db, caseLettersKind(db, { baseUrl: 'https://forum.example', timeZone: 'UTC' }))
    const mailTo = (id: number) =>
      db.selectFrom('mails').select(['subject', 'text']).where('person_id', '=', id).executeTakeFirstOrThrow()
    const statement = await mailTo(asker.id)
    assert.equal(statement.subject, 'Your question was hidden: Zyxtopic')
    assert.match(statement.text, /Your question “Zyxtopic”, in .*Reason: rude.*Zyxreason.*Be kind/s)
    assert.doesNotMatch((await mailTo(reporter.id)).text, /Zyxtopic/)
    await browsers.assistant.post(`/measures/${measure}/end`, {})
    assert.match(
      textOf((await asking.get('/notifications')).body),
      /No longer in effect: Question hidden: Zyxtopic/,
    )
    assert.match(
      textOf((await browsers.reporter.get('/notifications')).body),
      /the question was hidden: Zyxtopic/,
      'who may read it again sees its title',
    )
  })
})
