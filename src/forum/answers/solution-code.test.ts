import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { aToken } from '../../accounts/tokens/testing.ts'
import { aProgram } from '../../doors/api/testing.ts'
import { act, refuses } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf, valueIn } from '../../testing/page.ts'
import { rowOf, rowsOf, setRows } from '../../testing/rows.ts'
import { fencedLines } from '../../text/code-like.ts'
import { settingsChange } from '../course-settings/operations.ts'

const code = (lines: number) => `Do it so:\n\n\`\`\`java\n${'int x = 1;\n'.repeat(lines)}\`\`\`\n`

suite('an answer with much code', () => {
  const forum = sharedForum()

  async function aScene(most = 3) {
    const course = await aCourse(forum.db)
    const staff = await aMember(forum.db, course, 'instructor')
    await act(forum, settingsChange, {
      actor: staff,
      key: course.slug,
      input: { asks_about_code: String(most), version: '1' },
    })
    const question = await aQuestion(forum.db, { course })
    const learner = await aMember(forum.db, course)
    const answers = async () => (await rowsOf(forum.db, 'answers', { question_id: question.id })).length
    return { course, staff, learner, question, answers, path: `/questions/${question.id}/answers` }
  }

  test('is asked about once, of learners, and posted whatever they say', async () => {
    const { learner, path, answers } = await aScene()
    const browser = await signedIn(forum.app, learner)
    assert.equal((await browser.post(path, { body: code(3) })).statusCode, 303, 'as many are fine')
    const asked = await browser.post(path, { body: code(4) })
    assert.equal(asked.statusCode, 422)
    assert.match(textOf(asked.body), /Does this give away an assignment\? It has 4 lines of code\./)
    assert.match(asked.body, /<input type="checkbox" name="code_is_fine" value="1" autofocus data-focus/)
    const form = asked.body.slice(asked.body.indexOf('answer-form'))
    assert.equal(valueIn(form, 'body')?.replaceAll('\r\n', '\n'), code(4))
    assert.equal(await answers(), 1)
    assert.equal((await browser.post(path, { body: code(4), code_asked: '1' })).statusCode, 303)
    assert.equal(await answers(), 2)
  })

  test('is posted at once by staff, by programs, and where the course asks nothing', async () => {
    const { staff, learner, question, path, answers } = await aScene()
    assert.equal((await (await signedIn(forum.app, staff)).post(path, { body: code(9) })).statusCode, 303)
    const program = aProgram(forum.app, await aToken(forum, learner, ['read', 'write']))
    const sent = await program.send('POST', path, { body: code(9) })
    assert.equal(sent.statusCode, 201)
    assert.equal(await answers(), 2)
    await setRows(forum.db, 'courses', question.courseId, { asks_about_code: null })
    assert.equal((await (await signedIn(forum.app, learner)).post(path, { body: code(9) })).statusCode, 303)
  })

  test('is what a course says in whole lines, or nothing', async () => {
    const { course, staff } = await aScene(20)
    const by = { actor: staff, key: course.slug }
    await refuses(
      forum,
      settingsChange,
      by,
      ['0', '1001', '-1', 'many', '1.5'].map((asks_about_code) => [
        { asks_about_code, version: '2' },
        'asks_about_code: courseSettings.asks_about_code.wrong',
      ]),
    )
    assert.equal((await rowOf(forum.db, 'courses', course.id)).asks_about_code, 20)
    await act(forum, settingsChange, { ...by, input: { asks_about_code: '', version: '2' } })
    assert.equal((await rowOf(forum.db, 'courses', course.id)).asks_about_code, null)
  })

  test('counts the lines in fences', () => {
    assert.equal(fencedLines(code(4)), 4)
    assert.equal(fencedLines('Only words\n    int x = 1;'), 0)
    assert.equal(fencedLines('~~~\none\n\ntwo'), 2, 'one that never ends')
    assert.equal(fencedLines(`${code(2)}${code(3)}`), 5)
  })
})
