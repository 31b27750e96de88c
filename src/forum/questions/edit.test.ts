import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { recount } from '../../database/recount.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf, valueIn } from '../../testing/page.ts'

suite('editing', () => {
  const forum = sharedForum()

  /** A question with an answer and a reply, all of one author, and where each is edited and its text kept. */
  async function posts() {
    const { db } = forum
    const course = await aCourse(db, { lectures: ['One', 'Two'] })
    const author = await aPerson(db)
    const place = { lectureId: course.lectureIds[0] ?? 0, tags: ['old', 'stays'] }
    const question = await aQuestion(db, {
      course,
      author,
      title: 'The old title',
      body: 'old words',
      ...place,
    })
    const answer = await anAnswer(db, { question, author, body: 'old words' })
    const reply = await aReply(db, { answer, author, body: 'old words' })
    const paths = [`/questions/${question.id}`, `/answers/${answer.id}`, `/replies/${reply.id}`]
    return { course, author, question, paths }
  }
  const fields = { title: 'The new title', body: 'new words', tags: 'stays, new', lecture: '2', version: 1 }

  test('each form shows what is there, and saving it changes page and counters', async () => {
    const { author, question, paths } = await posts()
    const browser = await signedIn(forum.app, author)
    for (const path of paths) {
      const form = await browser.get(`${path}/edit`)
      assert.equal(form.statusCode, 200)
      assert.equal(valueIn(form.body, 'body'), 'old words')
      const saved = await browser.post(`${path}/edit`, fields, { page: `${path}/edit` })
      assert.equal(saved.statusCode, 303)
      assert.match(String(saved.headers.location), new RegExp(`^/questions/${question.id}/the-new-title`))
    }
    const text = textOf((await visitor(forum.app).get(`/questions/${question.id}/the-new-title`)).body)
    assert.equal(text.match(/new words/g)?.length, 3)
    assert.equal(text.match(/ edited /g)?.length, 3)
    assert.match(text, /stays new/)
    assert.match(text, /Lecture 2 · Two/)
    assert.doesNotMatch(text, /old/)
    assert.deepEqual(await recount(forum.db), [])
  })

  test('two at once: the second gets 409 with both texts, and saving again is meant to win', async () => {
    const { author, course, paths } = await posts()
    const first = await signedIn(forum.app, author)
    const second = await signedIn(forum.app, await aMember(forum.db, course, 'instructor'))
    for (const path of paths) {
      assert.equal(
        (await first.post(`${path}/edit`, { ...fields, body: 'first was quicker' })).statusCode,
        303,
      )
      const mine = { ...fields, title: 'My other title', body: 'mine, \n\nof <b>two</b> lines' }
      const conflict = await second.post(`${path}/edit`, mine)
      assert.equal(conflict.statusCode, 409)
      assert.match(textOf(conflict.body), /first was quicker/)
      assert.match(textOf(conflict.body), /Someone else edited this while you were writing/)
      assert.equal(valueIn(conflict.body, 'body'), mine.body)
      if (path.startsWith('/questions')) {
        assert.equal(valueIn(conflict.body, 'title'), mine.title)
        assert.match(textOf(conflict.body), /The new title/)
      }
      const version = Number(valueIn(conflict.body, 'version'))
      assert.equal(version, 2)
      assert.equal((await second.post(`${path}/edit`, { ...mine, version })).statusCode, 303)
      assert.equal(valueIn((await first.get(`${path}/edit`)).body, 'body'), mine.body)
    }
  })

  test('the same form twice, as by a double click, is no conflict', async () => {
    const { author, paths } = await posts()
    const browser = await signedIn(forum.app, author)
    for (const path of paths) {
      const answers = await Promise.all([1, 2, 3].map(() => browser.post(`${path}/edit`, fields)))
      assert.deepEqual(
        answers.map((answer) => answer.statusCode),
        [303, 303, 303],
        path,
      )
      assert.equal(new Set(answers.map((answer) => answer.headers.location)).size, 1)
    }
  })

  test('a form that changes nothing makes no version and no mark, says so, and ends its draft', async () => {
    const { author, paths, course } = await posts()
    const json = { headers: { accept: 'application/json' } }
    const mine = await signedIn(forum.app, author)
    const theirs = await signedIn(forum.app, await aMember(forum.db, course, 'instructor'))
    for (const browser of [mine, theirs])
      for (const path of paths) {
        const isQuestion = path.startsWith('/questions')
        const form = await browser.get(`${path}/edit`)
        const names = [...(isQuestion ? ['title', 'tags'] : []), 'body', 'version']
        const shown = Object.fromEntries(names.map((name) => [name, valueIn(form.body, name)]))
        if (isQuestion) shown.lecture = '1'
        await browser.post('/drafts', { place: `${path}/edit`, ...shown, version: 0 }, json)
        const saved = await browser.post(`${path}/edit`, { ...shown, reason: 'Only looked' })
        assert.equal(saved.statusCode, 303)
        const page = textOf((await browser.follow(saved)).body)
        assert.match(page, /Nothing changed\./)
        assert.doesNotMatch(page, / edited /)
        const draft = await browser.get(`/drafts?place=${path}/edit`, json.headers)
        assert.equal(draft.json().id, null)
        assert.equal(valueIn((await browser.get(`${path}/edit`)).body, 'version'), '1')
      }
  })

  test('restoring what a post says already makes no version', async () => {
    const { author, paths, course } = await posts()
    const mine = await signedIn(forum.app, author)
    const theirs = await signedIn(forum.app, await aMember(forum.db, course, 'instructor'))
    for (const path of paths) {
      const old = { ...fields, title: 'The old title', body: 'old words', tags: 'old, stays' }
      await theirs.post(`${path}/edit`, fields)
      await mine.post(`${path}/edit`, { ...old, version: 2 })
      const same = await theirs.post(`${path}/history/1/restoration`)
      assert.match(textOf((await theirs.follow(same)).body), /Nothing changed\./)
      assert.equal(valueIn((await mine.get(`${path}/edit`)).body, 'version'), '3')
    }
  })

  test('of many different edits at once one is saved, and the others conflict', async () => {
    const { author, paths } = await posts()
    const browser = await signedIn(forum.app, author)
    const token = await browser.token()
    for (const path of paths) {
      const edits = Array.from({ length: 8 }, (_, index) =>
        browser.post(`${path}/edit`, { ...fields, body: `words ${index}` }, { token }),
      )
      const statuses = (await Promise.all(edits)).map((answer) => answer.statusCode).sort()
      assert.deepEqual(statuses, [303, ...Array(7).fill(409)], path)
    }
    assert.deepEqual(await recount(forum.db), [])
  })

  test('a refused edit keeps what was typed and the version it began with', async () => {
    const { author, paths } = await posts()
    const browser = await signedIn(forum.app, author)
    for (const path of paths) {
      await browser.post(`${path}/edit`, { ...fields, body: 'somebody else' })
      const refused = await browser.post(`${path}/edit`, { ...fields, title: 'Title kept', body: '\u0007' })
      assert.equal(refused.statusCode, 422)
      assert.equal(valueIn(refused.body, 'version'), '1')
      assert.match(refused.body, /href="#body"/)
      if (path.startsWith('/questions')) assert.equal(valueIn(refused.body, 'title'), 'Title kept')
    }
  })

  test('without the version it began with, an edit is saved unless someone else edited: 409 with both texts', async () => {
    const { author, course, paths } = await posts()
    const browser = await signedIn(forum.app, author)
    const other = await signedIn(forum.app, await aMember(forum.db, course, 'instructor'))
    const { version: _, ...unversioned } = fields
    for (const path of paths) {
      // Never edited; edited by the same person.
      for (const body of ['first words', 'second words'])
        assert.equal((await browser.post(`${path}/edit`, { ...unversioned, body })).statusCode, 303, path)
      await other.post(`${path}/edit`, { ...fields, body: 'somebody else', version: 3 })
      for (const typed of [unversioned, { ...unversioned, version: '' }]) {
        const refused = await browser.post(`${path}/edit`, { ...typed, body: 'mine' })
        assert.equal(refused.statusCode, 409, path)
        assert.deepEqual([valueIn(refused.body, 'body'), valueIn(refused.body, 'version')], ['mine', '4'])
        assert.match(textOf(refused.body), /Someone else edited this[\s\S]*somebody else/)
        assert.equal(valueIn((await browser.get(`${path}/edit`)).body, 'body'), 'somebody else', path)
      }
      const repeated = await browser.post(`${path}/edit`, { ...unversioned, version: ['1', '2'] })
      assert.equal(repeated.statusCode, 409, path)
    }
  })

  test('authors, staff and admins may; others may not, visitors sign in first', async () => {
    const { app, db } = forum
    const { author, course, paths } = await posts()
    const allowed = [
      author,
      await aMember(db, course, 'assistant'),
      await aMember(db, course, 'instructor'),
      await aPerson(db, { isAdmin: true }),
    ]
    const others = [
      await aMember(db, course),
      await aPerson(db),
      await aMember(db, await aCourse(db), 'instructor'),
    ]
    for (const path of paths) {
      for (const person of allowed)
        assert.equal((await (await signedIn(app, person)).get(`${path}/edit`)).statusCode, 200)
      for (const person of others) {
        const browser = await signedIn(app, person)
        assert.equal((await browser.get(`${path}/edit`)).statusCode, 403)
        const refused = await browser.post(`${path}/edit`, { ...fields, body: 'words of a stranger' })
        assert.equal(refused.statusCode, 403)
        assert.match(textOf(refused.body), /words of a stranger/)
        assert.equal((await browser.post(`${path}/delete`)).statusCode, 403)
      }
      const { statusCode, headers } = await visitor(app).get(`${path}/edit`)
      assert.deepEqual(
        [statusCode, headers.location],
        [303, `/sign-in?next=${encodeURIComponent(`${path}/edit`)}`],
      )
    }
  })

  test('what is deleted is gone for its form, too, and shows what was typed', async () => {
    const { author, paths } = await posts()
    const browser = await signedIn(forum.app, author)
    for (const path of paths.toReversed()) {
      assert.equal((await browser.post(`${path}/delete`)).statusCode, 303)
      assert.equal((await browser.get(`${path}/edit`)).statusCode, 410)
      assert.equal((await browser.post(`${path}/delete`)).statusCode, 410)
      const late = await browser.post(`${path}/edit`, { ...fields, body: 'too late' })
      assert.equal(late.statusCode, 410)
      assert.match(textOf(late.body), /too late/)
    }
    assert.deepEqual(await recount(forum.db), [])
  })

  test('markup of an edit is shown as it was typed', async () => {
    const { author, paths } = await posts()
    const browser = await signedIn(forum.app, author)
    const typed = '\n\n  </textarea><script>alert(1)</script> &amp; "quotes"\n\n'
    const refused = await browser.post(`${paths[0]}/edit`, { ...fields, title: '', body: typed })
    assert.equal(valueIn(refused.body, 'body'), typed)
  })
})
