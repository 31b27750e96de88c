import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { AgentScope } from '../../accounts/apps/agent-access.ts'
import {
  agentsOn,
  anAppToken,
  aRegisteredApp,
  askingPath,
  backIn,
  decide,
  sendAsApp,
  VERIFIER,
} from '../../accounts/apps/testing.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForumThatHears } from '../../testing/forum.ts'
import { rowOf, rowsOf } from '../../testing/rows.ts'
import { anAgent } from './testing.ts'

suite('an app that somebody let in', () => {
  const forum = sharedForumThatHears()

  /** Staff of one course, and a learner of another one, who lets an app in on the page that asks. */
  async function aScene(scope: string, chosen: 'all' | 'the first') {
    const { app, db } = forum
    await agentsOn(db)
    const [course, other] = [await aCourse(db), await aCourse(db)]
    const person = await aMember(db, course, 'assistant')
    await aMember(db, other, 'learner', person)
    const [question, elsewhere] = [
      await aQuestion(db, { course, title: 'Which verb creates?' }),
      await aQuestion(db, { course: other, title: 'Which verb deletes?' }),
    ]
    const client = await aRegisteredApp(db, { name: 'Helper' })
    const path = askingPath(app, client, { scope })
    const browser = await signedIn(app, person)
    const fields = chosen === 'all' ? {} : { course: [course.slug] }
    const code = backIn(await decide(browser, path, 'allow', fields)).get('code') ?? ''
    const { body } = await sendAsApp(app, '/oauth/token', {
      ...{ grant_type: 'authorization_code', client_id: client.clientId, code, code_verifier: VERIFIER },
      redirect_uri: String(client.redirectUris[0]),
    })
    const agent = anAgent(app, { token: body.access_token ?? '' })
    return { agent, browser, person, course, other, question, elsewhere, token: body }
  }
  type Scene = Awaited<ReturnType<typeof aScene>>

  const draft = ({ agent }: Scene, { id }: { readonly id: number }) =>
    agent.call('draft_answer', { question: id, body: 'Use POST for that.' })
  const idsIn = ({ data }: Awaited<ReturnType<Scene['agent']['call']>>, list: 'questions' | 'waiting') =>
    ((data[list] ?? []) as readonly { readonly id: number }[]).map(({ id }) => id)

  test('reads, sees what waits and leaves drafts with what it got for its code', async () => {
    const scene = await aScene('read draft waiting', 'all')
    const { agent, person, course, question, elsewhere } = scene
    assert.equal(scene.token.scope, 'read draft waiting')
    const found = idsIn(await agent.call('search_questions', { query: 'which verb' }), 'questions')
    for (const { id } of [question, elsewhere]) {
      assert.ok(found.includes(id))
      assert.equal((await agent.call('read_question', { id })).isError, false)
    }
    const waiting = await agent.call('list_waiting', { course: course.slug })
    assert.deepEqual(idsIn(waiting, 'waiting'), [question.id])
    for (const one of [question, elsewhere]) assert.equal((await draft(scene, one)).isError, false)
    const { fields } = await rowOf(forum.db, 'drafts', {
      person_id: person.id,
      place: `/questions/${question.id}/answers#agent`,
    })
    assert.deepEqual(fields, { body: 'Use POST for that.', client: 'Helper' })
  })

  test('does so in the courses that they chose alone', async () => {
    const scene = await aScene('read draft waiting', 'the first')
    const { agent, person, course, other, question, elsewhere } = scene
    const found = idsIn(await agent.call('search_questions', { query: 'which verb' }), 'questions')
    assert.deepEqual([found.includes(question.id), found.includes(elsewhere.id)], [true, false])
    for (const refused of [
      await agent.call('search_questions', { query: 'verb', course: other.slug }),
      await agent.call('similar_questions', { title: 'Which verb?', course: other.slug }),
      await agent.call('read_question', { id: elsewhere.id }),
      await agent.call('list_waiting', { course: other.slug }),
      await draft(scene, elsewhere),
    ])
      assert.equal(refused.isError, true, refused.body)
    assert.deepEqual(idsIn(await agent.call('list_waiting', { course: course.slug }), 'waiting'), [
      question.id,
    ])
    assert.equal((await draft(scene, question)).isError, false)
    assert.equal((await rowsOf(forum.db, 'drafts', { person_id: person.id })).length, 1)
  })

  test('does no more than its scopes let it, and is told which one it needs', async () => {
    const scene = await aScene('read', 'all')
    for (const [refused, scope] of [
      [await draft(scene, scene.question), 'read draft'],
      [await scene.agent.call('list_waiting', { course: scene.course.slug }), 'read waiting'],
    ] as const) {
      assert.equal(refused.status, 403)
      const challenge = String(refused.headers['www-authenticate'])
      assert.match(challenge, /error="insufficient_scope".*resource_metadata="http.*", scope="/)
      assert.ok(challenge.endsWith(`scope="${scope}"`), challenge)
    }
  })

  test('does what they may do now, and nothing once they end it', async () => {
    const { db, changes } = forum
    const scene = await aScene('read draft waiting', 'all')
    const { agent, person, course, question, browser } = scene
    await db.updateTable('courses').set({ is_public: false }).where('id', '=', course.id).execute()
    await changes.caughtUp()
    assert.equal((await agent.call('read_question', { id: question.id })).isError, false, 'as staff')
    await db.deleteFrom('course_members').where('person_id', '=', person.id).execute()
    await changes.caughtUp()
    for (const [name, given] of [
      ['read_question', { id: question.id }],
      ['draft_answer', { question: question.id, body: 'Use POST for that.' }],
      ['list_waiting', { course: course.slug }],
    ] as const)
      assert.equal((await agent.call(name, given)).isError, true, name)
    const { id } = await rowOf(db, 'app_grants', { person_id: person.id })
    await browser.post(`/settings/apps/${id}/end`)
    await changes.caughtUp()
    const ended = await agent.call('search_questions', { query: 'verb' })
    assert.equal(ended.status, 401)
    assert.match(String(ended.headers['www-authenticate']), /error="invalid_token"/)
    assert.deepEqual(await rowsOf(db, 'drafts', { person_id: person.id }), [])
  })

  test('gets nothing for another kind of secret', async () => {
    await agentsOn(forum.db)
    const scopes: readonly AgentScope[] = ['read', 'draft']
    const { refresh } = await anAppToken(forum.db, await aPerson(forum.db), { scopes })
    assert.equal((await anAgent(forum.app, { token: refresh }).ask('tools/list')).statusCode, 401)
  })
})
