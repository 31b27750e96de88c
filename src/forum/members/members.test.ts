import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { FIRST_PAGE } from '../../database/keyset.ts'
import { aBigForum } from '../../testing/big-forum.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { multipartForm, postTable } from '../../testing/multipart.ts'
import { elementIn, relIn, textOf, valueIn } from '../../testing/page.ts'
import { complaints, explained } from '../../testing/plans.ts'
import { deleteAnswer, deleteQuestion } from '../../testing/posts.ts'
import { within } from '../../testing/within.ts'
import { listMembers } from './queries.ts'
import { anInstructorOf, waitingIn } from './testing.ts'

suite('the people of a course', () => {
  const forum = sharedForum()

  const anInstructor = () => anInstructorOf(forum)

  async function rolesIn(course: { readonly id: number }) {
    const rows = await forum.db
      .selectFrom('course_members')
      .innerJoin('people', 'people.id', 'person_id')
      .select(['email', 'role'])
      .where('course_id', '=', course.id)
      .orderBy('person_id')
      .execute()
    return rows.map(({ email, role }) => `${email} ${role}`)
  }

  test('are seen by its staff, and changed by who instructs it', async () => {
    const { course, path } = await anInstructor()
    const learner = await aMember(forum.db, course)
    const assistant = await signedIn(forum.app, await aMember(forum.db, course, 'assistant'))
    const page = await assistant.get(path)
    assert.match(page.body, new RegExp(learner.email))
    assert.doesNotMatch(page.body, /<form[^>]*\/role"/)
    assert.equal((await assistant.post(path, { email: 'a@b.example', role: 'learner' })).statusCode, 403)
    const other = await signedIn(forum.app, learner)
    assert.equal((await other.get(path)).statusCode, 403)
  })

  test('are found by any part of name or address, by role, and page by page', async () => {
    const { course, browser, path } = await anInstructor()
    const mina = await aMember(
      forum.db,
      course,
      'learner',
      await aPerson(forum.db, { displayName: '100% Mina_Park' }),
    )
    // Less than a page of them have a 1 in what is searched.
    for (let number = 0; number < 55; number += 1) {
      const [displayName, email] = [`Learner ${number}`, `learner-${number}@example.com`]
      await aMember(forum.db, course, 'learner', await aPerson(forum.db, { displayName, email }))
    }
    const namesOn = async (query: string) => textOf((await browser.get(`${path}${query}`)).body)
    assert.match(await namesOn(`?q=${encodeURIComponent('ina_p')}`), /Mina_Park/)
    assert.match(await namesOn(`?q=${encodeURIComponent(mina.email.slice(2))}`), /Mina_Park/)
    assert.match(await namesOn('?q=%25'), /Mina_Park/, 'a percent sign is itself')
    for (const part of ['1', '10', 'mi']) assert.match(await namesOn(`?q=${part}`), /Mina_Park/, part)
    await aMember(forum.db, course, 'learner', await aPerson(forum.db, { displayName: '김민서' }))
    for (const part of ['김', '민', '서', '김민', '민서', '민서'.normalize('NFD'), '김민서'])
      assert.match(await namesOn(`?q=${encodeURIComponent(part)}`), /김민서/, part)
    await aMember(forum.db, course, 'learner', await aPerson(forum.db, { displayName: 'Élodie Örn' }))
    for (const part of ['e', 'EL', 'ö', 'or'])
      assert.match(await namesOn(`?q=${encodeURIComponent(part)}`), /Élodie/, part)
    for (const part of ['l', 'rn', '민']) assert.doesNotMatch(await namesOn(`?q=${part}`), /Élodie/, part)
    assert.match(await namesOn('?q=nobody-is-called-so'), /No members match/)
    assert.doesNotMatch(await namesOn('?show=staff'), /Mina_Park/)
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
    const added = await browser.post(path, { email: known.email.toUpperCase(), role: 'assistant' })
    assert.equal(added.headers.location, path)
    assert.match(textOf((await browser.follow(added)).body), /@\S+ added to the course/)
    const again = await browser.post(path, { email: known.email, role: 'assistant' })
    assert.match(textOf((await browser.follow(again)).body), /@\S+ was already added/)
    const waits = await browser.post(path, { email: unsure.email, role: 'learner' })
    assert.match(textOf((await browser.follow(waits)).body), /takes effect when/)
    assert.deepEqual(await rolesIn(course), [`${person.email} instructor`, `${known.email} assistant`])
    assert.deepEqual(await waitingIn(forum, course), [`${unsure.email} learner`])
    assert.match((await browser.get(`${path}?show=invited`)).body, new RegExp(unsure.email))
    await browser.post(`/courses/${course.slug}/waiting/removal`, { email: unsure.email })
    assert.deepEqual(await waitingIn(forum, course), [])
    const wrong = await browser.post(path, { email: 'nobody', role: 'learner' })
    assert.equal(wrong.statusCode, 422)
    assert.equal(valueIn(wrong.body, 'email'), 'nobody')
  })

  test('of 10,000 lines with 50 bad ones 9,950 are done and 50 listed; the same again changes nothing', async () => {
    const { course, browser, path } = await anInstructor()
    const known = await aPerson(forum.db)
    const lines = Array.from({ length: 10_000 }, (_, at) =>
      at % 200 === 7 ? `not-an-address-${at}` : `${at === 0 ? known.email : `p${at}@many.example`},learner`,
    )
    const list = `\uFEFFemail,role\r\n${lines.join('\r\n')}\r\n`
    const answer = await browser.post(path, { list })
    assert.equal(answer.statusCode, 422)
    const text = textOf(answer.body)
    assert.match(text, /50 lines have problems/)
    assert.match(text, /Line 9: not-an-address-7 isn’t an email address/)
    assert.equal(answer.body.match(/isn’t an email address/g)?.length, 50)
    assert.equal(valueIn(answer.body, 'list')?.split('\n').length, 50)
    assert.equal((await waitingIn(forum, course)).length, 9949)
    assert.equal((await rolesIn(course)).length, 2)
    const again = await browser.post(path, { list })
    assert.match(textOf(again.body), /No one was added\. 9,950 unchanged\./)
    assert.equal((await waitingIn(forum, course)).length, 9949)
  })

  test('a file does what its pasted lines do, in any encoding of spreadsheets', async () => {
    const { course, browser, path } = await anInstructor()
    const lines = Array.from({ length: 10_000 }, (_, at) =>
      at % 200 === 7 ? `not-an-address-${at}` : `p${at}@file.example,learner`,
    )
    const table = `email,role\r\n${lines.join('\r\n')}\r\n`
    const wide = Buffer.from(`\uFEFF${table}`, 'utf16le')
    for (const bytes of [wide, Buffer.from(`\uFEFF${table}`), Buffer.from(wide).swap16()]) {
      const answer = await postTable(browser, path, bytes, { list: '' })
      assert.equal(answer.statusCode, 422)
      assert.match(textOf(answer.body), /50 lines have problems/)
      assert.equal(valueIn(answer.body, 'list')?.split('\n').length, 50)
      assert.equal((await waitingIn(forum, course)).length, 9950)
    }
    const whole = await postTable(browser, path, Buffer.from('mina@file.example;learner'))
    assert.equal(whole.statusCode, 200)
    assert.match(textOf(whole.body), /1 invited: 1 learner\./)
  })

  test('a file that cannot be read says why, and takes nothing', async () => {
    const { course, browser, path } = await anInstructor()
    const refused = async (bytes: Buffer, reason: RegExp, fields = {}) => {
      const answer = await postTable(browser, path, bytes, fields)
      assert.equal(answer.statusCode, 422)
      assert.match(textOf(answer.body), reason)
      assert.match(answer.body, /href="#file"|href="#list"/)
      return answer
    }
    await refused(Buffer.from([0x61, 0xb9, 0xce, 0xbe, 0xc6]), /This file isn’t UTF-8 or UTF-16 text/)
    await refused(Buffer.from('PK\u0003\u0004\0\0'), /This file isn’t UTF-8 or UTF-16 text/)
    await refused(Buffer.alloc(3 * 1024 * 1024, 'a@b.example\n'), /max 2 MB/)
    await refused(Buffer.from('a@b.example\n'.repeat(20_001)), /20,000 lines at a time/)
    await refused(Buffer.alloc(0), /Paste lines or choose a file/, { list: ' ' })
    const both = await refused(Buffer.from('a@b.example'), /not both/, { list: 'c@d.example' })
    assert.equal(valueIn(both.body, 'list'), 'c@d.example')
    assert.deepEqual(await waitingIn(forum, course), [])
    const other = await signedIn(forum.app, await aMember(forum.db, course, 'assistant'))
    assert.equal((await postTable(other, path, Buffer.from('a@b.example'))).statusCode, 403)
    const raw = multipartForm({ list: 'a@b.example', _csrf: 'none' }, null)
    assert.equal((await browser.post(path, {}, { ...raw, token: null })).statusCode, 403)
  })

  test('each bad line says why, and a role that is not named takes none away', async () => {
    const { course, person, browser, path } = await anInstructor()
    const assistant = await aMember(forum.db, course, 'assistant')
    const list = [
      `${assistant.email}`,
      `${person.email},learner`,
      'a@b.example,boss',
      'a@b.example,learner,more',
      'c@d.example;Student',
      'C@D.example',
      `<script>alert(1)</script>${'x'.repeat(200)}`,
    ].join('\n')
    const text = textOf((await browser.post(path, { list })).body)
    for (const reason of [
      /Line 2: .* is the only instructor/,
      /Line 3: .* isn’t a role/,
      /Line 4: .* more than/,
      /Line 6: .* is already on line 5/,
      /Line 7: <script>/,
    ])
      assert.match(text, reason)
    assert.deepEqual(await rolesIn(course), [`${person.email} instructor`, `${assistant.email} assistant`])
    assert.deepEqual(await waitingIn(forum, course), ['c@d.example learner'])
  })

  test('a line that would take rights away says so and asks first; the others are done', async () => {
    const { course, person, browser, path } = await anInstructor()
    const assistant = await aMember(forum.db, course, 'assistant')
    const learner = await aMember(forum.db, course)
    await browser.post(path, { email: 'waits@b.example', role: 'assistant' })
    const list = [`${assistant.email},learner`, 'waits@b.example,learner', 'new@b.example']
    const before = await rolesIn(course)
    const asked = await browser.post(path, { list: list.join('\n') })
    assert.equal(asked.statusCode, 200)
    assert.match(textOf(asked.body), /2 lines change a role/)
    assert.match(textOf(asked.body), new RegExp(`${assistant.email}: Assistant → Learner`))
    assert.deepEqual(await rolesIn(course), before)
    assert.deepEqual(await waitingIn(forum, course), ['new@b.example learner', 'waits@b.example assistant'])
    const meant = elementIn(asked.body, 'changes-form')
    await browser.post(path, { list: valueIn(meant, 'list') ?? '', change: '1' })
    assert.deepEqual(await rolesIn(course), [
      `${person.email} instructor`,
      `${assistant.email} learner`,
      `${learner.email} learner`,
    ])
    assert.deepEqual(await waitingIn(forum, course), ['new@b.example learner', 'waits@b.example learner'])
    assert.equal(
      (await browser.post(path, { email: learner.email, role: 'assistant' })).statusCode,
      303,
      'one person’s role is raised by one press',
    )
    const lower = await browser.post(path, { email: learner.email, role: 'learner' })
    assert.match(textOf(lower.body), /1 line changes a role/, 'one person, too, where it takes rights away')
    assert.equal((await browser.post(path, { email: learner.email, role: 'instructor' })).statusCode, 303)
  })

  test('a changed role can be undone while it is still the one that was given', async () => {
    const { course, person, browser, path } = await anInstructor()
    const learner = await aMember(forum.db, course)
    const changed = await browser.post(`${path}/${learner.id}/role`, { role: 'assistant' })
    assert.equal(changed.headers.location, `${path}#role-${learner.id}`)
    const undo = /action="([^"]*\/undo\/learner)"/.exec((await browser.follow(changed)).body)?.[1] ?? ''
    assert.match(textOf((await browser.follow(await browser.post(undo))).body), /Role change undone/)
    assert.match(textOf((await browser.follow(await browser.post(undo))).body), /changed since/)
    assert.deepEqual(await rolesIn(course), [`${person.email} instructor`, `${learner.email} learner`])
    assert.equal((await browser.post(`${path}/${learner.id}/role/boss/undo/learner`)).statusCode, 404)
  })

  test('are exported for spreadsheets, and what is exported can be pasted again', async () => {
    const { course, browser, path } = await anInstructor()
    const displayName = '=HYPERLINK("http://x.example")'
    const mina = await aMember(forum.db, course, 'learner', await aPerson(forum.db, { displayName }))
    const csv = await browser.get(`${path}.csv`)
    assert.match(String(csv.headers['content-type']), /text\/csv/)
    assert.match(csv.body, /^\uFEFFname,email,role,/)
    assert.ok(csv.body.includes(`"'=HYPERLINK(""http://x.example"")",${mina.email},learner,0,0`))
    const again = await browser.post(path, { list: csv.body })
    assert.match(textOf(again.body), /2 /)
    assert.equal(again.statusCode, 200)
    const assistant = await signedIn(forum.app, await aMember(forum.db, course, 'assistant'))
    assert.equal((await assistant.get(`${path}.csv`)).statusCode, 403)
  })

  test('a list without roles leaves the roles that wait as they are', async () => {
    const { course, browser, path } = await anInstructor()
    const unsure = await aMember(forum.db, course, 'learner', await aPerson(forum.db, { isConfirmed: false }))
    const emails = ['nobody.yet@b.example', unsure.email].sort()
    for (const email of emails) await browser.post(path, { email, role: 'assistant' })
    await browser.post(path, { list: emails.join('\n') })
    assert.deepEqual(
      await waitingIn(forum, course),
      emails.map((email) => `${email} assistant`),
    )
  })

  test('a bad line stays as it was typed, however long', async () => {
    const { browser, path } = await anInstructor()
    const list = `${'x'.repeat(200)}@,learner`
    const { body } = await browser.post(path, { list })
    assert.equal(valueIn(body, 'list'), list)
    assert.match(textOf(body), /Line 1: x{120}… /)
  })

  test('a list in UTF-16, or too long, is refused clearly', async () => {
    const { course, browser, path } = await anInstructor()
    const wide = [...'a@b.example,learner'].map((letter) => `${letter}\0`).join('')
    const refused = await browser.post(path, { list: wide })
    assert.equal(refused.statusCode, 422)
    assert.match(textOf(refused.body), /UTF-16/)
    const many = await browser.post(path, { list: 'a@b.example\n'.repeat(20_001) })
    assert.equal(many.statusCode, 422)
    assert.match(textOf(many.body), /20,000 lines at a time/)
    assert.deepEqual(await waitingIn(forum, course), [])
  })

  test('change their roles and go; the last instructor stays, with what to do', async () => {
    const { course, person, browser, path } = await anInstructor()
    const learner = await aMember(forum.db, course)
    const unsure = await aMember(forum.db, course, 'learner', await aPerson(forum.db, { isConfirmed: false }))
    for (const act of ['role', 'removal']) {
      const refused = await browser.post(`${path}/${person.id}/${act}`, { role: 'learner' })
      assert.equal(refused.statusCode, 422)
      assert.match(textOf(refused.body), /A course needs an instructor.*Select all/, 'above the list')
      assert.match(refused.body, new RegExp(`href="#role-${person.id}"`))
    }
    const removable = async () =>
      [...(await browser.get(path)).body.matchAll(/members\/(\d+)\/removal"/g)].map(([, id]) => Number(id))
    assert.ok(!(await removable()).includes(person.id), 'the last instructor')
    assert.equal((await browser.post(`${path}/${learner.id}/role`, { role: 'instructor' })).statusCode, 303)
    assert.ok((await removable()).includes(person.id))
    const waits = await browser.post(`${path}/${unsure.id}/role`, { role: 'instructor' })
    assert.match(textOf((await browser.follow(waits)).body), /takes effect when/)
    const twice = { token: await browser.token() }
    for (const click of [1, 2])
      assert.equal(
        (await browser.post(`${path}/${unsure.id}/removal`, {}, twice)).statusCode,
        303,
        `${click}`,
      )
    assert.deepEqual(
      await waitingIn(forum, course),
      [],
      'who is removed does not come back by confirming an address',
    )
    assert.equal((await browser.post(`${path}/${unsure.id}/removal`)).statusCode, 404)
    assert.equal((await browser.post(`${path}/${person.id}/role`, { role: 'boss' })).statusCode, 422)
    assert.equal(
      (await browser.post(`${path}/${person.id}/removal`)).statusCode,
      303,
      'another one instructs it',
    )
    assert.deepEqual(await rolesIn(course), [`${learner.email} instructor`])
  })

  test('no admin takes the last instructor away either, by any form', async () => {
    const { course, person, path } = await anInstructor()
    const admin = await signedIn(forum.app, await aPerson(forum.db, { isAdmin: true }))
    for (const [to, fields] of [
      [`${path}/${person.id}/role`, { role: 'assistant' }],
      [`${path}/${person.id}/removal`, {}],
      [path, { email: person.email, role: 'learner' }],
      [path, { list: `${person.email},assistant` }],
    ] as const)
      assert.equal((await admin.post(to, fields)).statusCode, 422, to)
    assert.deepEqual(await rolesIn(course), [`${person.email} instructor`])
  })

  test('two last instructors who remove each other at once leave one', async () => {
    const { course, person, browser, path } = await anInstructor()
    const other = await aMember(forum.db, course, 'instructor')
    const theirs = await signedIn(forum.app, other)
    const tokens = [await browser.token(), await theirs.token()]
    await Promise.all([
      browser.post(`${path}/${person.id}/removal`, {}, { token: tokens[0] ?? '' }),
      theirs.post(`${path}/${other.id}/removal`, {}, { token: tokens[1] ?? '' }),
    ])
    assert.equal((await rolesIn(course)).length, 1)
  })

  async function anInvitation(fields: Record<string, string | number> = {}) {
    const { course, browser, path } = await anInstructor()
    await forum.db.updateTable('courses').set({ is_public: false }).where('id', '=', course.id).execute()
    const made = await browser.post(`/courses/${course.slug}/invitations`, { role: 'learner', ...fields })
    assert.equal(made.headers.location, `${path}?add=1#invitations`)
    const page = await browser.get(path)
    const link = /\/join\/[\w-]+/.exec(page.body)?.[0] ?? ''
    const endPath = /\/courses\/[^"]+\/invitations\/\d+\/end/.exec(page.body)?.[0] ?? ''
    return { course, browser, link, endPath }
  }

  test('join by a link with a button; opening it changes nothing, and a member takes no use of it', async () => {
    const { course, link } = await anInvitation({ uses: 1 })
    const person = await aPerson(forum.db)
    const guest = await signedIn(forum.app, person)
    const stranger = (await visitor(forum.app).get(link)).body
    assert.match(textOf(stranger), /Sign in or create an account to continue/)
    for (const way of ['sign-in', 'sign-up'])
      assert.ok(stranger.includes(`href="/${way}?next=${encodeURIComponent(link)}"`), way)
    assert.match(textOf((await guest.get(link)).body), new RegExp(`Join ${course.title}`))
    assert.equal((await rolesIn(course)).length, 1)
    const joined = await guest.post(link)
    assert.equal(joined.headers.location, `/courses/${course.slug}`)
    assert.equal((await rolesIn(course)).length, 2)
    const late = await signedIn(forum.app, await aPerson(forum.db))
    const dead = await late.get(link)
    assert.equal(dead.statusCode, 410)
    assert.match(textOf(dead.body), /It has expired, was ended or has no uses left/)
    assert.doesNotMatch(dead.body, new RegExp(course.title), 'a dead link names no course')
    assert.equal((await late.post(link)).statusCode, 410)
  })

  test('who is in the course already is told so, and leaves the use to others', async () => {
    const { course, link } = await anInvitation({ uses: 1 })
    const member = await aMember(forum.db, course)
    const guest = await signedIn(forum.app, member)
    assert.match(textOf((await guest.follow(await guest.post(link))).body), /already/)
    assert.equal((await (await signedIn(forum.app, await aPerson(forum.db))).post(link)).statusCode, 303)
  })

  test('of many who take the last use at once one gets it', async () => {
    const { course, link } = await anInvitation({ uses: 1 })
    const guests = []
    for (let number = 0; number < 6; number += 1) {
      const browser = await signedIn(forum.app, await aPerson(forum.db))
      guests.push({ browser, token: await browser.token() })
    }
    const answers = await Promise.all(guests.map(({ browser, token }) => browser.post(link, {}, { token })))
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [303, 410, 410, 410, 410, 410])
    assert.equal((await rolesIn(course)).length, 2)
  })

  test('who takes the last use twice at once is in the course, and told so both times', async () => {
    const { course, link, endPath, browser } = await anInvitation({ uses: 1 })
    const guest = await signedIn(forum.app, await aPerson(forum.db))
    const tokens = [await guest.token(), await guest.token()]
    const answers = await Promise.all(tokens.map((token) => guest.post(link, {}, { token })))
    for (const answer of [...answers, await guest.post(link)])
      assert.equal(answer.headers.location, `/courses/${course.slug}`)
    assert.equal((await rolesIn(course)).length, 2)
    await browser.post(endPath)
    assert.equal((await guest.post(link)).statusCode, 410, 'a link that is ended is nobody’s')
    const back = await guest.get(link)
    assert.equal(back.headers.location, `/courses/${course.slug}`, 'who joined by it finds the course by it')
    assert.match(textOf((await guest.follow(back)).body), /already/)
    const other = await signedIn(forum.app, await aPerson(forum.db))
    assert.equal((await other.get(link)).statusCode, 410)
  })

  test('a learner joins by a link at once, also with an unconfirmed address', async () => {
    const { course, link } = await anInvitation()
    const person = await aPerson(forum.db, { isConfirmed: false })
    const guest = await signedIn(forum.app, person)
    const joined = await guest.post(link)
    assert.equal(joined.headers.location, `/courses/${course.slug}`)
    assert.match(textOf((await guest.follow(joined)).body), /You joined the course/)
    assert.ok((await rolesIn(course)).includes(`${person.email} learner`))
    assert.deepEqual(await waitingIn(forum, course), [])
  })

  test('a higher role by a link waits for an unconfirmed address; its owner is a learner until then', async () => {
    const { course, link } = await anInvitation({ role: 'assistant', uses: 2 })
    const person = await aPerson(forum.db, { isConfirmed: false })
    const guest = await signedIn(forum.app, person)
    for (let time = 0; time < 2; time += 1) {
      const joined = await guest.post(link)
      assert.equal(joined.headers.location, `/courses/${course.slug}`)
      assert.match(textOf((await guest.follow(joined)).body), /You joined as a learner/)
    }
    assert.ok((await rolesIn(course)).includes(`${person.email} learner`))
    assert.deepEqual(await waitingIn(forum, course), [`${person.email} assistant`])
    const { used } = await forum.db
      .selectFrom('invitations')
      .select('used')
      .where('course_id', '=', course.id)
      .executeTakeFirstOrThrow()
    assert.equal(used, 1)
  })

  test('a link lowers no role that waits for an address', async () => {
    for (const role of ['learner', 'assistant']) {
      const { browser, course, link } = await anInvitation({ role, uses: 2 })
      const person = await aPerson(forum.db, { isConfirmed: false })
      await browser.post(`/courses/${course.slug}/members`, { email: person.email, role: 'instructor' })
      const guest = await signedIn(forum.app, person)
      assert.equal((await guest.post(link)).headers.location, `/courses/${course.slug}`)
      assert.ok((await rolesIn(course)).includes(`${person.email} learner`))
      assert.deepEqual(await waitingIn(forum, course), [`${person.email} instructor`])
    }
  })

  test('a link that is ended, over, or not there answers alike', async () => {
    const { browser, course, link, endPath } = await anInvitation()
    const guest = await signedIn(forum.app, await aPerson(forum.db))
    assert.equal((await browser.post(endPath)).statusCode, 303)
    assert.equal((await guest.get(link)).statusCode, 410)
    assert.equal((await guest.post('/join/never-was')).statusCode, 410)
    const other = await anInvitation()
    await forum.db
      .updateTable('invitations')
      .set({ until: new Date(Date.now() - 1000) })
      .where('course_id', '=', other.course.id)
      .execute()
    assert.equal((await guest.post(other.link)).statusCode, 410)
    for (const fields of [
      { until: '2020-01-01' },
      { until: '2026-02-31' },
      { until: 'x' },
      { uses: '0' },
      { role: 'boss' },
    ]) {
      const refused = await browser.post(`/courses/${course.slug}/invitations`, {
        role: 'learner',
        ...fields,
      })
      assert.equal(refused.statusCode, 422, JSON.stringify(fields))
    }
  })

  test('stand with what they wrote there: also privately or without their name, nothing deleted', async () => {
    const { course, person, browser, path } = await anInstructor()
    const writer = await aMember(forum.db, course, 'learner')
    const elsewhere = await aQuestion(forum.db, { author: writer })
    await anAnswer(forum.db, { question: elsewhere, author: person })
    const question = await aQuestion(forum.db, { course, author: writer })
    await aQuestion(forum.db, { course, author: writer, audience: 'staff' })
    const deleted = await aQuestion(forum.db, { course, author: writer })
    for (let number = 0; number < 3; number += 1) await anAnswer(forum.db, { question, author: person })
    await anAnswer(forum.db, { question, author: writer, isAnonymous: true })
    const gone = await anAnswer(forum.db, { question, author: writer })
    await within(forum.db, deleteQuestion, deleted.id)
    await within(forum.db, deleteAnswer, question.id, gone.id)
    await forum.db
      .insertInto('pending_roles')
      .values({ course_id: course.id, email: 'waits@numbers.example', role: 'learner' })
      .execute()
    const { rows } = await sql<{ id: number; asked: number; answered: number }>`
      select id,
        (select count(*) from questions where author_id = person.id and course_id = ${course.id} and deleted_at is null) as asked,
        (select count(*) from answers where author_id = person.id and deleted_at is null
          and question_id in (select id from questions where course_id = ${course.id})) as answered
      from people as person where id in (${writer.id}, ${person.id}) order by id desc`.execute(forum.db)
    assert.deepEqual(
      rows.map(({ asked, answered }) => [asked, answered]),
      [
        [2, 1],
        [0, 3],
      ],
    )
    const { body } = await browser.get(path)
    const numbers = [...body.matchAll(/<td class="num"[^>]*>([^<]*)</g)].map(([, number]) => Number(number))
    assert.deepEqual(
      numbers,
      rows.flatMap(({ asked, answered }) => [asked, answered]),
    )
    const tabs = (html: string) => /<nav class="tabs under-line"[\s\S]*?<\/nav>/.exec(html)?.[0] ?? ''
    assert.equal(textOf(tabs(body)), 'Everyone 2 Learners 1 Staff 1 Invited 1')
    const found = await browser.get(`${path}?q=nobody`)
    assert.equal(
      textOf(tabs(found.body)),
      'Everyone Learners Staff Invited',
      'no numbers of what is not shown',
    )
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
