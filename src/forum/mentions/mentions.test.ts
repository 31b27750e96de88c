import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Database, Role } from '../../database/schema.ts'
import { act, refusalOf, refuses } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import {
  aCourse,
  aMember,
  anAnswer,
  aPerson,
  aQuestion,
  aReply,
  type MadeCourse,
} from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { countWritten } from '../../text/mentions.ts'
import { postAnswer } from '../answers/operations.ts'
import { hidePost } from '../posts/removal.ts'
import { TEXT_EDITS } from '../posts/text-edit.ts'
import { askQuestion } from '../questions/operations.ts'
import { replyToAnswer, replyToQuestion } from '../replies/operations.ts'

const mention = (person: { readonly id: number }, name = 'Somebody') => `@[${name}](person:${person.id})`

const mentioned = async (db: Database, column: 'question_id' | 'answer_id' | 'reply_id', id: number) =>
  valuesOf(await rowsOf(db, 'mentions', { [column]: id }), 'person_id').toSorted((one, two) => one - two)

suite('mentions', () => {
  const forum = sharedForum()
  const pageOf = async (question: { readonly id: number }, as = visitor(forum.app)) =>
    (await as.follow(await as.get(`/questions/${question.id}`))).body

  test('are links to the profiles, with the names of today, wherever a post stands', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const mina = await aMember(db, course, 'learner', await aPerson(db, { displayName: 'Mina Kim' }))
    const body = `Ask ${mention(mina, 'Min')}.`
    const question = await aQuestion(db, { course, body })
    const answer = await anAnswer(db, { question, body })
    const reply = await aReply(db, { answer, body })
    for (const [column, { id }] of [
      ['question_id', question],
      ['answer_id', answer],
      ['reply_id', reply],
    ] as const)
      assert.deepEqual(await mentioned(db, column, id), [mina.id])
    const page = await pageOf(question)
    const link = `Ask <a class="mention" href="/people/${mina.id}/mina-kim">@Mina Kim</a>.`
    assert.equal(page.split(link).length - 1, 3)
    assert.deepEqual(await markupMistakes(page), [])

    await setRows(db, 'people', mina.id, { display_name: 'Mina Lee' })
    assert.match(await pageOf(question), /@Mina Lee<\/a>/)
  })

  test('of those who are not of the course stay names, so that no number tells whose it is', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const outsider = await aPerson(db, { displayName: 'Zyxoutsider' })
    const body = `${mention(outsider, 'Min')} ${mention({ id: 999_999_999 }, 'Jun')}`
    const question = await aQuestion(db, { course, body })
    const page = await pageOf(question)
    assert.match(page, /<p>@Min @Jun<\/p>/)
    assert.doesNotMatch(page, /zyxoutsider/i)
    assert.deepEqual(await mentioned(db, 'question_id', question.id), [])
  })

  test('of a private question are of those who read it', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const [asker, classmate] = [await aMember(db, course), await aMember(db, course)]
    const staff = await aMember(db, course, 'assistant')
    const body = [asker, staff, classmate].map((person) => mention(person)).join(' ')
    const question = await aQuestion(db, { course, author: asker, audience: 'staff', body })
    assert.deepEqual(await mentioned(db, 'question_id', question.id), [asker.id, staff.id])
    const hidden = await aQuestion(db, { course, author: asker, audience: 'staff', isAnonymous: true })
    const answer = await anAnswer(db, { question: hidden, author: staff, body })
    assert.deepEqual(await mentioned(db, 'answer_id', answer.id), [staff.id], 'there is one it can be')
  })

  test('tell nobody who is behind a stand-in name', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const hidden = await aMember(db, course, 'learner', await aPerson(db, { displayName: 'Zyxhidden' }))
    const question = await aQuestion(db, { course, author: hidden, isAnonymous: true })
    const asMember = await anAnswer(db, { question, body: mention(hidden, 'Min') })
    assert.deepEqual(await mentioned(db, 'answer_id', asMember.id), [hidden.id], 'as any other member')
    await db.deleteFrom('course_members').where('person_id', '=', hidden.id).execute()
    const asNobody = await anAnswer(db, { question, body: mention(hidden, 'Min') })
    assert.deepEqual(await mentioned(db, 'answer_id', asNobody.id), [])
    assert.doesNotMatch(await pageOf(question), /zyxhidden/i)
    await anAnswer(db, { question, author: hidden, body: 'Under my name.' })
    await db.deleteFrom('course_members').where('person_id', '=', hidden.id).execute()
    const asSpeaker = await aReply(db, { question, body: mention(hidden, 'Min') })
    assert.deepEqual(await mentioned(db, 'reply_id', asSpeaker.id), [hidden.id])
  })

  test('find nobody who joined a course by what they wrote without their name', async () => {
    const { db, app } = forum
    const course = await aCourse(db)
    const searcher = await signedIn(app, await aMember(db, course))
    const hidden = await aPerson(db, { displayName: 'Zyxnewcomer' })
    const found = async () => (await searcher.get(`/mentions/courses/${course.slug}?q=zyxn`)).body
    const question = await aQuestion(db, { course, author: hidden, isAnonymous: true })
    await anAnswer(db, { question, author: hidden, isAnonymous: true })
    await aReply(db, { question, author: hidden, isAnonymous: true })
    assert.doesNotMatch(await found(), /zyxnewcomer/i)
    await aReply(db, { question: await aQuestion(db, { course }), author: hidden })
    assert.match(await found(), /zyxnewcomer/i)
  })

  test('find for a passer-by whom the thread names, and no member whose only answer there is hidden', async () => {
    const { db, app } = forum
    const question = await aQuestion(db)
    const helper = await aPerson(db, { displayName: 'Zyxhelper' })
    const answer = await anAnswer(db, { question, author: helper })
    const passerBy = await signedIn(app, await aPerson(db))
    const found = async () => (await passerBy.get(`/mentions/questions/${question.id}?q=zyxh`)).body
    assert.match(await found(), /Zyxhelper/)
    await within(db, hidePost, { table: 'answers', id: answer.id })
    assert.doesNotMatch(await found(), /Zyxhelper/)
  })

  test('are ten people in a post at most; those in code do not count', async () => {
    const by = { actor: await aPerson(forum.db), key: (await aQuestion(forum.db)).id }
    const of = (count: number, name?: string) =>
      Array.from({ length: count }, (_, index) => mention({ id: index + 1 }, name))
    const many = (count: number) => of(count).join(' ')
    assert.equal(countWritten(many(11)), 11)
    const inCells = of(11, '\\|'.repeat(60)).map((cell) => `| ${cell} |`)
    for (const operation of [postAnswer, replyToQuestion])
      await refuses<number>(forum, operation, by, [
        [{ body: many(11) }, 'body: posts.body.mentions'],
        [{ body: ['| who |', '| --- |', ...inCells].join('\n') }, 'body: posts.body.mentions'],
        [{ body: many(10) }, 'done'],
        [{ body: `\`${many(11)}\`` }, 'done'],
        [{ body: many(10) + many(10) }, 'done'],
      ])
  })

  test('of an edit are those that its text has, and their names stand in the history', async () => {
    const { db, app } = forum
    const course = await aCourse(db)
    const [first, second] = [await aMember(db, course), await aMember(db, course)]
    const staff = await aMember(db, course, 'instructor')
    const { id } = await anAnswer(db, { question: await aQuestion(db, { course }), body: mention(first) })
    const body = `${mention(first)} ${mention(second)} ${mention(second)}`
    await act(forum, TEXT_EDITS.answers, { actor: staff, key: id, input: { body, version: 1 } })
    assert.deepEqual(await mentioned(db, 'answer_id', id), [first.id, second.id])
    const told = await (await signedIn(app, second)).get('/notifications')
    assert.match(textOf(told.body), new RegExp(`${staff.displayName} mentioned you`))
    const history = await (await signedIn(app, staff)).get(`/answers/${id}/history`)
    assert.match(history.body, /@Somebody/)
    assert.doesNotMatch(history.body, /person:/)
  })
})

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
