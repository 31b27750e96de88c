import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { act, refusalOf } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, type MadeQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { textOf, valueIn } from '../../testing/page.ts'
import { rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { questionPath } from '../../web/paths.ts'
import { uploaded } from '../pictures/pictures-testing.ts'
import { postsOfEachKind } from '../posts/testing.ts'
import { TEXT_EDITS } from '../posts/text-edit.ts'
import { editQuestion } from '../questions/edit-operations.ts'

suite('history', () => {
  const forum = sharedForum()

  /** Posts that staff edited. */
  async function editedPosts() {
    const world = await postsOfEachKind(forum)
    const { author, staff: actor, posts } = world
    const input = { title: 'The new title', body: 'new words', tags: 'new', reason: 'better', version: 1 }
    for (const { key, edit } of posts) await act(forum, edit, { actor, key, input })
    return { ...world, mine: await signedIn(forum.app, author), theirs: await signedIn(forum.app, actor) }
  }
  const edit = (actor: { id: number }, { id: key, title }: MadeQuestion, body: string, version = 1) =>
    act(forum, editQuestion, { actor, key, input: { title, tags: '', body, version } })
  const removed = (word: string) => `<del><span class="visually-hidden">removed: </span>${word}</del>`
  const added = (word: string) => `<ins><span class="visually-hidden">added: </span>${word}</ins>`

  test('shows author and staff each word that changed, by whom, when and why', async () => {
    const { question, posts, mine, theirs, staff } = await editedPosts()
    for (const { path, table } of posts) {
      for (const browser of [mine, theirs]) {
        const { statusCode, body } = await browser.get(`${path}/history`)
        assert.equal(statusCode, 200)
        assert.ok(body.includes(`${removed('old')}${added('new')} words`))
        assert.match(textOf(body), new RegExp(`2 versions.*${staff.displayName}.*“better”`))
        assert.deepEqual(await markupMistakes(body), [])
        if (table !== 'questions') continue
        assert.ok(body.includes(`The ${removed('old')}${added('new')} title`))
        assert.ok(body.includes(`${added('#new')} ${removed('#old')}`))
      }
      const first = await mine.get(`${path}/history?version=1`)
      assert.match(first.body, /<div class="prose"[^>]*>\s*<p>old words<\/p>/)
      const whole = await mine.get(`${path}/history?view=text`)
      assert.match(whole.body, /<p>new words<\/p>/)
    }
    const page = await mine.get(questionPath({ ...question, title: 'The new title' }))
    assert.ok(page.body.includes(`href="/questions/${question.id}/history"`))
  })

  test('tells times in the course’s zone, and is linked where there are two versions alone', async () => {
    const { db, app } = forum
    const course = await aCourse(db, { timeZone: 'Asia/Seoul' })
    const author = await aPerson(db)
    const writtenAt = new Date('2026-11-20T20:30:00Z')
    const question = await aQuestion(db, { course, author, body: 'a frist word', writtenAt })
    const answer = await anAnswer(db, { question, author, body: 'a frist word' })
    const mine = await signedIn(app, author)
    const path = questionPath(question)
    const input = { body: 'a first word', version: 1 }
    await act(forum, TEXT_EDITS.answers, { actor: author, key: answer.id, input })
    await edit(author, question, 'a first word')
    const page = (await mine.get(path)).body
    assert.ok(page.includes(`href="/questions/${question.id}/history"`))
    assert.ok(!page.includes(`href="/answers/${answer.id}/history"`), 'corrected before anyone saw it')
    assert.ok(page.includes('title="2026.11.21 05:30 Asia/Seoul"'))
    const version = (await mine.get(`/questions/${question.id}/history?version=1`)).body
    assert.ok(version.includes('title="21 Nov 2026, 05:30 Asia/Seoul"'))
  })

  test('staff bring a version back, which is one more version', async () => {
    const { posts, theirs, question } = await editedPosts()
    for (const { path } of posts) {
      const answer = await theirs.post(`${path}/history/1/restoration`)
      assert.equal(answer.headers.location, `${path}/history`)
      assert.match(textOf((await theirs.follow(answer)).body), /3 versions.*version 1 restored/)
    }
    const text = textOf((await visitor(forum.app).get(questionPath(question))).body)
    assert.equal(text.match(/old words/g)?.length, 3)
    for (const unknown of ['7', '0', 'x', '99999999999']) {
      const answer = await theirs.post(`/questions/${question.id}/history/${unknown}/restoration`)
      assert.match(textOf((await theirs.follow(answer)).body), /This version no longer exists/)
    }
  })

  test('staff remove the text of a version for good: words, reason and pictures', async () => {
    const { db, app } = forum
    const course = await aCourse(db)
    const [author, staff] = [await aPerson(db), await aMember(db, course, 'instructor')]
    const [mine, theirs] = [await signedIn(app, author), await signedIn(app, staff)]
    const { url, markdown } = await uploaded(mine)
    const question = await aQuestion(db, { course, author, body: `my secret ${markdown}` })
    const path = `/questions/${question.id}`
    const input = { title: question.title, tags: '', body: 'still secret', reason: 'a secret', version: 1 }
    await act(forum, editQuestion, { actor: staff, key: question.id, input })
    await edit(author, question, 'without it', 2)
    assert.equal((await mine.get(url)).statusCode, 200)
    for (const version of [1, 2]) await theirs.post(`${path}/history/${version}/redaction`)
    for (const query of ['', '?version=1', '?version=1&view=text', '?version=2']) {
      const { body } = await mine.get(`${path}/history${query}`)
      assert.doesNotMatch(body, /secret/, query)
      assert.match(body, /text removed by staff/)
    }
    for (const browser of [visitor(app), theirs]) assert.equal((await browser.get(url)).statusCode, 404)
    const restored = await theirs.post(`${path}/history/1/restoration`)
    assert.match(textOf((await theirs.follow(restored)).body), /This version no longer exists/)
    const nothing = { title: null, body: null, tags: null, reason: null }
    const kept = await rowsOf(db, 'post_versions', { question_id: question.id })
    assert.partialDeepStrictEqual(kept, [nothing, nothing])
  })

  test('what one mends oneself before anybody saw it leaves no version; later, or once seen, it does', async () => {
    const { db } = forum
    const author = await aPerson(db)
    const question = await aQuestion(db, { author, body: 'with a tpyo' })
    const versionsAfter = async (body: string, version: number) => {
      await edit(author, question, body, version)
      return valuesOf(await rowsOf(db, 'post_versions', { question_id: question.id }), 'version')
    }
    assert.deepEqual(await versionsAfter('with a typo', 1), [])
    assert.deepEqual(await versionsAfter('with a typo', 2), [])
    await setRows(db, 'questions', question.id, { edited_at: sql`now() - interval '6 minutes'` })
    assert.deepEqual(await versionsAfter('six minutes later', 2), [2])
    const view = { day: sql<string>`now()::date`, question_id: question.id, visitor: Buffer.of(1) }
    await db.insertInto('question_views').values(view).execute()
    assert.deepEqual(await versionsAfter('after it was seen', 3), [2, 3])
    assert.deepEqual(await versionsAfter('after it was seen', 4), [2, 3], 'nothing changed')
  })

  test('of a nameless post tells staff the name', async () => {
    const { db, app } = forum
    const course = await aCourse(db)
    const author = await aMember(db, course, 'learner')
    const question = await aQuestion(db, { course, author, isAnonymous: true })
    const staff = await aMember(db, course, 'instructor')
    await edit(staff, question, 'new')
    const page = await (await signedIn(app, staff)).get(`/questions/${question.id}/history`)
    assert.match(page.body, new RegExp(author.displayName))
  })

  test('a conflict of different lines is proposed as one text, which saves with one button', async () => {
    const { db, app } = forum
    const course = await aCourse(db)
    const [author, staff] = [await aPerson(db), await aMember(db, course, 'instructor')]
    const base = 'first line\n\nsecond line\n\nthird line'
    const question = await aQuestion(db, { course, author, body: base })
    const answer = await anAnswer(db, { question, author, body: base })
    const mine = await signedIn(app, author)
    const fields = { title: question.title, tags: '', version: 1 }
    for (const [path, operation, key] of [
      [`/questions/${question.id}/edit`, editQuestion, question.id],
      [`/answers/${answer.id}/edit`, TEXT_EDITS.answers, answer.id],
    ] as const) {
      const input = { ...fields, body: base.replace('third', 'their third') }
      assert.equal(await refusalOf(forum, operation, { actor: staff, key, input }), 'done')
      const sent = { ...fields, body: base.replace('first', 'my first') }
      const page = await mine.post(path, sent)
      assert.equal(page.statusCode, 409)
      const both = 'my first line\n\nsecond line\n\ntheir third line'
      assert.equal(valueIn(page.body, 'merged'), both)
      assert.equal(valueIn(page.body, 'body'), sent.body)
      assert.deepEqual(await markupMistakes(page.body), [])
      const saved = await mine.post(path, { ...sent, version: 2, merged: both, take: 'merged' })
      assert.equal(saved.statusCode, 303)
      assert.equal(valueIn((await mine.get(path)).body, 'body'), both)
    }
    const overlapping = { ...fields, body: base.replace('third', 'my third') }
    const page = await mine.post(`/questions/${question.id}/edit`, overlapping)
    assert.equal(page.statusCode, 409)
    assert.doesNotMatch(page.body, /name="merged"/)
  })
})
