import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { aToken } from '../../accounts/tokens/testing.ts'
import { recount } from '../../database/recount.ts'
import { aProgram } from '../../doors/api/testing.ts'
import { act, refusalOf, refuses } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { elementIn, textOf, valueIn } from '../../testing/page.ts'
import { deleteAnswer, restoreAnswer } from '../../testing/posts.ts'
import { rowOf, rowsOf, setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { fencedLines } from '../../text/code-like.ts'
import { questionPath } from '../../web/paths.ts'
import { settingsChange } from '../course-settings/operations.ts'
import { REMOVALS } from '../posts/removal.ts'
import { postAnswer } from './operations.ts'

suite('answering', () => {
  const forum = sharedForum()

  test('an answer appears under its fragment, counts, and makes its author belong to the course', async () => {
    const { app, db } = forum
    const question = await aQuestion(db)
    const person = await aPerson(db, { displayName: 'Jun' })
    const browser = await signedIn(app, person)
    const sent = { body: 'Because of *caching*.\r\n' }
    const posted = await browser.post(`/questions/${question.id}/answers`, sent)
    const fragment = /#(answer-\d+)$/.exec(String(posted.headers.location))?.[1] ?? ''
    const { body } = await browser.follow(posted)
    assert.match(textOf(body), /Answer posted\..* 1 answer /)
    assert.match(elementIn(body, fragment), /Because of <em>caching<\/em>\./)
    assert.match(textOf(elementIn(body, fragment)), /Jun/)
    assert.equal((await rowOf(db, 'courses', question.courseId)).unanswered_count, 0)
    const [member] = await rowsOf(db, 'course_members', { person_id: person.id })
    assert.deepEqual([member?.course_id, member?.role], [question.courseId, 'learner'])
    assert.deepEqual(await recount(db), [])
  })

  test('after the server’s clock was put back, posts are still in the order they were written in', async () => {
    const { db } = forum
    const question = await aQuestion(db)
    const first = await anAnswer(db, { question })
    const later = sql<Date>`now() + interval '1 hour'`
    await setRows(db, 'answers', first.id, { written_at: later })
    await setRows(db, 'questions', question.id, { active_at: later })
    const second = await anAnswer(db, { question })
    const reply = await aReply(db, { answer: second })
    const posts = [rowOf(db, 'answers', first.id), rowOf(db, 'answers', second.id)]
    const times = await Promise.all([...posts, rowOf(db, 'replies', reply.id)])
    const written = times.map((row) => Number(row.written_at))
    assert.deepEqual(written, written.toSorted())
  })

  test('an answer makes its question active; one that comes from the past, or back, does not', async () => {
    const { db } = forum
    const question = await aQuestion(db)
    const { id, authorId } = await anAnswer(db, { question })
    const active = async () => (await rowOf(db, 'questions', question.id)).active_at
    const { written_at: written } = await rowOf(db, 'answers', id)
    assert.deepEqual(await active(), written)
    await within(db, deleteAnswer, question.id, id)
    await within(db, restoreAnswer, question.id, id)
    const old = { question_id: question.id, author_id: authorId, body: 'Old', body_html: '<p>Old</p>' }
    const past = { ...old, renderer_version: 1, written_at: new Date('2020-01-01') }
    await db.insertInto('answers').values(past).execute()
    assert.deepEqual(await active(), written)
  })

  test('the form is folded on the page of who asked, and open with text that was refused', async () => {
    const { app, db } = forum
    const question = await aQuestion(db)
    const path = `/questions/${question.id}/answers`
    const asker = await signedIn(app, { id: question.authorId })
    const folded = (page: string) => /<details class="own-answer"[^>]*>/.exec(page)?.[0]
    const page = await asker.get(questionPath(question))
    assert.doesNotMatch(folded(page.body) ?? 'none', /none| open/)
    const refused = await asker.post(path, { body: 'x'.repeat(30_001) })
    assert.match(folded(refused.body) ?? '', / open>$/)
    const form = refused.body.slice(refused.body.indexOf('answer-form'))
    assert.equal(valueIn(form, 'body'), 'x'.repeat(30_001))
    assert.match(form, /class="error-summary"[\s\S]*href="#answer"/)
    const other = await signedIn(app, await aPerson(db))
    assert.equal(folded((await other.post(path, { body: '' })).body), undefined)
  })

  test('answers and deletions at once leave right counts', async () => {
    const { db } = forum
    const actor = await aPerson(db, { isAdmin: true })
    // Which of them come first is chance: all old answers gone before the first new one is a case of its own.
    for (let round = 0; round < 12; round += 1) {
      const question = await aQuestion(db)
      const old = await Promise.all(Array.from({ length: 5 }, () => anAnswer(db, { question })))
      const acts = old.flatMap(({ id: key }, index) => [
        ...[1, 2].map(() => refusalOf(forum, REMOVALS.answers.deletion, { actor, key })),
        refusalOf(forum, postAnswer, { actor, key: question.id, input: { body: `new ${index}` } }),
      ])
      const outcomes = (await Promise.all(acts)).toSorted()
      assert.deepEqual(outcomes, [...Array(10).fill('done'), ...Array(5).fill('gone')])
    }
    assert.deepEqual(await recount(db), [])
  })
})

const code = (lines: number) => `Do it so:\n\n\`\`\`java\n${'int x = 1;\n'.repeat(lines)}\`\`\`\n`

suite('an answer with much code', () => {
  const forum = sharedForum()

  async function aScene(most = 3) {
    const course = await aCourse(forum.db)
    const staff = await aMember(forum.db, course, 'instructor')
    const input = { asks_about_code: String(most), version: '1' }
    await act(forum, settingsChange, { actor: staff, key: course.slug, input })
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
    const wrong = 'asks_about_code: courseSettings.asks_about_code.wrong'
    const input = (asks_about_code: string) => [{ asks_about_code, version: '2' }, wrong] as const
    await refuses(forum, settingsChange, by, ['0', '1001', '-1', 'many', '1.5'].map(input))
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
