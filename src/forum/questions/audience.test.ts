import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { titlesIn } from '../../testing/page.ts'

suite('private questions', () => {
  const forum = sharedForum()

  test('in a public course everyone is said to read it, in another the course', async () => {
    const { app, db } = forum
    for (const [isPublic, label, sure] of [
      [true, 'Everyone', /Everyone will be able to read this[^.]* without signing in/],
      [false, 'The course', /Everyone in the course will be able to read this/],
    ] as const) {
      const course = await aCourse(db, { isPublic })
      const author = await aMember(db, course)
      const asker = await signedIn(app, author)
      const form = await asker.get(`/questions/new?course=${course.slug}`)
      assert.match(form.body, new RegExp(`<b id="audience-course">${label}</b>`))
      const { id } = await aQuestion(db, { course, author, audience: 'staff' })
      assert.match((await asker.get(`/questions/${id}/private`)).body, sure)
    }
  })

  test('a learner asks the staff alone: they and staff find it, its address tells nobody its title', async () => {
    const { app, db } = forum
    const course = await aCourse(db)
    const asker = await aMember(db, course, 'learner', await aPerson(db, { displayName: 'Mina' }))
    const mina = await signedIn(app, asker)
    await aMember(db, course, 'assistant', await aPerson(db, { displayName: 'Jun Tanaka' }))

    const form = await mina.get(`/questions/new?course=${course.slug}`)
    assert.match(form.body, /Only you and course staff \([^)]*Jun Tanaka\) can see it\. For grades/)
    const fields = {
      course: course.slug,
      title: 'My grade seems wrong',
      body: 'Why?',
      tags: 'grades',
      audience: 'staff',
    }
    const posted = await mina.post('/questions', fields)
    const id = /\/questions\/(\d+)\/private$/.exec(String(posted.headers.location))?.[1]
    assert.ok(id, String(posted.headers.location))
    const page = await mina.follow(posted)
    assert.match(page.body, /Private\.<\/b> Only you and course staff can see this/)
    assert.doesNotMatch(page.body, /href="\/tags\/grades"/)

    assert.deepEqual(titlesIn((await mina.get('/questions?mine=1')).body), ['My grade seems wrong'])
    assert.match((await mina.get('/questions?mine=1')).body, /Private/)
    for (const reader of [mina, await signedIn(app, await aMember(db, course, 'instructor'))]) {
      assert.equal((await reader.get(`/questions/${id}/private`)).statusCode, 200)
      assert.deepEqual(titlesIn((await reader.get(`/courses/${course.slug}`)).body), [])
    }
    const admin = await signedIn(app, await aPerson(db, { isAdmin: true }))
    assert.equal((await admin.get(`/questions/${id}/private`)).statusCode, 200)
    for (const stranger of [visitor(app), await signedIn(app, await aMember(db, course))]) {
      assert.equal((await stranger.get(`/questions/${id}/private`)).statusCode, 404)
      assert.equal((await stranger.get(`/questions/${id}`)).headers.location, undefined)
      assert.equal((await stranger.get('/tags/grades')).statusCode, 404)
    }
  })

  test('where the course takes none, the box is not there, and a form that says so is refused with its text', async () => {
    const { app, db } = forum
    const course = await aCourse(db)
    await db.updateTable('courses').set({ allows_private: false }).where('id', '=', course.id).execute()
    const asker = await signedIn(app, await aMember(db, course))

    const form = await asker.get(`/questions/new?course=${course.slug}`)
    // What a template holds is for a draft that was private before.
    assert.doesNotMatch(form.body.replace(/<template[\s\S]*?<\/template>/g, ''), /name="audience"/)
    assert.match(form.body, /Everyone can read your question without signing in/)
    const fields = {
      course: course.slug,
      title: 'My grade seems wrong',
      body: 'Why?',
      tags: '',
      audience: 'staff',
    }
    const refused = await asker.post('/questions', fields)
    assert.equal(refused.statusCode, 422)
    assert.match(refused.body, /Private questions are off in this course[\s\S]*My grade seems wrong/)
    assert.equal((await asker.post('/questions', { ...fields, audience: 'all' })).statusCode, 422)
  })

  test('the asker opens it, staff and asker keep it to themselves again, and nobody else does either', async () => {
    const { app, db } = forum
    const course = await aCourse(db)
    const [asker, helper] = [await aMember(db, course), await aMember(db, course)]
    const question = await aQuestion(db, { course, author: asker, audience: 'staff', title: 'Quietly asked' })
    const [mina, jun] = [await signedIn(app, asker), await signedIn(app, helper)]
    const staff = await signedIn(app, await aMember(db, course, 'assistant'))
    const path = `/questions/${question.id}/audience`

    assert.equal((await staff.post(path, { audience: 'course' })).statusCode, 403)
    assert.equal((await jun.post(path, { audience: 'course' })).statusCode, 404)
    assert.equal((await mina.post(path, { audience: 'nobody' })).statusCode, 422)
    const opened = await mina.post(path, { audience: 'course' })
    assert.equal(opened.headers.location, `/questions/${question.id}/quietly-asked`)
    assert.equal((await jun.get(`/questions/${question.id}/quietly-asked`)).statusCode, 200)
    assert.match((await jun.get(`/courses/${course.slug}`)).body, /Quietly asked/)
    const answer = await anAnswer(db, { question, author: helper })

    assert.equal((await jun.post(path, { audience: 'staff' })).statusCode, 403)
    assert.equal(
      (await staff.post(path, { audience: 'staff' })).headers.location,
      `/questions/${question.id}/private`,
    )
    for (const place of [`/questions/${question.id}`, `/answers/${answer.id}`, `/answers/${answer.id}/edit`])
      assert.equal((await jun.get(place)).statusCode, 404, `${place}: their own answer is gone with it`)
    assert.equal((await mina.get(`/questions/${question.id}/private`)).statusCode, 200)
  })

  test('what opens without the name leaves no name of the asker’s under it, and only if the course never saw it', async () => {
    const { app, db } = forum
    const course = await aCourse(db)
    await db.updateTable('courses').set({ allows_anonymous: true }).where('id', '=', course.id).execute()
    const asker = await aMember(db, course, 'learner', await aPerson(db, { displayName: 'Zyxmina' }))
    const question = await aQuestion(db, { course, author: asker, audience: 'staff', title: 'Quiet' })
    await aReply(db, { question, author: asker, body: 'More detail' })
    const mina = await signedIn(app, asker)
    const path = `/questions/${question.id}/audience`

    assert.match((await mina.get(`/questions/${question.id}/private`)).body, /Share anonymously/)
    assert.equal((await mina.post(path, { audience: 'course', anonymous: '1' })).statusCode, 303)
    const seen = (await visitor(app).get(`/questions/${question.id}/quiet`)).body
    assert.match(seen, /Anonymous 1[\s\S]*More detail/)
    assert.doesNotMatch(seen, /Zyxmina/)

    await mina.post(path, { audience: 'staff' })
    await mina.post(path, { audience: 'course', anonymous: '0' })
    assert.match((await visitor(app).get(`/questions/${question.id}/quiet`)).body, /Zyxmina/)
    await mina.post(path, { audience: 'staff' })
    assert.equal(
      (await mina.post(path, { audience: 'course', anonymous: '1' })).statusCode,
      422,
      'they have seen it',
    )
  })

  test('who may open a private question without the name is told where it is typed as text, mentions apart', async () => {
    const { app, db } = forum
    const course = await aCourse(db)
    await db.updateTable('courses').set({ allows_anonymous: true }).where('id', '=', course.id).execute()
    const asker = await aMember(db, course, 'learner', await aPerson(db, { displayName: 'Mirabel Park' }))
    const author = await aMember(db, course, 'instructor', await aPerson(db, { displayName: 'Jun Tanaka' }))
    const question = await aQuestion(db, { course, author: asker, audience: 'staff', title: 'Quiet' })
    const named = await anAnswer(db, { question, author, body: 'Hello Mirabel, use `curl`.' })
    const mentioned = await anAnswer(db, {
      question,
      author,
      body: `@[Mirabel Park](person:${asker.id}): so.`,
    })
    const reply = await aReply(db, { answer: mentioned, author: asker, body: `I am ${asker.email}` })
    const path = `/questions/${question.id}/private`
    const page = await (await signedIn(app, asker)).get(path)
    const told = /These posts contain your name.*?<\/p>(.*?)<hr>/s.exec(page.body)?.[1] ?? ''
    assert.deepEqual(
      [...told.matchAll(/href="([^"]+)">.*?<\/svg>\s*([^<]+)</gs)].map(([, href, name]) => [href, name]),
      [
        [`#answer-${named.id}`, 'Jun Tanaka'],
        [`#reply-${reply.id}`, 'Mirabel Park'],
      ],
    )
    for (const fragment of [`answer-${named.id}`, `reply-${reply.id}`])
      assert.match(page.body, new RegExp(`id="${fragment}"`))
    assert.doesNotMatch((await (await signedIn(app, author)).get(path)).body, /contain your name/)
  })

  test('what opens without the name has it in no mention either: in no text, earlier text, search, feed or structured data', async () => {
    const { app, db } = forum
    const course = await aCourse(db, { language: 'ko' })
    await db.updateTable('courses').set({ allows_anonymous: true }).where('id', '=', course.id).execute()
    const asker = await aMember(db, course, 'learner', await aPerson(db, { displayName: 'Zyxmina' }))
    const author = await aMember(db, course, 'instructor')
    const question = await aQuestion(db, { course, author: asker, audience: 'staff', title: 'Quiet' })
    const body = `@[Zyxmina](person:${asker.id}), ask @[Staff](person:${author.id}).`
    const answer = await anAnswer(db, { question, author, body })
    await aReply(db, { answer, author, body })
    const staff = await signedIn(app, author)
    await staff.post(`/answers/${answer.id}/edit`, { body: `${body} Later.`, version: '1' })
    const mina = await signedIn(app, asker)
    await mina.post(`/questions/${question.id}/audience`, { audience: 'course', anonymous: '1' })
    const [page, feed] = [`/questions/${question.id}/quiet`, `/questions/${question.id}/feed.atom`]
    for (const path of [page, feed, '/search?q=quiet'])
      assert.doesNotMatch((await visitor(app).get(path)).body, /Zyxmina/i, path)
    assert.equal(
      (await visitor(app).get(page)).body.split('@익명 1, ask').length - 1,
      3,
      'and in the structured data',
    )
    assert.doesNotMatch((await staff.get(`/answers/${answer.id}/history`)).body, /@Zyxmina/)
    const { rows } = await sql`select from post_versions where body like '%Zyxmina%'
      union all select from answers where body || body_html like '%Zyxmina%' union all select from replies where body || body_html like '%Zyxmina%'`.execute(
      db,
    )
    assert.equal(rows.length, 0)
  })
})
