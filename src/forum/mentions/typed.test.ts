import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Role } from '../../database/schema.ts'
import { act, refusalOf } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, type MadeCourse } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf } from '../../testing/rows.ts'
import { postAnswer } from '../answers/operations.ts'
import { TEXT_EDITS } from '../posts/text-edit.ts'
import { askQuestion } from '../questions/operations.ts'
import { replyToAnswer, replyToQuestion } from '../replies/operations.ts'

const FRAGMENT = { headers: { accept: 'text/html; fragment=1' } }

suite('a name typed behind an @', () => {
  const forum = sharedForum()
  const named = async (course: MadeCourse, displayName: string, role: Role = 'learner') =>
    aMember(forum.db, course, role, await aPerson(forum.db, { displayName }))
  /** A course with members of these names beside oneself. */
  async function courseWith(...names: readonly string[]) {
    const course = await aCourse(forum.db)
    const ids: number[] = []
    for (const name of names) ids.push((await named(course, name)).id)
    return { course, me: await aMember(forum.db, course), ids }
  }
  /** The newest text of a table. */
  const newest = async (table: 'questions' | 'answers' | 'replies') =>
    (await forum.db.selectFrom(table).select('body').orderBy('id', 'desc').executeTakeFirst())?.body

  test('mentions the one person who is called so, in each form of a post', async () => {
    const { db, app } = forum
    const { course, me: actor, ids } = await courseWith('윤서진', 'Mara Ilić')
    const body = 'Thanks @윤서진님, and @mara ilić! `@윤서진` is in code.'
    const [yun, mara] = ids
    const meant = `Thanks @[윤서진](person:${yun})님, and @[mara ilić](person:${mara})! \`@윤서진\` is in code.`
    const question = await aQuestion(db, { course, author: actor })
    const { id: answerId } = await anAnswer(db, { question, author: actor })
    const asked = { actor, key: course.slug, input: { body, title: 'Who can help?', tags: '' } }
    await act(forum, askQuestion, asked)
    assert.equal(await newest('questions'), meant)
    for (const [operation, key, table] of [
      [replyToQuestion, question.id, 'replies'],
      [replyToAnswer, answerId, 'replies'],
      [TEXT_EDITS.answers, answerId, 'answers'],
    ] as const) {
      assert.equal(await refusalOf(forum, operation, { actor, key, input: { body, version: 1 } }), 'done')
      assert.equal(await newest(table), meant, operation.name)
    }
    const browser = await signedIn(app, actor)
    const page = await browser.follow(await browser.post(`/questions/${question.id}/answers`, { body }))
    assert.equal(await newest('answers'), meant)
    assert.match(page.body, new RegExp(`href="/people/${yun}/[^"]*">@윤서진</a>님`))
    assert.doesNotMatch(textOf(page.body), /notifies no one/)
    await rowOf(db, 'notifications', { person_id: mara ?? 0, reason: 'mention' })
  })

  test('is a mention, too, on the desk', async () => {
    const { db, app } = forum
    const { course, ids } = await courseWith('Dana Nowak')
    const question = await aQuestion(db, { course })
    const staff = await signedIn(app, await aMember(db, course, 'instructor'))
    const fields = { body: '@Dana Nowak and @Nobody', act: 'answer', seen: '' }
    const answered = await staff.post(`/questions/${question.id}/desk`, fields)
    assert.equal(await newest('answers'), `@[Dana Nowak](person:${ids[0]}) and @Nobody`)
    assert.match(textOf((await staff.follow(answered)).body), /@Nobody notifies no one\./)
  })

  test('mentions no one who is unknown, is one of two, or is the writer; the next page and the preview say so', async () => {
    const { db, app } = forum
    const { course, me } = await courseWith('Jun Park', 'Jun Park')
    const browser = await signedIn(app, me)
    const question = await aQuestion(db, { course })
    for (const name of ['Jun Park', 'Zora', me.displayName]) {
      const body = `Maybe @${name} knows.`
      const to = `/questions/${question.id}/answers`
      const said = new RegExp(`@${name.split(' ')[0]} notifies no one\\.`)
      assert.match(textOf((await browser.post('/preview', { body, to }, FRAGMENT)).body), said)
      const posted = await browser.post(to, { body })
      assert.equal(await newest('answers'), body)
      assert.match(textOf((await browser.follow(posted)).body), said)
    }
    const asked = { course: course.slug, title: 'Who knows?', body: 'Maybe @Zora knows.' }
    assert.match(textOf((await browser.post('/questions/preview', asked)).body), /@Zora notifies no one\./)
    const page = await browser.follow(await browser.post('/questions', asked))
    assert.match(textOf(page.body), /@Zora notifies no one\./)
  })

  test('means a member for members alone: others can’t ask who is one', async () => {
    const { db, app } = forum
    const { course, ids } = await courseWith('Hidden Member')
    const staff = await named(course, 'Known Staff', 'assistant')
    const question = await aQuestion(db, { course })
    const actor = await aPerson(db)
    const body = '@Hidden Member @Known Staff'
    const to = `/questions/${question.id}/answers`
    const piece = await (await signedIn(app, actor)).post('/preview', { body, to }, FRAGMENT)
    assert.match(textOf(piece.body), /@Hidden notifies no one\./)
    const text = { actor, key: question.id, input: { body } }
    await act(forum, postAnswer, text)
    assert.equal(await newest('answers'), `@Hidden Member @[Known Staff](person:${staff.id})`)
    await anAnswer(db, { question, author: { id: ids[0] ?? 0 } })
    await act(forum, replyToQuestion, text)
    assert.match((await newest('replies')) ?? '', /^@\[Hidden Member\]/, 'named in the thread')
  })

  test('means no one who is only anonymous there, and tells nothing of a question that one may not read', async () => {
    const { db, app } = forum
    const course = await aCourse(db)
    const hidden = await aPerson(db, { displayName: 'Zyxhidden Asker' })
    const question = await aQuestion(db, { course, author: hidden, isAnonymous: true })
    await db.deleteFrom('course_members').where('person_id', '=', hidden.id).execute()
    const staff = await aMember(db, course, 'instructor')
    const browser = await signedIn(app, staff)
    const answer = await browser.post(`/questions/${question.id}/answers`, { body: '@Zyxhidden Asker' })
    assert.equal(await newest('answers'), '@Zyxhidden Asker')
    assert.match(textOf((await browser.follow(answer)).body), /@Zyxhidden notifies no one\./)
    const own = await aQuestion(db, { course, author: staff, audience: 'staff' })
    const stranger = await signedIn(app, await aPerson(db))
    for (const name of [staff.displayName, 'Nobody']) {
      const sent = { body: `@${name}`, to: `/questions/${own.id}/answers` }
      assert.doesNotMatch((await stranger.post('/preview', sent, FRAGMENT)).body, /notifies/)
    }
  })

  test('counts among the ten, and stays a name where the text would be longer than it may be', async () => {
    const all = Array.from({ length: 11 }, (_, index) => `Tenfold ${'abcdefghijk'.charAt(index)}`)
    const { course, me: actor } = await courseWith(...all)
    const { id: key } = await aQuestion(forum.db, { course })
    const body = all.map((name) => `@${name}`).join(', ')
    const refused = await (await signedIn(forum.app, actor)).post(`/questions/${key}/answers`, { body })
    assert.equal(refused.statusCode, 422)
    assert.ok(refused.body.includes(`${body}</textarea>`), 'as it was typed')
    const long = `@${all[0]} ${'x'.repeat(4980)}`
    await act(forum, replyToQuestion, { actor, key, input: { body: long } })
    assert.equal(await newest('replies'), long)
  })

  test('is nothing in a text or a course that can’t be', async () => {
    const { course, me: actor } = await courseWith('Whole Name')
    const browser = await signedIn(forum.app, actor)
    const { id: key } = await aQuestion(forum.db, { course })
    const bodies = ['@Whole Name \u0000', '@Whole Name \ud800', '@Whole\u0000 Name', '@\u{10ffff}Whole Name']
    const courses = [course.slug, 'no\u0000course', 'none'].map((slug) => ({ course: slug }))
    for (const body of bodies) {
      const posted = await refusalOf(forum, postAnswer, { actor, key, input: { body } })
      assert.ok(['done', 'body: forms.forbidden'].includes(posted), `${JSON.stringify(body)}: ${posted}`)
      for (const place of [{ to: `/questions/${key}/answers` }, ...courses]) {
        const { statusCode } = await browser.post('/preview', { body, ...place }, FRAGMENT)
        assert.ok([200, 422].includes(statusCode), `${JSON.stringify(body)}: ${statusCode}`)
      }
    }
  })
})
