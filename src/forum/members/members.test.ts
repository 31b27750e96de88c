import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { FIRST_PAGE } from '../../database/keyset.ts'
import { act, refusalOf, refuses } from '../../testing/act.ts'
import { aBigForum } from '../../testing/big-forum.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { multipartForm, postTable } from '../../testing/multipart.ts'
import { elementIn, relIn, textOf, valueIn } from '../../testing/page.ts'
import { complaints, explained } from '../../testing/plans.ts'
import { deleteAnswer, deleteQuestion } from '../../testing/posts.ts'
import { setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { courseJoining, invitationEnd, invitationMaking, listInvitations } from './invitations.ts'
import { memberAdding, membersAdding } from './operations.ts'
import { listMembers } from './queries.ts'
import { memberRolesChange, membersRemoval } from './selection.ts'
import { anInstructorOf, anUnsureMember, forumOfMembers, rolesIn, waitingIn } from './testing.ts'

suite('the people of a course', () => {
  const forum = forumOfMembers()

  const anInstructor = () => anInstructorOf(forum)

  test('are seen by its staff, and changed by who instructs it', async () => {
    const { course, path } = await anInstructor()
    const learner = await aMember(forum.db, course)
    const assistant = await signedIn(forum.app, await aMember(forum.db, course, 'assistant'))
    const page = await assistant.get(path)
    assert.match(page.body, new RegExp(learner.email))
    assert.doesNotMatch(page.body, /<form[^>]*\/role"|form="selection"/)
  })

  test('are found by any part of name or address, by role, and page by page', async () => {
    const { course, browser, path } = await anInstructor()
    const named = async (displayName: string, email: string) =>
      aMember(forum.db, course, 'learner', await aPerson(forum.db, { displayName, email }))
    await named('100% Mina_Park', 'zyx@found.example')
    for (let number = 0; number < 55; number += 1)
      await named(`Learner ${number}`, `learner-${number}@example.com`)
    await named('김민서', 'k@found.example')
    await named('Élodie Örn', 'e@found.example')
    const finds = async (search: string, name: string, show: 'everybody' | 'staff' = 'everybody') => {
      const { rows } = await listMembers(forum.db, course.id, { show, search }, FIRST_PAGE)
      return rows.some(({ displayName }) => displayName === name)
    }
    for (const [name, parts, others] of [
      ['100% Mina_Park', ['ina_p', 'yx@found', '%', '1', '10', 'mi'], ['inap']],
      ['김민서', ['김', '민', '서', '김민', '민서', '김민서'], ['서김']],
      ['Élodie Örn', ['e', 'EL', 'ö', 'or'], ['l', 'rn', '민']],
    ] as const) {
      for (const part of parts) assert.equal(await finds(part, name), true, `${name}: ${part}`)
      for (const part of others) assert.equal(await finds(part, name), false, `${name}: ${part}`)
    }
    assert.equal(await finds('ina_p', '100% Mina_Park', 'staff'), false)
    const namesOn = async (query: string) => textOf((await browser.get(`${path}${query}`)).body)
    assert.match(await namesOn(`?q=${encodeURIComponent('민서'.normalize('NFD'))}`), /김민서/)
    assert.match(await namesOn('?q=nobody-is-called-so'), /No members match/)
    const first = await browser.get(path)
    assert.doesNotMatch(textOf(first.body), /Mina_Park/)
    const second = await browser.get(relIn(first.body, 'next') ?? '')
    assert.match(textOf(second.body), /Mina_Park/)
    assert.match((await browser.get(relIn(second.body, 'prev') ?? '')).body, /rel="next"/)
  })

  test('are added by address; the role waits where the address is not confirmed', async () => {
    const { course, person, browser, path } = await anInstructor()
    const known = await aPerson(forum.db)
    const unsure = await aPerson(forum.db, { isConfirmed: false })
    for (const [email, role, said] of [
      [known.email.toUpperCase(), 'assistant', /@\S+ added to the course/],
      [known.email, 'assistant', /@\S+ was already added/],
      [unsure.email, 'learner', /takes effect when/],
    ] as const) {
      const added = await browser.post(path, { email, role })
      assert.equal(added.headers.location, path)
      assert.match(textOf((await browser.follow(added)).body), said)
    }
    assert.deepEqual(await rolesIn(forum, course), [`${person.id} instructor`, `${known.id} assistant`])
    assert.deepEqual(await waitingIn(forum, course), [`${unsure.email} learner`])
    assert.match((await browser.get(`${path}?show=invited`)).body, new RegExp(unsure.email))
    await browser.post(`/courses/${course.slug}/waiting/removal`, { email: unsure.email })
    assert.deepEqual(await waitingIn(forum, course), [])
    const wrong = await browser.post(path, { email: 'nobody', role: 'learner' })
    assert.equal(wrong.statusCode, 422)
    assert.equal(valueIn(wrong.body, 'email'), 'nobody')
  })

  test('of 10,000 lines with 50 bad ones 9,950 are done and 50 listed; the same again changes nothing', async () => {
    const { course, browser, does, path } = await anInstructor()
    const known = await aPerson(forum.db)
    const lines = Array.from({ length: 10_000 }, (_, at) =>
      at % 200 === 7 ? `not-an-address-${at}` : `${at === 0 ? known.email : `p${at}@many.example`},learner`,
    )
    const list = `\uFEFFemail,role\r\n${lines.join('\r\n')}\r\n`
    const answer = await browser.post(path, { list })
    assert.equal(answer.statusCode, 422)
    assert.match(
      textOf(answer.body),
      /50 lines have problems.*Line 9: not-an-address-7 isn’t an email address/,
    )
    assert.equal(answer.body.match(/isn’t an email address/g)?.length, 50)
    assert.equal(valueIn(answer.body, 'list')?.split('\n').length, 50)
    assert.equal((await rolesIn(forum, course)).length, 2)
    const { added } = await does(membersAdding, { list })
    assert.deepEqual([added.given, added.waiting, added.unchanged, added.bad.length], [1, 9949, 9950, 50])
    assert.equal((await waitingIn(forum, course)).length, 9949)
  })

  test('a file or a list that cannot be read says why, and takes nothing', async () => {
    const { course, by, browser, path } = await anInstructor()
    for (const [bytes, reason, list] of [
      [Buffer.from([0x61, 0xb9, 0xce, 0xbe, 0xc6]), /This file isn’t UTF-8 or UTF-16 text/],
      [Buffer.alloc(3 * 1024 * 1024, 'a@b.example\n'), /max 2 MB/],
      [Buffer.alloc(0), /Paste lines or choose a file/, ' '],
      [Buffer.from('a@b.example'), /not both/, 'c@d.example'],
    ] as const) {
      const refused = await postTable(browser, path, bytes, list === undefined ? {} : { list })
      assert.equal(refused.statusCode, 422)
      assert.match(textOf(refused.body), reason)
      assert.match(refused.body, /href="#file"|href="#list"/)
      if (list !== undefined) assert.equal(valueIn(refused.body, 'list')?.trim(), list.trim())
    }
    const raw = multipartForm({ list: 'a@b.example', _csrf: 'none' }, null)
    assert.equal((await browser.post(path, {}, { ...raw, token: null })).statusCode, 403)
    const wide = [...'a@b.example,learner'].map((letter) => `${letter}\0`).join('')
    await refuses(forum, membersAdding, by, [[{ list: wide }, 'list: members.list.encoding']])
    assert.deepEqual(await waitingIn(forum, course), [])
  })

  test('each bad line says why, and a role that is not named takes none away', async () => {
    const { course, person, does } = await anInstructor()
    const assistant = await aMember(forum.db, course, 'assistant')
    const lines = [assistant.email, `${person.email},learner`, 'c@d.example;Student', 'C@D.example']
    const { added } = await does(membersAdding, { list: lines.join('\n') })
    const bad = added.bad.map(({ number, reason }) => `${number} ${reason.key}`)
    assert.deepEqual(bad, ['2 members.line.lastInstructor', '4 members.line.twice'])
    assert.deepEqual(await rolesIn(forum, course), [`${person.id} instructor`, `${assistant.id} assistant`])
    assert.deepEqual(await waitingIn(forum, course), ['c@d.example learner'])
  })

  test('a line that would take rights away says so and asks first; the others are done', async () => {
    const { course, person, does, browser, path } = await anInstructor()
    const assistant = await aMember(forum.db, course, 'assistant')
    const learner = await aMember(forum.db, course)
    await does(memberAdding, { email: 'waits@b.example', role: 'assistant' })
    const list = [`${assistant.email},learner`, 'waits@b.example,learner', 'new@b.example'].join('\n')
    const before = await rolesIn(forum, course)
    const asked = await browser.post(path, { list })
    assert.equal(asked.statusCode, 200)
    assert.match(textOf(asked.body), /2 lines change a role/)
    assert.match(textOf(asked.body), new RegExp(`${assistant.email}: Assistant → Learner`))
    assert.deepEqual(await rolesIn(forum, course), before)
    assert.deepEqual(await waitingIn(forum, course), ['new@b.example learner', 'waits@b.example assistant'])
    const meant = elementIn(asked.body, 'changes-form')
    await browser.post(path, { list: valueIn(meant, 'list') ?? '', change: '1' })
    const lowered = [`${assistant.id} learner`, `${learner.id} learner`]
    assert.deepEqual(await rolesIn(forum, course), [`${person.id} instructor`, ...lowered])
    assert.deepEqual(await waitingIn(forum, course), ['new@b.example learner', 'waits@b.example learner'])
    const changesOf = async (role: string) =>
      (await does(memberAdding, { email: learner.email, role })).added.changes.length
    assert.equal(await changesOf('assistant'), 0, 'one person’s role is raised by one press')
    const lower = await browser.post(path, { email: learner.email, role: 'learner' })
    assert.match(textOf(lower.body), /1 line changes a role/, 'one person, too, where it takes rights away')
    assert.equal(await changesOf('instructor'), 0)
    assert.equal((await rolesIn(forum, course)).at(-1), `${learner.id} instructor`)
  })

  test('a changed role can be undone while it is still the one that was given', async () => {
    const { course, person, browser, path } = await anInstructor()
    const learner = await aMember(forum.db, course)
    const changed = await browser.post(`${path}/${learner.id}/role`, { role: 'assistant' })
    assert.equal(changed.headers.location, `${path}#role-${learner.id}`)
    const undo = /action="([^"]*\/undo\/learner)"/.exec((await browser.follow(changed)).body)?.[1] ?? ''
    assert.match(textOf((await browser.follow(await browser.post(undo))).body), /Role change undone/)
    assert.match(textOf((await browser.follow(await browser.post(undo))).body), /changed since/)
    assert.deepEqual(await rolesIn(forum, course), [`${person.id} instructor`, `${learner.id} learner`])
    assert.equal((await browser.post(`${path}/${learner.id}/role/boss/undo/learner`)).statusCode, 404)
  })

  test('are exported for spreadsheets, and what is exported can be pasted again', async () => {
    const { course, browser, does, path } = await anInstructor()
    const displayName = '=HYPERLINK("http://x.example")'
    const mina = await aMember(forum.db, course, 'learner', await aPerson(forum.db, { displayName }))
    const csv = await browser.get(`${path}.csv`)
    assert.match(String(csv.headers['content-type']), /text\/csv/)
    assert.match(csv.body, /^\uFEFFname,email,role,/)
    assert.ok(csv.body.includes(`"'=HYPERLINK(""http://x.example"")",${mina.email},learner,0,0`))
    const { added } = await does(membersAdding, { list: csv.body })
    assert.deepEqual([added.given, added.unchanged, added.bad], [2, 2, []])
  })

  test('a list without roles leaves the roles that wait as they are', async () => {
    const { course, does } = await anInstructor()
    const emails = ['nobody.yet@b.example', (await anUnsureMember(forum, course)).email].sort()
    for (const email of emails) await does(memberAdding, { email, role: 'assistant' })
    await does(membersAdding, { list: emails.join('\n') })
    const waiting = emails.map((email) => `${email} assistant`)
    assert.deepEqual(await waitingIn(forum, course), waiting)
  })

  test('a bad line stays as it was typed, however long', async () => {
    const { browser, path } = await anInstructor()
    const list = `<script>${'x'.repeat(200)}@,learner`
    const { body } = await browser.post(path, { list })
    assert.equal(valueIn(body, 'list'), list)
    assert.match(textOf(body), /Line 1: <script>x{112}… /)
  })

  test('change their roles and go; the last instructor stays, with what to do', async () => {
    const { course, person, does, browser, path } = await anInstructor()
    const learner = await aMember(forum.db, course)
    const unsure = await anUnsureMember(forum, course)
    for (const act of ['role', 'removal']) {
      const refused = await browser.post(`${path}/${person.id}/${act}`, { role: 'learner' })
      assert.equal(refused.statusCode, 422)
      assert.match(textOf(refused.body), /A course needs an instructor.*Select all/, 'above the list')
      assert.match(refused.body, new RegExp(`href="#role-${person.id}"`))
    }
    const removable = async () =>
      [...(await browser.get(path)).body.matchAll(/members\/(\d+)\/removal"/g)].map(([, id]) => Number(id))
    assert.ok(!(await removable()).includes(person.id), 'the last instructor')
    await does(memberRolesChange, { person: `${learner.id}`, role: 'instructor' })
    assert.ok((await removable()).includes(person.id))
    const waits = await browser.post(`${path}/${unsure.id}/role`, { role: 'instructor' })
    assert.match(textOf((await browser.follow(waits)).body), /takes effect when/)
    assert.equal((await browser.post(`${path}/${unsure.id}/removal`)).statusCode, 303)
    // Who is removed does not come back by confirming an address.
    assert.deepEqual(await waitingIn(forum, course), [])
    assert.equal((await browser.post(`${path}/${unsure.id}/removal`)).statusCode, 404)
    assert.equal((await browser.post(`${path}/${person.id}/role`, { role: 'boss' })).statusCode, 422)
    await does(membersRemoval, { person: `${person.id}` })
    assert.deepEqual(await rolesIn(forum, course), [`${learner.id} instructor`], 'another one instructs it')
  })

  test('no admin takes the last instructor away either, by an address or a list', async () => {
    const { course, person } = await anInstructor()
    const by = { actor: await aPerson(forum.db, { isAdmin: true }), key: course.slug }
    const input = { email: person.email, role: 'learner' }
    const last = 'members.line.lastInstructor'
    assert.equal(await refusalOf(forum, memberAdding, { ...by, input }), `role: ${last}`)
    const list = `${person.email},assistant`
    const { added } = await act(forum, membersAdding, { ...by, input: { list } })
    const reasons = added.bad.map(({ reason }) => reason.key)
    assert.deepEqual(reasons, [last])
    assert.deepEqual(await rolesIn(forum, course), [`${person.id} instructor`])
  })

  /** A link to a course of its own, and what joining by it comes to. */
  async function anInvitation(input: Record<string, string> = {}) {
    const { app, db } = forum
    const { course, by, does } = await anInstructor()
    await db.updateTable('courses').set({ is_public: false }).where('id', '=', course.id).execute()
    const making = { actor: by.actor, key: { slug: course.slug, part: app.secretKeys } }
    await act(forum, invitationMaking, { ...making, input: { role: 'learner', ...input } })
    const [made] = await listInvitations(db, app.secretKeys, course.id)
    const token = made?.token ?? assert.fail('no invitation')
    const joins = async (actor: { readonly id: number }) =>
      (await act(forum, courseJoining, { actor, key: null, input: { token } })).joined?.outcome ?? 'dead'
    const ends = () =>
      act(forum, invitationEnd, { actor: by.actor, key: { slug: course.slug, part: made?.id ?? 0 } })
    return { course, making, does, link: `/join/${token}`, joins, ends }
  }

  test('join by a link with a button; opening it changes nothing, and a member takes no use of it', async () => {
    const { course, link } = await anInvitation({ uses: '1' })
    const guest = await signedIn(forum.app, await aPerson(forum.db))
    const stranger = (await visitor(forum.app).get(link)).body
    assert.match(textOf(stranger), /Sign in or create an account to continue/)
    for (const way of ['sign-in', 'sign-up'])
      assert.ok(stranger.includes(`href="/${way}?next=${encodeURIComponent(link)}"`), way)
    assert.match(textOf((await guest.get(link)).body), new RegExp(`Join ${course.title}`))
    assert.equal((await rolesIn(forum, course)).length, 1)
    const member = await signedIn(forum.app, await aMember(forum.db, course))
    assert.match(textOf((await member.follow(await member.post(link))).body), /already/)
    const joined = await guest.post(link)
    assert.equal(joined.headers.location, `/courses/${course.slug}`)
    assert.match(textOf((await guest.follow(joined)).body), /You joined the course/)
    assert.equal((await rolesIn(forum, course)).length, 3)
    const late = await signedIn(forum.app, await aPerson(forum.db))
    for (const dead of [await late.get(link), await late.post(link)]) {
      assert.equal(dead.statusCode, 410)
      assert.match(textOf(dead.body), /It has expired, was ended or has no uses left/)
      assert.doesNotMatch(dead.body, new RegExp(course.title), 'a dead link names no course')
    }
    const back = await guest.get(link)
    assert.equal(back.headers.location, `/courses/${course.slug}`, 'who joined by it finds the course by it')
    assert.match(textOf((await guest.follow(back)).body), /already/)
  })

  test('of many who take the last use at once one gets it', async () => {
    const { course, joins } = await anInvitation({ uses: '1' })
    const guests = await Promise.all(Array.from({ length: 6 }, () => aPerson(forum.db)))
    const outcomes = await Promise.all(guests.map(joins))
    assert.deepEqual(outcomes.sort(), ['dead', 'dead', 'dead', 'dead', 'dead', 'joined'])
    assert.equal((await rolesIn(forum, course)).length, 2)
  })

  test('who takes the last use twice at once is in the course, and told so both times', async () => {
    const { course, joins, ends } = await anInvitation({ uses: '1' })
    const guest = await aPerson(forum.db)
    const outcomes = await Promise.all([joins(guest), joins(guest)])
    assert.deepEqual([...outcomes.sort(), await joins(guest)], ['joined', 'member', 'member'])
    assert.equal((await rolesIn(forum, course)).length, 2)
    await ends()
    assert.equal(await joins(guest), 'dead', 'a link that is ended is nobody’s')
  })

  test('a higher role by a link waits for an unconfirmed address; its owner is a learner until then', async () => {
    const { course, link, joins } = await anInvitation({ role: 'assistant', uses: '2' })
    const person = await aPerson(forum.db, { isConfirmed: false })
    const guest = await signedIn(forum.app, person)
    assert.match(textOf((await guest.follow(await guest.post(link))).body), /You joined as a learner/)
    assert.equal(await joins(person), 'joinedWaiting')
    assert.ok((await rolesIn(forum, course)).includes(`${person.id} learner`))
    assert.deepEqual(await waitingIn(forum, course), [`${person.email} assistant`])
    const invitations = forum.db.selectFrom('invitations').select('used').where('course_id', '=', course.id)
    assert.deepEqual(await invitations.execute(), [{ used: 1 }])
  })

  test('a link lowers no role that waits for an address', async () => {
    for (const role of ['learner', 'assistant']) {
      const { does, course, joins } = await anInvitation({ role, uses: '2' })
      const person = await aPerson(forum.db, { isConfirmed: false })
      await does(memberAdding, { email: person.email, role: 'instructor' })
      assert.equal(await joins(person), role === 'learner' ? 'joined' : 'joinedWaiting')
      assert.ok((await rolesIn(forum, course)).includes(`${person.id} learner`))
      assert.deepEqual(await waitingIn(forum, course), [`${person.email} instructor`])
    }
  })

  test('a link that is ended, over, or not there answers alike', async () => {
    const guest = await signedIn(forum.app, await aPerson(forum.db))
    const { link: ended, ends, making } = await anInvitation()
    const { link: over, course } = await anInvitation()
    await ends()
    await setRows(forum.db, 'invitations', { course_id: course.id }, { until: new Date(Date.now() - 1000) })
    for (const link of [ended, over, '/join/never-was']) {
      assert.equal((await guest.get(link)).statusCode, 410)
      assert.equal((await guest.post(link)).statusCode, 410)
    }
    const role = 'learner'
    await refuses(forum, invitationMaking, making, [
      [{ role, until: '2020-01-01' }, 'until: members.until.wrong'],
      [{ role, until: '2026-02-31' }, 'until: members.until.wrong'],
      [{ role, until: 'x' }, 'until: members.until.wrong'],
      [{ role, uses: '0' }, 'uses: members.uses.wrong'],
      [{ role: 'boss' }, 'role: forms.choice'],
    ])
  })

  test('stand with what they wrote there: also privately or without their name, nothing deleted', async () => {
    const { course, person, does, browser, path } = await anInstructor()
    const writer = await aMember(forum.db, course, 'learner')
    const elsewhere = await aQuestion(forum.db, { author: writer })
    await anAnswer(forum.db, { question: elsewhere, author: person })
    const asked = { course, author: writer }
    const question = await aQuestion(forum.db, asked)
    await aQuestion(forum.db, { ...asked, audience: 'staff' })
    await within(forum.db, deleteQuestion, (await aQuestion(forum.db, asked)).id)
    for (let number = 0; number < 3; number += 1) await anAnswer(forum.db, { question, author: person })
    await anAnswer(forum.db, { question, author: writer, isAnonymous: true })
    const gone = await anAnswer(forum.db, { question, author: writer })
    await within(forum.db, deleteAnswer, question.id, gone.id)
    await does(memberAdding, { email: 'waits@numbers.example', role: 'learner' })
    const { body } = await browser.get(path)
    const numbers = [...body.matchAll(/<td class="num"[^>]*>([^<]*)</g)].map(([, number]) => Number(number))
    assert.deepEqual(numbers, [2, 1, 0, 3])
    const tabs = (html: string) => textOf(/<nav class="tabs under-line"[\s\S]*?<\/nav>/.exec(html)?.[0] ?? '')
    assert.equal(tabs(body), 'Everyone 2 Learners 1 Staff 1 Invited 1')
    const found = await browser.get(`${path}?q=nobody`)
    assert.equal(tabs(found.body), 'Everyone Learners Staff Invited', 'no numbers of what is not shown')
  })

  test('are read by index, however many there are and whatever they wrote', async (t) => {
    const { db, url } = await aBigForum(t)
    const { rows } = await sql<{ id: number; answers: number }>`
      select course_id as id, max(answers_count) as answers from course_authors group by course_id order by 2 desc`.execute(
      db,
    )
    const [course] = rows
    assert.ok(course !== undefined && course.answers > 400, 'somebody answered a lot')
    await sql`with made as (
        insert into people (display_name, email)
        select md5(n::text), md5(n::text) || '@plans.example' from generate_series(1, 20000) n returning id)
      insert into course_members (course_id, person_id, role) select ${course.id}, id, 'learner' from made`.execute(
      db,
    )
    await sql`vacuum analyze people, course_members`.execute(db)
    for (const filter of [
      { show: 'everybody', search: null },
      { show: 'staff', search: null },
      { show: 'everybody', search: 'c4ca4238a0' },
      { show: 'everybody', search: '민서' },
      { show: 'everybody', search: '민' },
      { show: 'everybody', search: 'z' },
    ] as const) {
      const plans = await explained(url, (one) => listMembers(one, course.id, filter, FIRST_PAGE))
      assert.deepEqual(
        plans.flatMap((plan) => complaints(plan, 400)),
        [],
        JSON.stringify([filter, plans.map(({ steps }) => steps)], null, 1),
      )
    }
  })
})
