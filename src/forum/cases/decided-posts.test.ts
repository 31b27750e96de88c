import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { act } from '../../testing/act.ts'
import { type Browser, signedIn } from '../../testing/browser.ts'
import { aMember, aQuestion } from '../../testing/builders.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { textOf } from '../../testing/page.ts'
import { setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { measureEnd, object } from './endings.ts'
import { aReportedScene, forumOfCases } from './scene-testing.ts'
import { caseOf, decided, lettersTo, measuresOf, reported } from './testing.ts'

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
    const { db, asker, asking, instructor, reporter, path, seenBy, decides, browsers } = await aScene()
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
    await within(db, object, asker.id, measure, 'No.')
    assert.match(await seenBy(asking), /You objected\./)
    assert.doesNotMatch((await asking.get(path)).body, /#object-/)

    const staff = await browsers.assistant.get(path)
    const said = new RegExp(`Hidden by ${instructor.displayName} on .*Case ${id}.*Undo`, 's')
    assert.match(textOf(staff.body), said)
    await act(forum, measureEnd, { actor: instructor, key: measure })
    assert.doesNotMatch(await seenBy(asking), /Hidden by/)
  })

  test('a ground that is the only reason is said once, on the page and in the letter', async () => {
    for (const note of ['Rude', '욕설·비방']) {
      const { asking, asker, db, seenBy, decides } = await aScene()
      await decides('hide', { rule: '', note })
      assert.match(await seenBy(asking), /Hidden by course staff on .*: rude +Only you and course staff/)
      const letters = (await lettersTo(db, asker)).map(({ text }) => text).join('')
      assert.match(letters, /Reason: rude/)
      assert.doesNotMatch(letters, /Staff wrote/)
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
    const said = /Zyxtopic Deleted by course staff on .*: rude.*Zyxreason.*You can read the text until/s
    assert.match(await seenBy(asking), said)
    assert.doesNotMatch((await browsers.reporter.get(path)).body, /Zyxtopic|Zyxreason/)
    const at = new Date(Date.now() - 31 * 86_400_000)
    await setRows(db, 'measures', measure, { starts_at: at })
    await setRows(db, 'questions', question.id, { deleted_at: at })
    const late = await seenBy(asking)
    assert.match(late, /Deleted by course staff/)
    assert.doesNotMatch(late, /Zyxtopic/)
  })

  test('an answer that was deleted stands below its question for its author alone', async () => {
    const { question, subject, browsers, judged } = await aReportedScene(forum)
    await judged(['delete', 'warn'], { note: 'Zyxreason' })
    const path = `/questions/${question.id}/which-tests-count`
    const own = textOf((await browsers.author.get(path)).body)
    assert.match(own, /zyxsolution.*Deleted by course staff on .*Zyxreason.*See decision/s)
    assert.doesNotMatch((await browsers.reporter.get(path)).body, /zyxsolution|Zyxreason/)
    assert.ok(!(await browsers.author.get(path)).body.includes(`/answers/${subject.id}/restoration`))
  })

  test('the bell and the email name the post and the measure; who reported it learns the outcome by the post', async () => {
    const { db, asker, asking, browsers, decides, instructor, reporter } = await aScene()
    const { measure } = await decides('hide')
    const bell = await asking.get('/notifications')
    assert.match(textOf(bell.body), /Your question was hidden: rude: Zyxtopic/)
    assert.ok(bell.body.includes(`/settings/standing#measure-${measure}`))
    const told = textOf((await browsers.reporter.get('/notifications')).body)
    assert.match(told, /Thanks for your report: the question was hidden: the question you reported/)
    assert.doesNotMatch(told, /Zyxtopic/)
    const [[statement], [outcome]] = [await lettersTo(db, asker), await lettersTo(db, reporter)]
    assert.equal(statement?.subject, 'Your question was hidden: Zyxtopic')
    assert.match(statement.text, /Your question “Zyxtopic”, in .*Reason: rude.*Zyxreason.*Be kind/s)
    assert.doesNotMatch(outcome?.text ?? assert.fail('no outcome'), /Zyxtopic/)
    await act(forum, measureEnd, { actor: instructor, key: measure })
    const undone = textOf((await asking.get('/notifications')).body)
    assert.match(undone, /No longer in effect: Question hidden: Zyxtopic/)
    // Who may read it again sees its title.
    const again = textOf((await browsers.reporter.get('/notifications')).body)
    assert.match(again, /the question was hidden: Zyxtopic/)
  })
})
