import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { seesNames } from '../../kernel/rights/rights.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson } from '../../testing/builders.ts'
import { sharedForum, sharedForumThatHears } from '../../testing/forum.ts'
import { setRows } from '../../testing/rows.ts'
import { until } from '../../testing/waiting.ts'
import { within } from '../../testing/within.ts'
import { aToken } from '../tokens/testing.ts'
import { KeptApps, personOfApp } from './access.ts'
import type { AgentScope } from './agent-access.ts'
import { agentsOn, anAppToken, DESCRIBED } from './testing.ts'

suite('what an app may do', () => {
  const forum = sharedForum()
  const accessOf = (token: string) => new KeptApps(forum.db, null).accessOf(token)

  test('no more than its scopes, its courses and its person now; and never a name behind a stand-in', async () => {
    await agentsOn(forum.db)
    const [course, other, third] = [await aCourse(forum.db), await aCourse(forum.db), await aCourse(forum.db)]
    const staff = await aMember(forum.db, course, 'instructor')
    await aMember(forum.db, other, 'assistant', staff)
    await aMember(forum.db, third, 'learner', staff)
    const given = async (
      scopes: readonly AgentScope[],
      courseIds: readonly number[] | null = null,
      by = staff,
    ) => {
      const { access } = await anAppToken(forum.db, by, { scopes, courseIds })
      return (await accessOf(access)) ?? assert.fail()
    }
    const whole = await given(['read', 'waiting'])
    assert.deepEqual(whole.person.roles, {
      [course.id]: 'instructor',
      [other.id]: 'assistant',
      [third.id]: 'learner',
    })
    assert.deepEqual([whole.client, whole.courseIds, whole.scopes], ['Assistant', null, ['read', 'waiting']])
    for (const { id } of [course, other]) assert.equal(seesNames(whole.person, id), false)
    const reading = await given(['read', 'draft'], [course.id, other.id])
    assert.deepEqual(reading.person.roles, { [course.id]: 'learner', [other.id]: 'learner' })
    for (const ids of [reading.courseIds, reading.person.onlyCourseIds])
      assert.deepEqual(ids, [course.id, other.id])
    const admin = await aPerson(forum.db, { isAdmin: true })
    const { person } = await given(['read', 'waiting'], [course.id], admin)
    assert.deepEqual([person.isAdmin, seesNames(person, course.id)], [false, false])
    assert.deepEqual(person.roles, { [course.id]: 'instructor' })
  })

  test('a write asks again whether it may, and for what its person is then', async () => {
    await agentsOn(forum.db)
    const course = await aCourse(forum.db)
    const person = await aMember(forum.db, course, 'assistant')
    const { access, grantId } = await anAppToken(forum.db, person, { scopes: ['read', 'draft'] })
    const kept = (await accessOf(access)) ?? assert.fail()
    const now = { ...kept.person, isAdmin: true, roles: { [course.id]: 'instructor' } } as const
    const narrowed = (await within(forum.db, personOfApp, kept, now)) ?? assert.fail()
    assert.deepEqual([narrowed.isAdmin, narrowed.seesNoNames], [false, true])
    assert.deepEqual(narrowed.roles, { [course.id]: 'learner' })
    await forum.db.deleteFrom('app_grants').where('id', '=', grantId).execute()
    assert.equal(await within(forum.db, personOfApp, kept, now), null)
  })

  test('tokens of other kinds are none, nor is one of an app that may ask no longer', async () => {
    await agentsOn(forum.db)
    const person = await aPerson(forum.db)
    const { access, refresh } = await anAppToken(forum.db, person, { app: DESCRIBED })
    assert.notEqual(await accessOf(access), null)
    for (const other of [refresh, await aToken(forum, person), `${access}x`, ''])
      assert.equal(await accessOf(other), null)
    for (const agents of ['registered', 'off'] as const) {
      await agentsOn(forum.db, { agents })
      assert.equal(await accessOf(access), null, agents)
    }
    await agentsOn(forum.db)
    assert.notEqual(await accessOf(access), null)
    await setRows(forum.db, 'app_tokens', {}, { ends_at: new Date(Date.now() - 1000) })
    assert.equal(await accessOf(access), null)
  })
})

suite('what is kept of an app’s token', () => {
  const forum = sharedForumThatHears()

  test('ends at once when the person ends it, or agents are switched off', async () => {
    await agentsOn(forum.db)
    const person = await aPerson(forum.db)
    const [first, second] = [await anAppToken(forum.db, person), await anAppToken(forum.db, person)]
    const kept = new KeptApps(forum.db, forum.changes)
    const isOver = async ({ access }: { readonly access: string }) => (await kept.accessOf(access)) === null
    assert.deepEqual([await isOver(first), await isOver(second)], [false, false])
    const browser = await signedIn(forum.app, person)
    assert.equal((await browser.post(`/settings/apps/${first.grantId}/end`)).statusCode, 303)
    await until('it ended', () => isOver(first))
    assert.equal(await isOver(second), false)
    await agentsOn(forum.db, { agents: 'off' })
    await until('all are off', () => isOver(second))
  })
})
