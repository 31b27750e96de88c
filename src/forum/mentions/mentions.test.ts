import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Database } from '../../database/schema.ts'
import { act, refuses } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { textOf } from '../../testing/page.ts'
import { rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { countWritten } from '../../text/mentions.ts'
import { postAnswer } from '../answers/operations.ts'
import { hidePost } from '../posts/removal.ts'
import { TEXT_EDITS } from '../posts/text-edit.ts'
import { replyToQuestion } from '../replies/operations.ts'

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
