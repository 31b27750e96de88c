import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { refusalOf, refuses } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson } from '../../testing/builders.ts'
import { elementIn, textOf, valueIn } from '../../testing/page.ts'
import { valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { memberAdding, membersAdding } from './operations.ts'
import {
  changeRoles,
  memberRolesChange,
  membersRemoval,
  removePeople,
  waitingInvitation,
  waitingRolesRemoval,
} from './selection.ts'
import { anInstructorOf, anUnsureMember, forumOfMembers, rolesIn, waitingIn } from './testing.ts'

suite('selected members', () => {
  const forum = forumOfMembers()

  const anInstructor = () => anInstructorOf(forum)

  test('get another role together, in one form without scripts, and get the former one back by Undo', async () => {
    const { course, person, does, browser, path } = await anInstructor()
    const [mina, jun] = [await aMember(forum.db, course), await aMember(forum.db, course, 'instructor')]
    const unsure = await anUnsureMember(forum, course)
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
    const rolesAre = async (minas: string, juns: string) =>
      assert.deepEqual(await rolesIn(forum, course), [
        `${person.id} instructor`,
        `${mina.id} ${minas}`,
        `${jun.id} ${juns}`,
        `${unsure.id} learner`,
      ])
    await rolesAre('assistant', 'assistant')
    assert.deepEqual(await waitingIn(forum, course), [`${unsure.email} assistant`])
    const undo = /action="([^"]*\/undo[^"]*)"/.exec(told)?.[1]?.replaceAll('&amp;', '&') ?? ''
    // Meanwhile the role of one of them changed: that one stays.
    await does(memberRolesChange, { person: `${mina.id}`, role: 'instructor' })
    assert.match(textOf((await browser.follow(await browser.post(undo))).body), /Undone in part/)
    await rolesAre('instructor', 'instructor')
    assert.match(textOf((await browser.follow(await browser.post(undo))).body), /Not undone/)
    assert.equal((await browser.post(`${path}/selection/role/boss/undo/learner.1`)).statusCode, 404)
  })

  test('are removed once they were named and the instructor was sure', async () => {
    const { course, person, does, browser, path } = await anInstructor()
    const named = await aPerson(forum.db, { displayName: 'Mina Park' })
    const mina = await aMember(forum.db, course, 'learner', named)
    const unsure = await anUnsureMember(forum, course)
    const stays = await aMember(forum.db, course)
    const stranger = await aPerson(forum.db, { displayName: 'Not In This Course' })
    await does(memberAdding, { email: unsure.email, role: 'assistant' })
    const before = await rolesIn(forum, course)
    const asked = await browser.post(`${path}/selection`, {
      person: [mina, unsure, stranger].map(({ id }) => String(id)),
      act: 'removal',
    })
    assert.equal(asked.statusCode, 200)
    const panel = elementIn(asked.body, 'removing')
    assert.match(textOf(panel), /Remove 2 people\?.*Mina Park.*Their posts stay/)
    assert.doesNotMatch(textOf(panel), /Not In This Course/, 'no names of others')
    assert.deepEqual(await rolesIn(forum, course), before)
    const [, ...ids] = [...panel.matchAll(/name="(?:sure|person)" value="(\d+)"/g)].map(([, id]) => id ?? '')
    assert.equal(valueIn(panel, 'sure'), '1')
    const removed = await browser.post(`${path}/selection`, { person: ids, act: 'removal', sure: '1' })
    assert.match(textOf((await browser.follow(removed)).body), /Removed from the course/)
    assert.deepEqual(await rolesIn(forum, course), [`${person.id} instructor`, `${stays.id} learner`])
    assert.deepEqual(await waitingIn(forum, course), [], 'nor do they come back by confirming an address')
  })

  test('keep an instructor: all of it is refused, and stays selected', async () => {
    const { course, person, path } = await anInstructor()
    const mina = await aMember(forum.db, course)
    const admin = await signedIn(forum.app, await aPerson(forum.db, { isAdmin: true }))
    const before = await rolesIn(forum, course)
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
    assert.deepEqual(await rolesIn(forum, course), before)
  })

  test('are nobody, or no role is chosen: what to do is said', async () => {
    const { course, by, browser, path } = await anInstructor()
    const { id: person } = await aMember(forum.db, course)
    const nobody = 'act: members.selection.none'
    await refuses(forum, memberRolesChange, by, [
      [{ role: 'learner' }, nobody],
      [{ person: `${person}`, role: '' }, 'role: members.selection.noRole'],
    ])
    await refuses(forum, membersRemoval, by, [
      [{}, nobody],
      [{ person: 'x' }, nobody],
    ])
    for (const [fields, says] of [
      [{ act: 'removal' }, /Select at least one person/],
      [{ act: 'role', person, role: '' }, /Choose a role for the selected people/],
      [{ act: 'invitation', person }, /Choose an option from the list/],
    ] as const) {
      const refused = await browser.post(`${path}/selection`, fields)
      assert.equal(refused.statusCode, 422)
      assert.match(textOf(refused.body), says)
    }
    const many = Array.from({ length: 250 }, (_, at) => String(900_000_000 + at))
    for (const [at, fields, status] of [
      [`${path}/selection`, { person: many, act: 'role', role: 'learner' }, 303],
      [`${path}/selection`, { person: [...many, ...many.slice(0, 10)], act: 'removal' }, 400],
      [path, { person: many, email: 'a@b.example' }, 400],
    ] as const)
      assert.equal((await browser.post(at, fields)).statusCode, status, 'so many are selected here alone')
  })

  test('of another course change nothing', async () => {
    const { course } = await anInstructor()
    const elsewhere = await aMember(forum.db, await aCourse(forum.db), 'assistant')
    const wanted = new Map([[elsewhere.id, 'instructor' as const]])
    assert.deepEqual(await within(forum.db, changeRoles, course.id, wanted), { given: [], waiting: [] })
    assert.deepEqual(await within(forum.db, removePeople, course.id, [elsewhere.id]), [])
    assert.equal((await rolesIn(forum, course)).length, 1)
  })

  test('two instructors who demote or remove each other at once leave one', async () => {
    for (const [operation, input] of [
      [memberRolesChange, { role: 'learner' }],
      [membersRemoval, {}],
    ] as const) {
      const { course, person, by } = await anInstructor()
      const other = await aMember(forum.db, course, 'instructor')
      const does = (actor: typeof person, { id }: typeof person) =>
        refusalOf<string>(forum, operation, { ...by, actor, input: { ...input, person: `${id}` } })
      const done = await Promise.all([does(person, other), does(other, person)])
      assert.equal(done.filter((outcome) => outcome === 'done').length, 1)
      const left = (await rolesIn(forum, course)).filter((role) => role.endsWith('instructor'))
      assert.equal(left.length, 1)
    }
  })

  test('who is invited is invited by mail, changed and removed by address; a page has room for all', async () => {
    const { course, by, does, browser, path } = await anInstructor()
    const unsure = await aPerson(forum.db, { isConfirmed: false })
    const emails = Array.from({ length: 60 }, (_, at) => `p${at + 10}-${course.id}@b.example`)
    await does(membersAdding, { list: [...emails, unsure.email].join('\n') })
    const at = `/courses/${course.slug}/waiting/selection?show=invited`
    const [first = '', second = ''] = emails
    const told = async (fields: Record<string, string | readonly string[]>) => {
      const done = await browser.post(at, fields)
      assert.equal(done.headers.location, `${path}?show=invited`)
      return textOf((await browser.follow(done)).body)
    }
    const invited = await told({ email: [first, second], act: 'invitation' })
    assert.match(invited, /Not emailed yet: this forum has no mail server/)
    const mails = forum.db.selectFrom('mails').select('recipient').orderBy('recipient')
    const sent = await mails.where('recipient', 'in', [...emails, unsure.email]).execute()
    assert.deepEqual(valuesOf(sent, 'recipient'), [first, second])
    // Who was told, or signed up, is told nothing.
    const rest = await does(waitingInvitation, { email: [...emails, unsure.email] })
    assert.deepEqual([rest.asked, rest.mailed], [61, 58])
    assert.match(await told({ email: [first, unsure.email], act: 'invitation' }), /No invitation emailed/)
    const raised = await told({ email: [first, 'stranger@b.example'], act: 'role', role: 'assistant' })
    assert.match(raised, /take effect when the addresses are confirmed/)
    const asked = await browser.post(at, { email: emails.slice(1), act: 'removal' })
    assert.match(textOf(elementIn(asked.body, 'removing')), /Remove 59 people\?/)
    assert.match(await told({ email: emails.slice(1), act: 'removal', sure: '1' }), /Removed from the course/)
    assert.deepEqual(await waitingIn(forum, course), [`${unsure.email} learner`, `${first} assistant`].sort())
    assert.equal(await refusalOf(forum, waitingRolesRemoval, by), 'act: members.selection.none')
  })
})
