import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { aToken } from '../../accounts/tokens/testing.ts'
import type { Role } from '../../database/schema.ts'
import { type Browser, signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, type MadeCourse } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'

const FRAGMENT = { headers: { accept: 'text/html; fragment=1' } }

suite('a name typed behind an @', () => {
  const forum = sharedForum()
  const { courseWith, bodies } = helpers()

  test('mentions the one person who is called so, in each form of a post', async () => {
    const { db, app } = forum
    const { course, me, names } = await courseWith('윤서진', 'Mara Ilić')
    const browser = await signedIn(app, me)
    const body = 'Thanks @윤서진님, and @mara ilić! `@윤서진` is in code.'
    const [yun, mara] = names
    const meant = `Thanks @[윤서진](person:${yun?.id})님, and @[mara ilić](person:${mara?.id})! \`@윤서진\` is in code.`
    const question = await aQuestion(db, { course, author: me })
    const answer = await anAnswer(db, { question, author: me })
    for (const [path, table] of [
      ['/questions', 'questions'],
      [`/questions/${question.id}/answers`, 'answers'],
      [`/questions/${question.id}/replies`, 'replies'],
      [`/answers/${answer.id}/replies`, 'replies'],
    ] as const) {
      const sent = { body, ...(table === 'questions' ? { title: 'Who can help?', course: course.slug } : {}) }
      const posted = await browser.post(path, sent)
      assert.equal(posted.statusCode, 303, path)
      assert.equal(await bodies(table), meant, path)
      const page = await browser.follow(posted)
      assert.match(page.body, new RegExp(`href="/people/${yun?.id}/[^"]*">@윤서진</a>님`), path)
      assert.doesNotMatch(textOf(page.body), /notifies no one/)
    }
    const edited = await browser.post(`/answers/${answer.id}/edit`, { body, version: 1 })
    assert.equal(edited.statusCode, 303)
    const told = await db
      .selectFrom('notifications')
      .select('reason')
      .where('person_id', '=', mara?.id ?? 0)
      .where('reason', '=', 'mention')
      .execute()
    assert.ok(told.length > 0)
  })

  test('is a mention, too, in the API and on the desk', async () => {
    const { db, app } = forum
    const { course, me, names } = await courseWith('Dana Nowak')
    const question = await aQuestion(db, { course })
    const token = await aToken(forum, me, ['read', 'write'])
    await app.inject({
      method: 'POST',
      url: `/api/v1/questions/${question.id}/answers`,
      headers: { authorization: `Bearer ${token}` },
      payload: { body: 'Ask @Dana Nowak' },
    })
    assert.equal(await bodies('answers'), `Ask @[Dana Nowak](person:${names[0]?.id})`)
    const staff = await signedIn(app, await aMember(db, course, 'instructor'))
    const answered = await staff.post(`/questions/${question.id}/desk`, {
      ...{ body: '@Dana Nowak and @Nobody', act: 'answer', seen: '' },
    })
    assert.equal(await bodies('answers'), `@[Dana Nowak](person:${names[0]?.id}) and @Nobody`)
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
      assert.equal(await bodies('answers'), body)
      assert.match(textOf((await browser.follow(posted)).body), said)
    }
    const asked = { course: course.slug, title: 'Who knows?', body: 'Maybe @Zora knows.' }
    assert.match(textOf((await browser.post('/questions/preview', asked)).body), /@Zora notifies no one\./)
    const page = await browser.follow(await browser.post('/questions', asked))
    assert.match(textOf(page.body), /@Zora notifies no one\./)
  })

  test('means a member for members alone: others can’t ask who is one', async () => {
    const { db, app } = forum
    const { course, names } = await courseWith('Hidden Member')
    const staff = await named(course, 'Known Staff', 'assistant')
    const question = await aQuestion(db, { course })
    const stranger = await signedIn(app, await aPerson(db))
    const body = '@Hidden Member @Known Staff'
    const piece = await stranger.post('/preview', { body, to: `/questions/${question.id}/answers` }, FRAGMENT)
    assert.match(textOf(piece.body), /@Hidden notifies no one\./)
    await stranger.post(`/questions/${question.id}/answers`, { body })
    assert.equal(await bodies('answers'), `@Hidden Member @[Known Staff](person:${staff.id})`)
    await anAnswer(db, { question, author: names[0] ?? staff })
    await stranger.post(`/questions/${question.id}/replies`, { body })
    assert.match((await bodies('replies')) ?? '', /^@\[Hidden Member\]/, 'named in the thread')
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
    assert.equal(await bodies('answers'), '@Zyxhidden Asker')
    assert.match(textOf((await browser.follow(answer)).body), /@Zyxhidden notifies no one\./)
    const own = await aQuestion(db, { course, author: staff, audience: 'staff' })
    const stranger = await signedIn(app, await aPerson(db))
    for (const name of [staff.displayName, 'Nobody'])
      assert.doesNotMatch(
        (await stranger.post('/preview', { body: `@${name}`, to: `/questions/${own.id}/answers` }, FRAGMENT))
          .body,
        /notifies/,
      )
  })

  test('counts among the ten, and stays a name where the text would be longer than it may be', async () => {
    const { db, app } = forum
    const all = Array.from({ length: 11 }, (_, index) => `Tenfold ${'abcdefghijk'.charAt(index)}`)
    const { course, me } = await courseWith(...all)
    const browser = await signedIn(app, me)
    const question = await aQuestion(db, { course })
    const body = all.map((name) => `@${name}`).join(', ')
    const refused = await browser.post(`/questions/${question.id}/answers`, { body })
    assert.equal(refused.statusCode, 422)
    assert.ok(refused.body.includes(`${body}</textarea>`), 'as it was typed')
    const long = `@${all[0]} ${'x'.repeat(4980)}`
    await browser.post(`/questions/${question.id}/replies`, { body: long })
    assert.equal(await bodies('replies'), long)
  })

  test('is nothing in a text or a course that can’t be', async () => {
    const { db, app } = forum
    const { course, me } = await courseWith('Whole Name')
    const browser = await signedIn(app, me)
    const question = await aQuestion(db, { course })
    const token = await aToken(forum, me, ['read', 'write'])
    for (const body of [
      '@Whole Name \u0000',
      '@Whole Name \ud800',
      '@Whole\u0000 Name',
      '@\u{10ffff}Whole Name',
    ]) {
      const sent = await app.inject({
        method: 'POST',
        url: `/api/v1/questions/${question.id}/answers`,
        headers: { authorization: `Bearer ${token}` },
        payload: { body },
      })
      assert.ok([201, 422].includes(sent.statusCode), `${JSON.stringify(body)}: ${sent.statusCode}`)
      const to = `/questions/${question.id}/answers`
      for (const fields of [
        { to },
        { course: course.slug },
        { course: 'no\u0000course' },
        { course: 'none' },
      ])
        assert.ok(
          [200, 422].includes((await browser.post('/preview', { body, ...fields }, FRAGMENT)).statusCode),
        )
    }
  })

  test('ends the draft that it was typed in', async () => {
    const { db, app } = forum
    const { course, me } = await courseWith('Draft Reader')
    const browser = await signedIn(app, me)
    const answer = await anAnswer(db, { question: await aQuestion(db, { course }), author: me })
    const place = `/answers/${answer.id}/edit`
    const body = 'Now for @Draft Reader'
    await browser.post(place, { body, version: 1 })
    await saveDraft(browser, place, body)
    assert.deepEqual(
      await db.selectFrom('drafts').select('fields').where('person_id', '=', me.id).execute(),
      [{ fields: {} }],
    )
  })

  async function saveDraft(browser: Browser, place: string, body: string): Promise<void> {
    await browser.post('/drafts', { place, version: '0', body })
  }

  async function named(course: MadeCourse, displayName: string, role: Role = 'learner') {
    return aMember(forum.db, course, role, await aPerson(forum.db, { displayName }))
  }

  function helpers() {
    return {
      /** A course with members of these names beside oneself. */
      async courseWith(...displayNames: readonly string[]) {
        const course = await aCourse(forum.db)
        const names = []
        for (const displayName of displayNames) names.push(await named(course, displayName))
        return { course, me: await aMember(forum.db, course), names }
      },
      /** The newest text of a table. */
      async bodies(table: 'questions' | 'answers' | 'replies') {
        const newest = await forum.db
          .selectFrom(table)
          .select('body')
          .orderBy('id', 'desc')
          .executeTakeFirst()
        return newest?.body
      },
    }
  }
})
