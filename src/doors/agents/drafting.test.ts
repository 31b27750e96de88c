import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { agentsOn } from '../../accounts/apps/testing.ts'
import { aCourseToken, aToken } from '../../accounts/tokens/testing.ts'
import { questionClosing } from '../../forum/desk/closing.ts'
import { saveDraft } from '../../forum/drafts/draft.ts'
import { hidePost } from '../../forum/posts/removal.ts'
import { act } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson, aQuestion, type MadePerson } from '../../testing/builders.ts'
import { sharedForumThatHears } from '../../testing/forum.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf, rowsOf, setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { questionPath } from '../../web/paths.ts'
import { anAgent } from './testing.ts'

suite('the draft of an answer that an agent leaves', () => {
  const forum = sharedForumThatHears()
  const agentOf = async (person: { readonly id: number }) => {
    await agentsOn(forum.db)
    return anAgent(forum.app, { token: await aToken(forum, person, ['read', 'write']) })
  }

  /** Somebody who is about to answer a question, with their agent and what is in the editor of its page. */
  async function aWriter() {
    const course = await aCourse(forum.db)
    const question = await aQuestion(forum.db, { course, title: 'Which verb?' })
    const person = await aMember(forum.db, course)
    const agent = await agentOf(person)
    const browser = await signedIn(forum.app, person)
    const drafts = (body: string) => agent.call('draft_answer', { question: question.id, body })
    const page = async (path = questionPath(question)) => {
      await forum.changes.caughtUp()
      return (await browser.get(path)).body
    }
    const end = (act: 'use' | 'discard', body = '') =>
      browser.post(`/questions/${question.id}/agent-draft`, { act, body })
    const typed = (html: string) => /<textarea[^>]*id="answer"[^>]*>\n?([^<]*)</.exec(html)?.[1]
    /** The answer's form, as a use or a discard leads to it. */
    const led = async (answer: Awaited<ReturnType<typeof end>>) => {
      assert.equal(answer.statusCode, 303, answer.body)
      let shown = await browser.follow(answer)
      while (shown.statusCode !== 200) shown = await browser.follow(shown)
      return shown.body
    }
    const own = { place: `/questions/${question.id}/answers`, personId: person.id }
    return { course, question, person, agent, browser, drafts, page, end, typed, led, own }
  }
  const offered = (html: string) => /<span data-own>(Draft by [^<]*)<\/span/.exec(html)?.[1] ?? ''
  const placesOf = async ({ id }: MadePerson) =>
    (await rowsOf(forum.db, 'drafts', { person_id: id })).map(({ place }) => place).sort()

  test('is offered to its owner alone, beside the editor, which stays empty; nothing is posted and no one is told', async () => {
    const { question, person, drafts, page, browser, typed, course } = await aWriter()
    assert.equal(offered(await page()), '')
    const body = '  Use `POST`.\r\n\r\n![x](/uploads/x.webp) @[Nobody](person:1) <b>'
    const drafted = await drafts(body)
    assert.deepEqual(drafted.data, {
      is_saved: true,
      url: `http://localhost:3000${questionPath(question)}#answer`,
    })
    const shown = await page()
    assert.equal(offered(shown), 'Draft by A test')
    assert.equal(typed(shown), '')
    assert.deepEqual(await markupMistakes(shown), [])
    const classmate = await signedIn(forum.app, await aMember(forum.db, course))
    assert.equal(offered((await classmate.get(questionPath(question))).body), '')
    const { id, fields, place } = await rowOf(forum.db, 'drafts', { person_id: person.id })
    assert.equal(place, `/questions/${question.id}/answers#agent`)
    // As it was written, but for the ends of lines.
    assert.equal(fields.body, body.replaceAll('\r\n', '\n'))
    for (const path of [`?form=answer&draft=${id}`, `?draft=${id}`])
      assert.equal(typed(await page(`${questionPath(question)}${path}`)), '', 'no editor opens with it')
    const json = { accept: 'application/json' }
    const restored = await browser.get(
      `/drafts?place=${encodeURIComponent(`/questions/${question.id}/answers`)}`,
      json,
    )
    assert.deepEqual(restored.json(), { id: null })
    for (const table of ['answers', 'mentions', 'notifications'] as const)
      assert.deepEqual(
        await rowsOf(forum.db, table, table === 'notifications' ? {} : { question_id: question.id }),
        [],
      )
  })

  test('takes the place of the one before, and of nothing that was typed', async () => {
    const { person, question, drafts, own, agent } = await aWriter()
    await saveDraft(forum.db, { ...own, fields: { body: 'Mine' }, version: 0 })
    for (const body of ['First', 'Second']) assert.equal((await drafts(body)).isError, false)
    const rows = await rowsOf(forum.db, 'drafts', { person_id: person.id })
    assert.deepEqual(
      rows.map(({ fields, version }) => [fields, version]),
      [
        [{ body: 'Mine' }, 1],
        [{ body: 'Second', client: 'A test' }, 2],
      ],
    )
    const other = await aQuestion(forum.db)
    await agent.call('draft_answer', { question: other.id, body: 'Elsewhere' })
    assert.deepEqual(
      await placesOf(person),
      [own.place, `${own.place}#agent`, `/questions/${other.id}/answers#agent`].sort(),
    )
    assert.ok(question.id !== other.id)
  })

  test('fills an empty editor, and goes below what was typed, saved or not', async () => {
    const { drafts, end, typed, led } = await aWriter()
    await drafts('By the agent')
    const filled = await led(await end('use'))
    assert.equal(typed(filled), 'By the agent')
    assert.match(textOf(filled), /Added to your answer/)
    assert.equal(offered(filled), '')
    await drafts('More of it')
    const goneOn = await led(await end('use', 'By the agent, and me'))
    assert.equal(typed(goneOn), 'By the agent, and me\n\nMore of it')
    await drafts('The end')
    const asSent = await led(await end('use', 'By the agent, and me\r\n\r\nMore of it'))
    assert.equal(typed(asSent), 'By the agent, and me\n\nMore of it\n\nThe end')
    const unsaved = await aWriter()
    await unsaved.drafts('By the agent')
    assert.equal(
      typed(await unsaved.led(await unsaved.end('use', 'Typed just now'))),
      'Typed just now\n\nBy the agent',
    )
    const saved = await aWriter()
    await saveDraft(forum.db, { ...saved.own, fields: { body: 'Saved before' }, version: 0 })
    await saved.drafts('By the agent')
    assert.equal(typed(await saved.led(await saved.end('use'))), 'Saved before\n\nBy the agent')
  })

  test('is not lost, nor what was typed, when another tab saved other words', async () => {
    const { drafts, end, own, person, browser, led, typed, page } = await aWriter()
    await saveDraft(forum.db, { ...own, fields: { body: 'In another tab' }, version: 0 })
    await drafts('By the agent')
    const conflict = await end('use', 'Typed here')
    assert.equal(conflict.statusCode, 409)
    assert.match(textOf(conflict.body), /newer version.*In another tab.*Typed here.*By the agent/s)
    assert.deepEqual(await markupMistakes(conflict.body), [])
    assert.deepEqual(await placesOf(person), [own.place, `${own.place}#agent`])
    const goneOn = await led(await end('use', 'In another tab, and on'))
    assert.equal(typed(goneOn), 'In another tab, and on\n\nBy the agent')
    assert.equal(offered(await page()), '')
    assert.deepEqual(await placesOf(person), [own.place])
    const posted = await browser.post(own.place, { body: 'In another tab, and on\n\nBy the agent' })
    assert.equal(posted.statusCode, 303)
    const left = await rowsOf(forum.db, 'drafts', { person_id: person.id })
    assert.deepEqual(
      left.map(({ fields }) => fields),
      [{}],
      'the draft ends with its post',
    )
  })

  test('is discarded on the page and in the list of drafts, and what was typed stays', async () => {
    const { person, drafts, page, end, typed, led, own, browser } = await aWriter()
    await drafts('By the agent')
    const kept = await led(await end('discard', 'Typed here'))
    assert.equal(typed(kept), 'Typed here')
    assert.deepEqual(await placesOf(person), [own.place])
    await drafts('Again')
    assert.match((await browser.get('/settings/account/data')).body, /"Again"/, 'a part of their own data')
    const list = await browser.get('/drafts')
    assert.match(textOf(list.body), /Which verb\?\s*Draft by A test/)
    assert.match(list.body, /href="\/questions\/\d+#answer"/)
    const row = await rowOf(forum.db, 'drafts', { person_id: person.id, place: `${own.place}#agent` })
    assert.equal((await browser.post(`/drafts/${row.id}/delete`)).statusCode, 303)
    assert.equal(offered(await page()), '')
    // Pressed twice, or in two tabs.
    for (const act of ['use', 'discard'] as const) assert.equal((await end(act)).statusCode, 303)
    for (const act of ['', 'post'])
      assert.equal(
        (await browser.post(`${own.place.replace('answers', 'agent-draft')}`, { act })).statusCode,
        422,
      )
  })

  test('is for who may answer there now, in a course that lets agents in', async () => {
    const { db } = forum
    const course = await aCourse(db, { isPublic: false })
    const question = await aQuestion(db, { course })
    const staff = await aMember(db, course, 'assistant')
    const learner = await aMember(db, course)
    const outsider = await aPerson(db)
    const refusal = async (person: MadePerson, id = question.id, body = 'Mine') => {
      const { isError, text, status } = await (await agentOf(person)).call('draft_answer', {
        question: id,
        body,
      })
      assert.equal(status, 200)
      return isError ? text : 'done'
    }
    const none = 'There is no such question, or agents can’t read it.'
    assert.equal(await refusal(staff), 'done')
    assert.equal(await refusal(learner), none, 'agents are for staff here')
    assert.equal(await refusal(outsider), none)
    await setRows(db, 'courses', course.id, { agents: 'readers' })
    assert.equal(await refusal(learner), 'done')
    assert.match(await refusal(learner, question.id, 'x'.repeat(30_001)), /30,000/)
    assert.notEqual(await refusal(learner, question.id, ' \n '), 'done')
    assert.equal(await refusal(learner, 999_999_999), none)
    const own = await aQuestion(db, { course, author: learner, audience: 'staff' })
    const hidden = await aQuestion(db, { course, author: learner })
    await within(db, hidePost, { table: 'questions', id: hidden.id })
    for (const person of [learner, staff]) {
      assert.equal(await refusal(person, own.id), none)
      assert.match(await refusal(person, hidden.id), /access|no such question/)
    }
    const closed = await aQuestion(db, { course })
    await act(forum, questionClosing, {
      actor: staff,
      key: { id: closed.id, duplicate: '' },
      input: { reason: 'unclear', duplicate: '' },
    })
    assert.match(await refusal(learner, closed.id), /closed/)
    const token = await aCourseToken(forum, course)
    const ofCourse = await anAgent(forum.app, { token }).call('draft_answer', {
      question: question.id,
      body: 'x',
    })
    assert.equal(ofCourse.status, 403, 'a course’s token has no such scope')
    await setRows(db, 'courses', course.id, { archived_at: new Date() })
    assert.match(await refusal(learner), /archived/)
    assert.deepEqual(await rowsOf(db, 'drafts', { person_id: outsider.id }), [])
  })

  test('is written by no token that has ended, though it was used a moment ago', async () => {
    const { person, drafts, question } = await aWriter()
    assert.equal((await drafts('While it worked')).isError, false)
    await forum.db.deleteFrom('api_tokens').where('person_id', '=', person.id).execute()
    const late = await drafts('Too late')
    assert.equal(late.status, 401)
    assert.match(
      String(late.headers['www-authenticate']),
      /error="invalid_token".*scope="read draft waiting"/,
    )
    const place = `/questions/${question.id}/answers#agent`
    const { fields } = await rowOf(forum.db, 'drafts', { person_id: person.id, place })
    assert.equal(fields.body, 'While it worked')
  })

  test('drives out no draft that was typed', async () => {
    const { person, own, drafts } = await aWriter()
    await saveDraft(forum.db, { ...own, fields: { body: 'Typed long ago' }, version: 0 })
    await setRows(forum.db, 'drafts', { person_id: person.id }, { saved_at: new Date(0) })
    const left = Array.from({ length: 205 }, (_, index) => ({
      ...{ person_id: person.id, place: `/questions/${9_000_000 + index}/answers#agent` },
      fields: JSON.stringify({ body: 'x', client: 'x' }),
    }))
    await forum.db.insertInto('drafts').values(left).execute()
    await drafts('One more')
    const places = await placesOf(person)
    assert.equal(places.length, 201)
    assert.ok(places.includes(own.place) && places.includes(`${own.place}#agent`))
  })
})
