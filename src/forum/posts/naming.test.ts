import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { makeSignInLink } from '../../accounts/sign-in/links.ts'
import { recount } from '../../database/recount.ts'
import { act, refusalOf } from '../../testing/act.ts'
import { testApp } from '../../testing/app.ts'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { questionPath } from '../../web/paths.ts'
import { postAnswer } from '../answers/operations.ts'
import { setFollowing } from '../follows/following.ts'
import { editQuestion } from '../questions/edit-operations.ts'
import { askQuestion } from '../questions/operations.ts'
import { replyToQuestion } from '../replies/operations.ts'
import { TEXT_EDITS } from './text-edit.ts'

suite('posts without a name', () => {
  const forum = sharedForum()

  async function aCourseWithMasks() {
    const { app, db } = forum
    const course = await aCourse(db)
    await setRows(db, 'courses', course.id, { allows_anonymous: true })
    const asker = await aMember(db, course, 'learner', await aPerson(db, { displayName: 'Zyxmina' }))
    const assistant = await aMember(db, course, 'assistant')
    const [mina, staff] = [await signedIn(app, asker), await signedIn(app, assistant)]
    return { course, asker, assistant, mina, staff }
  }
  const tickedIn = (html: string) =>
    [...html.matchAll(/<input id="[\w-]*anonymous[\w-]*" type="checkbox"[^>]*>/g)].map(([box]) =>
      /checked/.test(box),
    )

  test('a learner asks, answers and replies without the name, and goes on so in that thread', async () => {
    const { course, mina, staff } = await aCourseWithMasks()
    const form = await mina.get(`/questions/new?course=${course.slug}`)
    assert.match(form.body, /your name \(Zyxmina/)
    assert.deepEqual(tickedIn(form.body), [false])
    const fields = { course: course.slug, title: 'Who dares', body: 'I do.', tags: '', anonymous: '1' }
    const asked = await mina.post('/questions', fields)
    const path = String(asked.headers.location)
    const posted = await mina.follow(asked)
    assert.match(textOf(posted.body), /Anonymous 1 \(you\)/)
    assert.deepEqual(tickedIn(posted.body), [true, true], 'reply and answer')
    const [, , id] = path.split('/')
    await mina.post(`/questions/${id}/answers`, { body: 'Found it.', anonymous: '1' })
    await mina.post(`/questions/${id}/replies`, { body: 'A detail.' })

    const seen = (await visitor(forum.app).get(path)).body
    assert.match(textOf(seen), /Anonymous 1.*Zyxmina.*A detail.*Anonymous 1.*Found it/s)
    assert.match(textOf((await staff.get(path)).body), /Zyxmina .*Anonymous 1 to classmates/s)
  })

  test('staff post with their names, and so does everybody where the course says so', async () => {
    const { db } = forum
    const { course, assistant, staff } = await aCourseWithMasks()
    const question = await aQuestion(db, { course })
    assert.deepEqual(tickedIn((await staff.get(questionPath(question))).body), [])
    const elsewhere = await aCourse(db)
    const other = await aQuestion(db, { course: elsewhere })
    const learner = await aMember(db, elsewhere)
    const input = { title: 'Who dares', body: 'I do.', tags: '', anonymous: '1' }
    for (const [actor, { id: key }, { slug }, refusal] of [
      [assistant, question, course, 'anonymous: anonymous.staff'],
      [learner, other, elsewhere, 'anonymous: anonymous.off'],
    ] as const) {
      for (const operation of [postAnswer, replyToQuestion])
        assert.equal(await refusalOf(forum, operation, { actor, key, input }), refusal)
      assert.equal(await refusalOf(forum, askQuestion, { actor, key: slug, input }), refusal)
    }
  })

  test('an edit that says nothing of the name keeps it hidden; naming is free, hiding for five minutes', async () => {
    const { db } = forum
    const { course, assistant, asker, mina, staff } = await aCourseWithMasks()
    const question = await aQuestion(db, { course, author: asker, isAnonymous: true, title: 'Who dares' })
    const { id: key } = await anAnswer(db, { question, author: asker, isAnonymous: true })
    const content = { title: 'Who dares', body: 'More.', tags: '' }
    const edit = (actor: { id: number }, input: object) =>
      act(forum, editQuestion, { actor, key: question.id, input: { ...content, ...input } })
    const late = { actor: asker, key, input: { body: 'Even more.', version: 3, anonymous: '1' } }
    const isHidden = async () =>
      !(await visitor(forum.app).get(questionPath(question))).body.includes('Zyxmina')
    const writtenAgo = (minutes: number) =>
      setRows(db, 'answers', key, { written_at: new Date(Date.now() - minutes * 60_000) })

    await edit(asker, { version: 1 })
    await act(forum, TEXT_EDITS.answers, { ...late, input: { body: 'Even more.', version: 1 } })
    await edit(assistant, { body: 'By staff.', version: 2, anonymous: '0' })
    assert.equal(await isHidden(), true)
    const path = `/questions/${question.id}/edit`
    assert.match((await mina.get(path)).body, /name="anonymous" value="1" checked/)
    assert.doesNotMatch((await staff.get(path)).body, /name="anonymous"/)

    await act(forum, TEXT_EDITS.answers, { ...late, input: { ...late.input, version: 2, anonymous: '0' } })
    assert.equal(await isHidden(), false)
    await writtenAgo(6)
    assert.equal(await refusalOf(forum, TEXT_EDITS.answers, late), 'anonymous: anonymous.late')
    await writtenAgo(4)
    await act(forum, TEXT_EDITS.answers, late)
    assert.equal(await isHidden(), true)
  })

  test('a name that a mail or a push told a classmate is not hidden any more; staff know it anyway', async () => {
    const { db } = forum
    const { course, asker, mina } = await aCourseWithMasks()
    const question = await aQuestion(db, { course, author: asker })
    const classmate = await aMember(db, course)
    await within(db, setFollowing, question.id, classmate.id, 'follow')
    const { id: key } = await anAnswer(db, { question, author: asker })
    const input = { body: 'Mine.', version: 1, anonymous: '1' }
    const hide = () => refusalOf(forum, TEXT_EDITS.answers, { actor: asker, key, input })
    const mailed = (sent_at: Date | null, told: '=' | '<>') =>
      db.updateTable('deliveries').set({ sent_at }).where('person_id', told, classmate.id).execute()

    await mailed(new Date(), '=')
    assert.equal(await hide(), 'anonymous: anonymous.late')
    assert.doesNotMatch((await mina.get(`/answers/${key}/edit`)).body, /name="anonymous"/)
    await mailed(null, '=')
    await mailed(new Date(), '<>')
    assert.equal(await hide(), 'done')
  })
})

const NAME = 'Zyxmina'
const DOWNLOAD = '/settings/account/data'

test('an anonymous asker edits, deletes, takes their data along and leaves, and nothing tells classmates the name', async (t) => {
  const db = await testDatabase(t)
  const app = await testApp(t, db)
  const course = await aCourse(db)
  await setRows(db, 'courses', course.id, { allows_anonymous: true })
  const asker = await aMember(db, course, 'learner', await aPerson(db, { displayName: NAME }))
  // By a link, as leaving asks for a sign-in that the person did.
  const mina = visitor(app)
  const link = new URL(await makeSignInLink(db, asker.id, app.config.baseUrl))
  await mina.post('/sign-in/link', { token: link.searchParams.get('token') ?? '' })
  const classmate = await signedIn(app, await aMember(db, course))
  const staff = await signedIn(app, await aMember(db, course, 'assistant'))
  const question = await aQuestion(db, { course, author: asker, isAnonymous: true, title: 'Who dares' })
  const answer = await anAnswer(db, { question })
  const reply = await aReply(db, { answer, author: asker, isAnonymous: true })
  const path = questionPath(question)
  for (const path of [`questions/${question.id}/votes`, `questions/${question.id}/following`])
    await classmate.post(`/${path}`, { value: 1 })
  await classmate.post(`/answers/${answer.id}/votes`, { value: 1 })
  await classmate.post(`/answers/${answer.id}/replies`, { body: 'And now?' })

  const feeds = [`/questions/${question.id}/feed.atom`, '/feed.atom']
  const pages = [path, `/courses/${course.slug}`, ...feeds, `/search?q=${NAME.toLowerCase()}`]
  const own = [DOWNLOAD, '/notifications', '/following', `/questions/${question.id}/history`]
  const foundBy = async (reader: Browser, addresses: readonly string[]) => {
    const found: string[] = []
    for (const address of addresses) if ((await reader.get(address)).body.includes(NAME)) found.push(address)
    return found
  }
  const assertHidden = async (when: string) => {
    assert.deepEqual(await foundBy(visitor(app), pages), [], `visitors, ${when}`)
    assert.deepEqual(await foundBy(classmate, [...pages, ...own]), [], `classmates, ${when}`)
  }

  await assertHidden('at first')
  const content = { title: 'Who dares', body: 'More of it.', tags: '', version: '1' }
  assert.equal((await mina.post(`/questions/${question.id}/edit`, content)).statusCode, 303)
  await assertHidden('after an edit')
  for (const act of ['delete', 'restoration']) {
    assert.equal((await mina.post(`/replies/${reply.id}/${act}`)).statusCode, 303)
    assert.equal((await mina.post(`/questions/${question.id}/${act}`)).statusCode, 303)
    await assertHidden(`after ${act}`)
  }
  const { body: data } = await mina.get(DOWNLOAD)
  assert.ok(data.includes('Who dares') && data.includes('More of it.'), 'their own data has the question')
  assert.deepEqual(await foundBy(staff, [path]), [path], 'staff see the name')

  assert.equal((await mina.post(`/courses/${course.slug}/leaving`)).statusCode, 303)
  await assertHidden('after leaving the course')
  const gone = await mina.post('/settings/account/delete', { posts: 'keep', display_name: NAME })
  assert.equal(gone.headers.location, '/', gone.body)
  await assertHidden('after leaving the forum')
  assert.deepEqual(await foundBy(staff, [path]), [], 'nor staff any more')
  const { body } = await classmate.get(path)
  assert.match(body, /Anonymous 1/)
  assert.doesNotMatch(body, /Former member/, 'that somebody left tells who it was')
  assert.deepEqual(await recount(db), [])
})
