import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import type { EventName } from '../../kernel/audit/kinds.ts'
import { act, refusalOf, refuses } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { titlesIn } from '../../testing/page.ts'
import { setRows } from '../../testing/rows.ts'
import { questionPath } from '../../web/paths.ts'
import { TEXT_EDITS } from '../posts/text-edit.ts'
import { askQuestion, questionAudience } from './operations.ts'

const ASKED = { title: 'My grade seems wrong', body: 'Why?', tags: '', audience: 'staff' }

suite('private questions', () => {
  const forum = sharedForum()
  const aCourseWithMasks = async (displayName = 'Zyxmina', language: 'en' | 'ko' = 'en') => {
    const course = await aCourse(forum.db, { language })
    await setRows(forum.db, 'courses', course.id, { allows_anonymous: true })
    const asker = await aMember(forum.db, course, 'learner', await aPerson(forum.db, { displayName }))
    return { course, asker }
  }

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
    const posted = await mina.post('/questions', { course: course.slug, ...ASKED, tags: 'grades' })
    const [, path] = /^(\/questions\/\d+)\/private$/.exec(String(posted.headers.location)) ?? assert.fail()
    const page = await mina.follow(posted)
    assert.match(page.body, /Private\.<\/b> Only you and course staff can see this/)
    assert.doesNotMatch(page.body, /href="\/tags\/grades"/)

    const own = (await mina.get('/questions?mine=1')).body
    assert.deepEqual(titlesIn(own), [ASKED.title])
    assert.match(own, /Private/)
    const staff = await signedIn(app, await aMember(db, course, 'instructor'))
    for (const reader of [mina, staff]) {
      assert.equal((await reader.get(`${path}/private`)).statusCode, 200)
      assert.deepEqual(titlesIn((await reader.get(`/courses/${course.slug}`)).body), [])
    }
    const classmate = await signedIn(app, await aMember(db, course))
    assert.equal((await classmate.get(String(path))).headers.location, undefined)
    assert.equal((await classmate.get('/tags/grades')).statusCode, 404)
  })

  test('where the course takes none, the box is not there, and a form that says so is refused', async () => {
    const { app, db } = forum
    const course = await aCourse(db)
    await setRows(db, 'courses', course.id, { allows_private: false })
    const actor = await aMember(db, course)
    const form = await (await signedIn(app, actor)).get(`/questions/new?course=${course.slug}`)
    // What a template holds is for a draft that was private before.
    assert.doesNotMatch(form.body.replace(/<template[\s\S]*?<\/template>/g, ''), /name="audience"/)
    assert.match(form.body, /Everyone can read your question without signing in/)
    await refuses(forum, askQuestion, { actor, key: course.slug }, [
      [ASKED, 'audience: audience.off'],
      [{ ...ASKED, audience: 'all' }, 'audience: forms.choice'],
    ])
  })

  test('the asker opens it to the course, and staff keep it to themselves again', async () => {
    const { app, db } = forum
    const course = await aCourse(db)
    const [author, staff] = [await aMember(db, course), await aMember(db, course, 'assistant')]
    const question = await aQuestion(db, { course, author, audience: 'staff', title: 'Quietly asked' })
    const mina = await signedIn(app, author)
    const opened = await mina.post(`/questions/${question.id}/audience`, { audience: 'course' })
    assert.equal(opened.headers.location, questionPath(question))
    const listed = async () => titlesIn((await visitor(app).get(`/courses/${course.slug}`)).body)
    assert.deepEqual(await listed(), ['Quietly asked'])
    const noted: EventName[] = []
    const close = { actor: staff, key: question.id, input: { audience: 'staff' }, noted }
    assert.equal((await act(forum, questionAudience, close)).audience, 'staff')
    assert.deepEqual([await listed(), noted], [[], ['question-withdrawn']])
  })

  test('what opens without the name leaves no name of the asker’s under it, and only if the course never saw it', async () => {
    const { app, db } = forum
    const { course, asker: actor } = await aCourseWithMasks()
    const question = await aQuestion(db, { course, author: actor, audience: 'staff', title: 'Quiet' })
    await aReply(db, { question, author: actor, body: 'More detail' })
    const change = (audience: string, anonymous?: string) =>
      refusalOf(forum, questionAudience, { actor, key: question.id, input: { audience, anonymous } })
    const seen = async () => (await visitor(app).get(questionPath(question))).body

    const page = await (await signedIn(app, actor)).get(`/questions/${question.id}/private`)
    assert.match(page.body, /Share anonymously/)
    assert.equal(await change('course', '1'), 'done')
    assert.match(await seen(), /Anonymous 1[\s\S]*More detail/)
    assert.doesNotMatch(await seen(), /Zyxmina/)

    await change('staff')
    await change('course', '0')
    assert.match(await seen(), /Zyxmina/)
    await change('staff')
    assert.equal(await change('course', '1'), 'invalid', 'they have seen it')
  })

  test('who may open a private question without the name is told where it is typed as text, mentions apart', async () => {
    const { app, db } = forum
    const { course, asker } = await aCourseWithMasks('Mirabel Park')
    const author = await aMember(db, course, 'instructor', await aPerson(db, { displayName: 'Jun Tanaka' }))
    const question = await aQuestion(db, { course, author: asker, audience: 'staff', title: 'Quiet' })
    const named = await anAnswer(db, { question, author, body: 'Hello Mirabel, use `curl`.' })
    const body = `@[Mirabel Park](person:${asker.id}): so.`
    const mentioned = await anAnswer(db, { question, author, body })
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
    const { course, asker } = await aCourseWithMasks('Zyxmina', 'ko')
    const author = await aMember(db, course, 'instructor')
    const question = await aQuestion(db, { course, author: asker, audience: 'staff', title: 'Quiet' })
    const body = `@[Zyxmina](person:${asker.id}), ask @[Staff](person:${author.id}).`
    const answer = await anAnswer(db, { question, author, body })
    await aReply(db, { answer, author, body })
    const edited = { body: `${body} Later.`, version: 1 }
    await act(forum, TEXT_EDITS.answers, { actor: author, key: answer.id, input: edited })
    const input = { audience: 'course', anonymous: '1' }
    await act(forum, questionAudience, { actor: asker, key: question.id, input })
    const [page, feed] = [`/questions/${question.id}/quiet`, `/questions/${question.id}/feed.atom`]
    for (const path of [page, feed, '/search?q=quiet'])
      assert.doesNotMatch((await visitor(app).get(path)).body, /Zyxmina/i, path)
    const { body: shown } = await visitor(app).get(page)
    assert.equal(shown.split('@익명 1, ask').length - 1, 3, 'and in the structured data')
    const staff = await signedIn(app, author)
    assert.doesNotMatch((await staff.get(`/answers/${answer.id}/history`)).body, /@Zyxmina/)
    const { rows } = await sql`select from post_versions where body like '%Zyxmina%'
      union all select from answers where body || body_html like '%Zyxmina%'
      union all select from replies where body || body_html like '%Zyxmina%'`.execute(db)
    assert.equal(rows.length, 0)
  })
})
