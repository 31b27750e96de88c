import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { textOf, valueIn } from '../../testing/page.ts'
import { questionPath } from '../../web/paths.ts'
import { uploaded } from '../pictures/pictures-testing.ts'

suite('history', () => {
  const forum = sharedForum()

  /** A question, an answer and a reply of one author, and staff who edited each. */
  async function editedPosts() {
    const { db, app } = forum
    const course = await aCourse(db)
    const [author, staff] = [
      await aPerson(db, { displayName: 'Ada Author' }),
      await aMember(db, course, 'instructor'),
    ]
    const question = await aQuestion(db, {
      course,
      author,
      title: 'The old title',
      body: 'old words stay',
      tags: ['old'],
    })
    const answer = await anAnswer(db, { question, author, body: 'old words stay' })
    const reply = await aReply(db, { answer, author, body: 'old words stay' })
    const paths = [`/questions/${question.id}`, `/answers/${answer.id}`, `/replies/${reply.id}`]
    const [mine, theirs] = [await signedIn(app, author), await signedIn(app, staff)]
    const fields = {
      title: 'The new title',
      body: 'new words stay',
      tags: 'new',
      reason: 'said it better',
      version: 1,
    }
    for (const path of paths) assert.equal((await theirs.post(`${path}/edit`, fields)).statusCode, 303)
    return { author, staff, question, answer, paths, mine, theirs, course }
  }

  test('shows author and staff each word that changed, by whom, when and why', async () => {
    const { paths, mine, theirs, staff } = await editedPosts()
    for (const path of paths) {
      for (const browser of [mine, theirs]) {
        const page = await browser.get(`${path}/history`)
        assert.equal(page.statusCode, 200)
        assert.match(
          page.body,
          /<del><span class="visually-hidden">removed: <\/span>old<\/del><ins><span class="visually-hidden">added: <\/span>new<\/ins> words stay/,
        )
        const text = textOf(page.body)
        assert.match(text, new RegExp(staff.displayName))
        assert.match(text, /“said it better”/)
        assert.match(text, /2 versions/)
        assert.deepEqual(await markupMistakes(page.body), [])
      }
      const first = await mine.get(`${path}/history?version=1`)
      assert.match(first.body, /<div class="prose"[^>]*>\s*<p>old words stay<\/p>/)
      const whole = await mine.get(`${path}/history?view=text`)
      assert.match(whole.body, /<p>new words stay<\/p>/)
    }
    const page = await mine.get(`${paths[0]}/history`)
    assert.match(
      page.body,
      /The <del><span class="visually-hidden">removed: <\/span>old<\/del><ins><span class="visually-hidden">added: <\/span>new<\/ins> title/,
    )
    assert.match(
      page.body,
      /<ins><span class="visually-hidden">added: <\/span>#new<\/ins> <del><span class="visually-hidden">removed: <\/span>#old<\/del>/,
    )
    const link = `href="${paths[0]}/history"`
    assert.ok((await mine.get(`${paths[0]}`).then((answer) => mine.follow(answer))).body.includes(link))
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
    await mine.post(`/answers/${answer.id}/edit`, { body: 'a first word', version: 1 })
    await mine.post(`/questions/${question.id}/edit`, {
      title: question.title,
      body: 'a first word',
      tags: '',
      version: 1,
    })
    const page = (await mine.get(path)).body
    assert.ok(page.includes(`href="/questions/${question.id}/history"`))
    assert.ok(!page.includes(`href="/answers/${answer.id}/history"`), 'corrected before anyone saw it')
    assert.ok(page.includes('title="2026.11.21 05:30 Asia/Seoul"'))
    const version = (await mine.get(`/questions/${question.id}/history?version=1`)).body
    assert.ok(version.includes('title="21 Nov 2026, 05:30 Asia/Seoul"'))
  })

  test('is for nobody else, and of a deleted post for nobody', async () => {
    const { paths, mine, theirs, course } = await editedPosts()
    const member = await signedIn(forum.app, await aMember(forum.db, course, 'learner'))
    for (const path of [...paths].reverse()) {
      assert.equal((await visitor(forum.app).get(`${path}/history`)).statusCode, 303)
      assert.equal((await member.get(`${path}/history`)).statusCode, 403)
      for (const act of ['restoration', 'redaction'])
        assert.equal((await mine.post(`${path}/history/1/${act}`)).statusCode, 403)
      await mine.post(`${path}/delete`)
      for (const browser of [mine, theirs])
        assert.equal((await browser.get(`${path}/history`)).statusCode, 410)
    }
  })

  test('staff bring a version back, which is one more version', async () => {
    const { paths, theirs, question } = await editedPosts()
    for (const path of paths) {
      const answer = await theirs.post(`${path}/history/1/restoration`)
      assert.equal(answer.headers.location, `${path}/history`)
      const page = textOf((await theirs.follow(answer)).body)
      assert.match(page, /3 versions/)
      assert.match(page, /version 1 restored/)
    }
    const text = textOf((await visitor(forum.app).get(questionPath(question))).body)
    assert.equal(text.match(/old words stay/g)?.length, 3)
    for (const unknown of ['7', '0', 'x', '99999999999']) {
      const answer = await theirs.post(`${paths[0]}/history/${unknown}/restoration`)
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
    await theirs.post(`${path}/edit`, { title: question.title, body: 'without it', tags: '', version: 1 })
    assert.equal((await mine.get(url)).statusCode, 200)
    await theirs.post(`${path}/history/1/redaction`)
    for (const query of ['', '?version=1', '?version=1&view=text', '?version=2']) {
      const { body } = await mine.get(`${path}/history${query}`)
      assert.doesNotMatch(body, /secret/, query)
      assert.match(body, /text removed by staff/)
    }
    assert.equal((await visitor(app).get(url)).statusCode, 404)
    assert.equal((await signedIn(app, staff).then((browser) => browser.get(url))).statusCode, 404)
    const restored = await theirs.post(`${path}/history/1/restoration`)
    assert.match(textOf((await theirs.follow(restored)).body), /This version no longer exists/)
    const kept = await db
      .selectFrom('post_versions')
      .selectAll()
      .where('question_id', '=', question.id)
      .execute()
    assert.deepEqual(
      kept.map(({ title, body, tags, reason }) => [title, body, tags, reason]),
      [[null, null, null, null]],
    )
  })

  test('what one mends oneself before anybody saw it leaves no version; later, or once seen, it does', async () => {
    const { db, app } = forum
    const author = await aPerson(db)
    const question = await aQuestion(db, { author, body: 'with a tpyo' })
    const browser = await signedIn(app, author)
    const versions = () =>
      db.selectFrom('post_versions').select('version').where('question_id', '=', question.id).execute()
    const edit = (body: string, version: number) =>
      browser.post(`/questions/${question.id}/edit`, { title: question.title, body, tags: '', version })
    await edit('with a typo', 1)
    assert.deepEqual(await versions(), [])
    await edit('with a typo', 2)
    await db
      .updateTable('questions')
      .set({ edited_at: sql`now() - interval '6 minutes'` })
      .where('id', '=', question.id)
      .execute()
    await edit('six minutes later', 2)
    assert.deepEqual(await versions(), [{ version: 2 }])
    await sql`insert into question_views (day, question_id, visitor) values (now()::date, ${question.id}, '\\x01')`.execute(
      db,
    )
    await edit('after it was seen', 3)
    assert.deepEqual((await versions()).length, 2)
    await edit('after it was seen', 4)
    assert.deepEqual((await versions()).length, 2, 'nothing changed')
  })

  test('of a nameless post tells classmates nothing, and staff the name', async () => {
    const { db, app } = forum
    const course = await aCourse(db)
    const author = await aMember(db, course, 'learner')
    const question = await aQuestion(db, { course, author, body: 'old' })
    await db.updateTable('questions').set({ is_anonymous: true }).where('id', '=', question.id).execute()
    const staff = await signedIn(app, await aMember(db, course, 'instructor'))
    await staff.post(`/questions/${question.id}/edit`, {
      title: question.title,
      body: 'new',
      tags: '',
      version: 1,
    })
    assert.match((await staff.get(`/questions/${question.id}/history`)).body, new RegExp(author.displayName))
    const learner = await signedIn(app, await aMember(db, course, 'learner'))
    assert.equal((await learner.get(`/questions/${question.id}/history`)).statusCode, 403)
  })

  test('a conflict of different lines is proposed as one text, which saves with one button', async () => {
    const { db, app } = forum
    const course = await aCourse(db)
    const [author, staff] = [await aPerson(db), await aMember(db, course, 'instructor')]
    const base = 'first line\n\nsecond line\n\nthird line'
    const question = await aQuestion(db, { course, author, body: base })
    const answer = await anAnswer(db, { question, author, body: base })
    const [mine, theirs] = [await signedIn(app, author), await signedIn(app, staff)]
    for (const path of [`/questions/${question.id}/edit`, `/answers/${answer.id}/edit`]) {
      const fields = { title: question.title, tags: '', version: 1 }
      await theirs.post(path, { ...fields, body: base.replace('third', 'their third') })
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
    const overlapping = {
      title: question.title,
      tags: '',
      version: 1,
      body: base.replace('third', 'my third'),
    }
    const page = await mine.post(`/questions/${question.id}/edit`, overlapping)
    assert.equal(page.statusCode, 409)
    assert.doesNotMatch(page.body, /name="merged"/)
  })
})
