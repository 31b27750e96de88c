import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { perform } from '../../kernel/perform.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { elementIn, textOf, valueIn } from '../../testing/page.ts'
import { within } from '../../testing/within.ts'
import {
  changeRoles,
  memberRolesChange,
  membersRemoval,
  removePeople,
  waitingRolesChange,
} from './selection.ts'
import { anInstructorOf, waitingIn } from './testing.ts'

/** These tests don't look at notes. */
const quiet = { baseUrl: 'https://forum.example', language: 'en', log: () => undefined } as const

suite('selected members', () => {
  const forum = sharedForum()

  const anInstructor = () => anInstructorOf(forum)

  async function rolesOf(course: { readonly id: number }) {
    const rows = await forum.db
      .selectFrom('course_members')
      .select(['person_id', 'role'])
      .where('course_id', '=', course.id)
      .orderBy('person_id')
      .execute()
    return rows.map(({ person_id, role }) => [person_id, role])
  }

  test('get another role together, in one form without scripts, and get the former one back by Undo', async () => {
    const { course, person, browser, path } = await anInstructor()
    const [mina, jun] = [await aMember(forum.db, course), await aMember(forum.db, course, 'instructor')]
    const unsure = await aMember(forum.db, course, 'learner', await aPerson(forum.db, { isConfirmed: false }))
    const page = (await browser.get(`${path}?show=everybody`)).body
    assert.match(page, new RegExp(`<input[^>]*form="selection"[^>]*value="${mina.id}"`))
    assert.doesNotMatch(page, new RegExp(`id="select-${person.id}"`), 'one’s own row is not among them')
    const changed = await browser.post(`${path}/selection?q=a`, {
      person: [mina, jun, unsure].map(({ id }) => String(id)),
      act: 'role',
      role: 'assistant',
    })
    assert.equal(changed.headers.location, `${path}?q=a`)
    const told = (await browser.follow(changed)).body
    assert.match(textOf(told), /Roles changed\. Where an address isn’t confirmed/)
    const given = [
      [person.id, 'instructor'],
      [mina.id, 'assistant'],
      [jun.id, 'assistant'],
      [unsure.id, 'learner'],
    ]
    assert.deepEqual(await rolesOf(course), given)
    assert.deepEqual(await waitingIn(forum, course), [`${unsure.email} assistant`])
    const undo = /action="([^"]*\/undo[^"]*)"/.exec(told)?.[1]?.replaceAll('&amp;', '&') ?? ''
    // Meanwhile the role of one of them changed: that one stays.
    await browser.post(`${path}/${mina.id}/role`, { role: 'instructor' })
    assert.match(textOf((await browser.follow(await browser.post(undo))).body), /Undone in part/)
    assert.deepEqual(await rolesOf(course), [
      [person.id, 'instructor'],
      [mina.id, 'instructor'],
      [jun.id, 'instructor'],
      [unsure.id, 'learner'],
    ])
    assert.match(textOf((await browser.follow(await browser.post(undo))).body), /Not undone/)
    assert.equal((await browser.post(`${path}/selection/role/boss/undo/learner.1`)).statusCode, 404)
  })

  test('are removed once they were named and the instructor was sure', async () => {
    const { course, person, browser, path } = await anInstructor()
    const mina = await aMember(
      forum.db,
      course,
      'learner',
      await aPerson(forum.db, { displayName: 'Mina Park' }),
    )
    const unsure = await aMember(forum.db, course, 'learner', await aPerson(forum.db, { isConfirmed: false }))
    const stays = await aMember(forum.db, course)
    const stranger = await aPerson(forum.db, { displayName: 'Not In This Course' })
    await browser.post(path, { email: unsure.email, role: 'assistant' })
    const before = await rolesOf(course)
    const asked = await browser.post(`${path}/selection`, {
      person: [mina, unsure, stranger].map(({ id }) => String(id)),
      act: 'removal',
    })
    assert.equal(asked.statusCode, 200)
    const panel = elementIn(asked.body, 'removing')
    assert.match(textOf(panel), /Remove 2 people\?.*Mina Park.*Their posts stay/)
    assert.doesNotMatch(textOf(panel), /Not In This Course/, 'no names of others')
    assert.deepEqual(await rolesOf(course), before)
    const [, ...ids] = [...panel.matchAll(/name="(?:sure|person)" value="(\d+)"/g)].map(([, id]) => id ?? '')
    assert.equal(valueIn(panel, 'sure'), '1')
    const removed = await browser.post(`${path}/selection`, { person: ids, act: 'removal', sure: '1' })
    assert.match(textOf((await browser.follow(removed)).body), /Removed from the course/)
    assert.deepEqual(await rolesOf(course), [
      [person.id, 'instructor'],
      [stays.id, 'learner'],
    ])
    assert.deepEqual(await waitingIn(forum, course), [], 'nor do they come back by confirming an address')
  })

  test('keep an instructor: all of it is refused, and stays selected', async () => {
    const { course, person, path } = await anInstructor()
    const mina = await aMember(forum.db, course)
    const admin = await signedIn(forum.app, await aPerson(forum.db, { isAdmin: true }))
    const before = await rolesOf(course)
    const people = [String(person.id), String(mina.id)]
    for (const fields of [
      { act: 'role', role: 'assistant' },
      { act: 'removal', sure: '1' },
    ]) {
      const refused = await admin.post(`${path}/selection`, { person: people, ...fields })
      assert.equal(refused.statusCode, 422)
      assert.match(textOf(refused.body), /A course needs an instructor/)
      assert.equal(refused.body.match(/form="selection"[^>]* checked/g)?.length, 2)
    }
    assert.deepEqual(await rolesOf(course), before)
  })

  test('are nobody, or no role is chosen: what to do is said', async () => {
    const { course, browser, path } = await anInstructor()
    const mina = await aMember(forum.db, course)
    for (const [fields, says] of [
      [{ act: 'removal' }, /Select at least one person/],
      [{ act: 'removal', person: 'x' }, /Select at least one person/],
      [{ act: 'role', person: mina.id, role: '' }, /Choose a role for the selected people/],
      [{ act: 'invitation', person: mina.id }, /Choose an option from the list/],
      [{ act: 'dance', person: mina.id }, /Choose an option from the list/],
    ] as const) {
      const refused = await browser.post(`${path}/selection`, fields)
      assert.equal(refused.statusCode, 422)
      assert.match(textOf(refused.body), says)
    }
    const many = Array.from({ length: 250 }, (_, at) => String(900_000_000 + at))
    assert.equal(
      (await browser.post(`${path}/selection`, { person: many, act: 'role', role: 'learner' })).statusCode,
      303,
    )
    const more = [...many, ...many.slice(0, 10)]
    assert.equal((await browser.post(`${path}/selection`, { person: more, act: 'removal' })).statusCode, 400)
    assert.equal(
      (await browser.post(path, { person: many, email: 'a@b.example' })).statusCode,
      400,
      'here alone',
    )
    const assistant = await signedIn(forum.app, await aMember(forum.db, course, 'assistant'))
    const theirs = await assistant.post(`${path}/selection`, { person: mina.id, act: 'removal', sure: '1' })
    assert.equal(theirs.statusCode, 403)
    assert.doesNotMatch((await assistant.get(path)).body, /form="selection"/)
  })

  test('of another course, or by who lost the right meanwhile, change nothing', async () => {
    const { course, person } = await anInstructor()
    const mina = await aMember(forum.db, course)
    const elsewhere = await aMember(forum.db, await aCourse(forum.db), 'assistant')
    const wanted = new Map([[elsewhere.id, 'instructor' as const]])
    assert.deepEqual(await within(forum.db, changeRoles, course.id, wanted), { given: [], waiting: [] })
    assert.deepEqual(await within(forum.db, removePeople, course.id, [elsewhere.id]), [])
    const call = { key: course.slug, actor: { id: mina.id } }
    const lost = { key: 'forbidden' }
    const raising = { ...call, input: { person: `${mina.id}`, role: 'instructor' } }
    await assert.rejects(perform(forum.db, memberRolesChange, raising, quiet), lost)
    const removing = { ...call, input: { person: `${person.id}` } }
    await assert.rejects(perform(forum.db, membersRemoval, removing, quiet), lost)
    const waiting = { ...call, input: { email: 'a@b.example', role: 'learner' } }
    await assert.rejects(perform(forum.db, waitingRolesChange, waiting, quiet), lost)
    assert.equal((await rolesOf(course)).length, 2)
  })

  test('two instructors who demote each other at once leave one', async () => {
    const { course, person } = await anInstructor()
    const other = await aMember(forum.db, course, 'instructor')
    const demote = (actorId: number, id: number) => {
      const call = { key: course.slug, actor: { id: actorId }, input: { person: `${id}`, role: 'learner' } }
      return perform(forum.db, memberRolesChange, call, quiet)
    }
    const done = await Promise.allSettled([demote(person.id, other.id), demote(other.id, person.id)])
    assert.deepEqual(done.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    assert.equal((await rolesOf(course)).filter(([, role]) => role === 'instructor').length, 1)
  })

  test('who is invited is invited by mail, changed and removed by address; a page has room for all', async () => {
    const { course, browser, path } = await anInstructor()
    const unsure = await aPerson(forum.db, { isConfirmed: false })
    const emails = Array.from(
      { length: 60 },
      (_, at) => `p${String(at).padStart(2, '0')}-${course.id}@b.example`,
    )
    await browser.post(path, { list: [...emails, unsure.email].join('\n') })
    const at = `/courses/${course.slug}/waiting/selection?show=invited`
    const [first = '', second = ''] = emails
    const told = async (fields: Record<string, string | readonly string[]>) => {
      const done = await browser.post(at, fields)
      assert.equal(done.headers.location, `${path}?show=invited`)
      return textOf((await browser.follow(done)).body)
    }
    assert.match(
      await told({ email: [first, second], act: 'invitation' }),
      /Not emailed yet: this forum has no mail server/,
    )
    const mails = await forum.db
      .selectFrom('mails')
      .select('recipient')
      .where('recipient', 'in', [...emails, unsure.email])
      .execute()
    assert.deepEqual(mails.map(({ recipient }) => recipient).sort(), [first, second])
    assert.match(await told({ email: [...emails, unsure.email], act: 'invitation' }), /Not emailed yet/)
    assert.match(await told({ email: [first, unsure.email], act: 'invitation' }), /No invitation emailed/)
    assert.match(
      await told({ email: [first, 'stranger@b.example'], act: 'role', role: 'assistant' }),
      /take effect when the addresses are confirmed/,
    )
    const asked = await browser.post(at, { email: emails.slice(1), act: 'removal' })
    assert.match(textOf(elementIn(asked.body, 'removing')), /Remove 59 people\?/)
    assert.match(await told({ email: emails.slice(1), act: 'removal', sure: '1' }), /Removed from the course/)
    assert.deepEqual(await waitingIn(forum, course), [`${first} assistant`, `${unsure.email} learner`].sort())
  })
})
