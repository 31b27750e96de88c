import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { aToken } from '../../accounts/tokens/testing.ts'
import { recount } from '../../database/recount.ts'
import { aProgram } from '../../doors/api/testing.ts'
import { act, refusalOf, refuses } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { elementIn, textOf } from '../../testing/page.ts'
import { deleteAnswer } from '../../testing/posts.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { questionPath } from '../../web/paths.ts'
import { findReplyKey, makeReplyAddress } from '../answering-by-mail/keys.ts'
import { setAcceptance } from '../answers/acceptance.ts'
import { setEndorsement } from '../answers/endorsement.ts'
import { caseOf, decided, reported } from '../cases/testing.ts'
import { hidePost, showPost } from '../posts/removal.ts'
import { COLUMNS_BELOW, COLUMNS_OF_ANSWERS, NAMING_POSTS } from '../posts/tables.ts'
import { TEXT_EDITS } from '../posts/text-edit.ts'
import { replyToAnswer } from '../replies/operations.ts'
import { CONVERSION_UNDOS, CONVERSIONS } from './conversion.ts'

suite('a reply becomes an answer, an answer a reply', () => {
  const forum = sharedForum()

  async function aScene({ isPublic = true, isAnonymous = false } = {}) {
    const { db } = forum
    const course = await aCourse(db, { isPublic })
    const [staff, author] = [await aMember(db, course, 'assistant'), await aMember(db, course)]
    const question = await aQuestion(db, { course, author: await aMember(db, course) })
    const answer = await anAnswer(db, { question, author, votes: 2, isAnonymous })
    const other = await anAnswer(db, { question })
    const reply = await aReply(db, { answer, author, isAnonymous })
    const toAnswer = (id = reply.id) => act(forum, CONVERSIONS.replies, { actor: staff, key: id })
    const toReply = (under: number | '' = other.id, id = answer.id) =>
      act(forum, CONVERSIONS.answers, { actor: staff, key: id, input: { answer: under } })
    return { db, course, staff, author, question, answer, other, reply, toAnswer, toReply }
  }

  test('each column that names an answer or a reply has a fact, and so has each of these tables’ own', async () => {
    const { db } = forum
    const { rows } = await sql<{ place: string }>`
      select conrelid::regclass::text || '.' || attname as place
      from pg_constraint join pg_attribute on attrelid = conrelid and attnum = any(conkey) and attname <> 'question_id' and attname <> 'id'
      where contype = 'f' and confrelid in ('answers'::regclass, 'replies'::regclass)
      union
      select table_name || '.' || column_name from information_schema.columns
      join information_schema.tables using (table_schema, table_name)
      where table_schema = 'public' and table_type = 'BASE TABLE' and column_name similar to '%(answer|reply)\\_ids?'`.execute(
      db,
    )
    const moves = NAMING_POSTS.moves.flatMap(({ table, answers, replies }) => [
      `${table}.${answers}`,
      `${table}.${replies}`,
    ])
    const below = NAMING_POSTS.below.map((table) => `${table}.answer_id`)
    const facts = [...moves, ...below, ...NAMING_POSTS.apart]
    assert.deepEqual(valuesOf(rows, 'place').toSorted(), [...facts, 'conversion_undos.reply_ids'].toSorted())
    const columnsOf = async (name: string) => {
      const found = await sql<{ name: string }>`
        select column_name as name from information_schema.columns where table_schema = 'public' and table_name = ${name}`.execute(
        db,
      )
      return valuesOf(found.rows, 'name').toSorted()
    }
    const shared = ['id', ...COLUMNS_BELOW]
    assert.deepEqual(await columnsOf('answers'), [...shared, ...COLUMNS_OF_ANSWERS].toSorted())
    assert.deepEqual(await columnsOf('replies'), [...shared, 'answer_id'].toSorted())
  })

  test('with its history, mentions, pictures, decided cases, measures, stand-in and row of a dump', async () => {
    const { db, course, staff, author, question, reply, toAnswer } = await aScene({ isAnonymous: true })
    const edit = { body: 'Edited.', version: 1 }
    await act(forum, TEXT_EDITS.replies, { actor: author, key: reply.id, input: edit })
    await setRows(db, 'post_versions', { reply_id: reply.id }, { written_at: sql`now() - interval '1 day'` })
    const subject = { about: 'reply', id: reply.id } as const
    await reported(db, subject, staff.id)
    await decided(db, staff.id, await caseOf(db, subject), ['warn'], { note: 'Rude' })
    await sql`insert into mentions (person_id, reply_id, mentioned_at) values (${staff.id}, ${reply.id}, now())
      on conflict do nothing`.execute(db)
    await sql`insert into post_versions (reply_id, version, body, written_by, written_at)
      values (${reply.id}, 7, 'Before.', ${author.id}, now())`.execute(db)
    await sql`insert into imported_posts (course_id, kind, source_id, reply_id)
      values (${course.id}, 'reply', 55, ${reply.id})`.execute(db)
    const before = await rowOf(db, 'replies', reply.id)
    const { id } = await toAnswer()
    const { answer_id, ...same } = before
    const votes = { votes_count: 0, imported_votes_count: 0, was_accepted: false }
    const found = { ...same, ...votes, id, endorsed_by: null, endorsed_at: null }
    assert.deepEqual(await rowOf(db, 'answers', id), found, 'as it was written')
    assert.ok(answer_id !== null)
    for (const table of ['mentions', 'post_versions', 'imported_posts', 'cases'] as const)
      assert.ok((await rowsOf(db, table, { answer_id: id })).length > 0, table)
    assert.deepEqual(await rowsOf(db, 'replies', reply.id), [])
    const matter = await caseOf(db, { about: 'answer', id })
    assert.equal(matter.about, 'answer')
    assert.equal((await rowsOf(db, 'reports', { case_id: matter.id })).length, 1)
    assert.equal((await rowsOf(db, 'stand_ins', { question_id: question.id })).length, 1)
    assert.deepEqual(await recount(db), [])
  })

  test('an answer loses its votes, its replies go beside it in order of time; undone within the hour it has both again', async () => {
    const { db, staff, author, question, answer, other, reply, toReply } = await aScene()
    const late = await aReply(db, { answer: other })
    const { id } = await toReply()
    assert.deepEqual(await rowsOf(db, 'answers', answer.id), [])
    const beside = await rowsOf(db, 'replies', { answer_id: other.id })
    assert.deepEqual(new Set(valuesOf(beside, 'id')), new Set([id, reply.id, late.id]))
    const page = (await visitor(forum.app).get(questionPath(question))).body
    const order = [...page.matchAll(/<li class="reply" id="reply-(\d+)"/g)].map(([, one]) => Number(one))
    assert.deepEqual(order, [id, reply.id, late.id])
    assert.equal((await rowOf(db, 'questions', question.id)).answers_count, 1)
    assert.deepEqual(await recount(db), [])
    assert.equal((await rowsOf(db, 'notifications', { person_id: author.id, reason: 'converted' })).length, 1)
    const undo = { actor: staff, key: id }
    assert.equal((await act(forum, CONVERSION_UNDOS.replies, undo)).id, answer.id, 'its old number')
    const { votes_count } = await rowOf(db, 'answers', answer.id)
    const votes = await rowsOf(db, 'answer_votes', { answer_id: answer.id })
    assert.deepEqual([votes_count, votes.length], [2, 2])
    assert.equal((await rowOf(db, 'replies', reply.id)).answer_id, answer.id)
    assert.equal((await rowOf(db, 'replies', late.id)).answer_id, other.id)
    assert.deepEqual(await recount(db), [])
    const undone = async (kind: 'answers' | 'replies', key: number) =>
      (await act(forum, CONVERSION_UNDOS[kind], { actor: staff, key })).isUndone
    assert.equal(await undone('answers', answer.id), false)
    const again = await toReply('')
    assert.equal((await rowOf(db, 'replies', again.id)).answer_id, null)
    await sql`update conversion_undos set made_at = now() - interval '61 minutes'`.execute(db)
    assert.equal(await undone('replies', again.id), false)
  })

  test('is refused with the reason', async () => {
    const { db, staff, question, answer, other, reply, toReply } = await aScene()
    const by = { actor: staff, key: answer.id }
    const foreign = await anAnswer(db)
    const refused = (why: string) => `answer: converting.refused.${why}`
    const under = (id: number) => ({ answer: String(id) })
    await refuses(forum, CONVERSIONS.answers, by, [
      [under(foreign.id), refused('under')],
      [under(answer.id), refused('under')],
      [{ answer: 'x' }, refused('under')],
    ])
    const whole = await rowOf(db, 'answers', answer.id)
    await setRows(db, 'answers', answer.id, { body: 'x'.repeat(5001) })
    await within(db, setEndorsement, question.id, answer.id, staff.id)
    await within(db, setAcceptance, question.id, answer.id, true, staff.id)
    await reported(db, { about: 'answer', id: answer.id }, null)
    const all = ['long', 'accepted', 'endorsed', 'case'].map(refused).join(', ')
    await refuses(forum, CONVERSIONS.answers, by, [[under(other.id), all]])
    await setRows(db, 'answers', answer.id, { body: whole.body })
    await within(db, hidePost, { table: 'answers', id: answer.id })
    const some = ['endorsed', 'hidden', 'case'].map(refused).join(', ')
    await refuses(forum, CONVERSIONS.answers, by, [[{}, some]])
    const below = { actor: staff, key: reply.id }
    await refuses(forum, CONVERSIONS.replies, below, [[{}, refused('parent')]])
    await within(db, showPost, { table: 'answers', id: answer.id })
    await within(db, deleteAnswer, question.id, answer.id)
    assert.equal(await refusalOf(forum, CONVERSIONS.replies, below), 'gone')
    await within(db, hidePost, { table: 'answers', id: other.id })
    const third = await anAnswer(db, { question })
    await assert.rejects(toReply(other.id, third.id), /refused\.under/)
  })

  test('old addresses lead to it, below them too, and its old place on the page is an anchor; not for those who may not read it', async () => {
    const { app, db } = forum
    const { staff, author, question, reply, toAnswer, toReply, answer } = await aScene({ isPublic: false })
    const { id } = await toAnswer()
    const browser = await signedIn(app, author)
    const leads = ({ statusCode, headers }: Awaited<ReturnType<typeof browser.get>>) =>
      `${statusCode} ${headers.location}`
    const old = `/replies/${reply.id}/edit`
    assert.equal(leads(await browser.get(`${old}?x=1`)), `301 /answers/${id}/edit?x=1`)
    const edit = { body: 'Edited meanwhile.', version: '1' }
    assert.equal(leads(await browser.post(old, edit)), `308 /answers/${id}/edit`)
    const page = (await browser.get(questionPath(question))).body
    assert.ok(elementIn(page, `answer-${id}`).includes(`id="reply-${reply.id}"`))
    const program = aProgram(app, await aToken(forum, author, ['read', 'write']))
    assert.equal(leads(await program.get(`/replies/${reply.id}`)), `301 /api/v1/answers/${id}`)
    const outsider = await signedIn(app, await aPerson(db))
    assert.equal((await outsider.get(old)).statusCode, 404)
    const now = await toReply('')
    const led = await browser.get(`/answers/${answer.id}`)
    assert.equal(leads(led), `301 ${questionPath(question)}#reply-${now.id}`)
    const replied = await browser.post(`/answers/${answer.id}/replies`, { body: 'I typed this meanwhile.' })
    assert.equal(leads(replied), `308 /questions/${question.id}/replies`)
    // Twice converted, its first number leads to what it is now.
    const back = await toReply('', id)
    assert.equal(leads(await browser.get(old)), `301 /replies/${back.id}/edit`)
    const undone = await act(forum, CONVERSION_UNDOS.replies, { actor: staff, key: back.id })
    assert.equal(undone.id, id)
  })

  test('answers by email to it reach the new post', async () => {
    const { db, author, question, answer, other, reply, toAnswer, toReply } = await aScene()
    const address = (kind: 'answer' | 'reply', { id }: { readonly id: number }) =>
      within(db, makeReplyAddress, 'forum@example.org', author.id, question.id, { kind, id })
    const [toTheAnswer, toTheReply] = [await address('answer', answer), await address('reply', reply)]
    const under = async (one: string) => (await findReplyKey(db, 'forum@example.org', [one]))?.answerId
    assert.deepEqual([await under(toTheAnswer), await under(toTheReply)], [answer.id, answer.id])
    const { id } = await toAnswer()
    assert.deepEqual([await under(toTheAnswer), await under(toTheReply)], [answer.id, id])
    await toReply(other.id)
    assert.equal(await under(toTheAnswer), other.id)
  })

  test('a conversion and a reply at once: one order, nothing lost', async () => {
    const { db, question, answer, toReply } = await aScene()
    const someone = await aPerson(db)
    const replying = () =>
      act(forum, replyToAnswer, { actor: someone, key: answer.id, input: { body: 'A reply.' } })
    const done = await Promise.allSettled([replying(), toReply(''), replying(), toReply('')])
    const replies = done.filter(({ status }, index) => index % 2 === 0 && status === 'fulfilled').length
    const all = await rowsOf(db, 'replies', { question_id: question.id })
    assert.equal(all.filter(({ author_id }) => author_id === someone.id).length, replies)
    assert.equal(done.filter(({ status }, index) => index % 2 === 1 && status === 'fulfilled').length, 1)
    assert.deepEqual(await recount(db), [])
  })

  test('its page says what is lost and where it can go, and the form does it, with an undo beside the message', async () => {
    const { app } = forum
    const { staff, question, answer, other, reply } = await aScene()
    const browser = await signedIn(app, staff)
    const page = (await browser.get(questionPath(question))).body
    for (const path of [`/answers/${answer.id}/conversion`, `/replies/${reply.id}/conversion`])
      assert.ok(page.includes(`href="${path}"`), path)
    const before = textOf((await browser.get(`/answers/${answer.id}/conversion`)).body)
    assert.match(before, /Its 2 votes are lost\..*The reply under it goes beside it\./)
    const wrong = await browser.post(`/answers/${answer.id}/conversion`, { answer: String(answer.id) })
    assert.match(textOf(wrong.body), /Choose an answer to this question\./)
    const made = await browser.post(`/answers/${answer.id}/conversion`, { answer: String(other.id) })
    const said = (await browser.follow(made)).body
    assert.match(textOf(said), /The answer is a reply now\. Undo/)
    const undo = /action="(\/replies\/\d+\/conversion\/undo)"/.exec(said)?.[1] ?? ''
    assert.match(textOf((await browser.follow(await browser.post(undo, {}))).body), /Undone\./)
    assert.ok((await browser.get(questionPath(question))).body.includes(`id="answer-${answer.id}"`))
  })
})
