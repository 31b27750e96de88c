import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { takePendingRoles } from '../../kernel/rights/pending-roles.ts'
import { refuses } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { aMember, aPerson } from '../../testing/builders.ts'
import { postTable } from '../../testing/multipart.ts'
import { elementIn, textOf, valueIn } from '../../testing/page.ts'
import { rowsOf } from '../../testing/rows.ts'
import { askedRolesGiving } from './asked-roles.ts'
import { memberAdding, membersAdding } from './operations.ts'
import { membersRemoval, waitingRolesRemoval } from './selection.ts'
import { anInstructorOf, forumOfMembers, rolesIn, waitingIn } from './testing.ts'

/** What the boxes of the page would send. */
const boxesIn = (body: string) =>
  [...body.matchAll(/name="person" value="([^"]*)"/g)].map(([, value = '']) => value)

suite('roles above learner in a list', () => {
  const forum = forumOfMembers()

  const askedIn = async ({ id }: { readonly id: number }) =>
    (await rowsOf(forum.db, 'asked_roles', { course_id: id })).map(
      ({ email, role, name }) => `${email} ${role} ${name}`,
    )
  test('wait for a yes, which counts by role; learners are added at once', async () => {
    const { course, person, browser, path } = await anInstructorOf(forum)
    const known = await aMember(forum.db, course)
    const table = [
      'Name,Email Address,Role',
      'Ann Lee,ann@asked.example,Student',
      'Mallory,mallory@asked.example,Teacher',
      `Kim,${known.email},TA`,
      'Jo,jo@asked.example,TA',
      'Bo,no-address,TA',
    ]
    // As a spreadsheet writes it.
    const file = Buffer.from(`\uFEFF${table.join('\r\n')}`, 'utf16le')
    const said = await postTable(browser, path, file, { list: '', mail: '1' })
    assert.equal(said.statusCode, 422)
    assert.match(textOf(said.body), /1 invited: 1 learner\. .*3 roles not given/)
    assert.match(textOf(said.body), /Line 6: Bo,no-address,TA isn’t an email address/)
    assert.equal(valueIn(said.body, 'list')?.split('\n').at(-1), 'Bo,no-address,TA')
    const panel = textOf(elementIn(said.body, 'asked'))
    assert.match(panel, /Mallory · mallory@asked\.example: Instructor/)
    assert.match(panel, new RegExp(`${known.email}: Learner → Assistant`))
    const roles = async () => [...(await rolesIn(forum, course)), ...(await waitingIn(forum, course))]
    const learners = [`${known.id} learner`, 'ann@asked.example learner']
    assert.deepEqual(await roles(), [`${person.id} instructor`, ...learners])

    // The page is closed: the form says so, and leads there.
    const page = await browser.get(path)
    assert.match(page.body, /<a [^>]*href="[^"]*\?show=invited#asked">3 roles not given<\/a>/)
    assert.doesNotMatch(page.body, /name="person" value="mallory/)
    const mallory = 'mallory@asked.example instructor'
    const yes = [`${known.email} assistant`, 'jo@asked.example assistant']
    const boxes = boxesIn((await browser.get(`${path}?show=invited`)).body)
    assert.deepEqual(boxes.toSorted(), [mallory, ...yes].toSorted())
    const given = await browser.post(`${path}/roles`, { person: yes, mail: '1' })
    assert.equal(given.headers.location, `${path}?show=invited`)
    const after = textOf((await browser.follow(given)).body)
    assert.match(after, /1 added: 1 assistant\. ?1 invited: 1 assistant\..*1 role not given/)
    assert.match(after, /Jo jo@asked\.example/, 'a name from the list is shown beside the address')
    assert.deepEqual(await roles(), [
      ...[`${person.id} instructor`, `${known.id} assistant`],
      ...['ann@asked.example learner', 'jo@asked.example assistant'],
    ])
    const mails = (await rowsOf(forum.db, 'mails', { kind: 'invitation' })).flatMap(({ recipient }) =>
      recipient.endsWith('@asked.example') ? [recipient] : [],
    )
    assert.deepEqual(mails, ['ann@asked.example', 'jo@asked.example'])
    const dismissed = await browser.post(`${path}/roles`, { person: mallory, act: 'dismissal' })
    const last = await browser.follow(dismissed)
    assert.match(textOf(last.body), /Roles dismissed/)
    assert.doesNotMatch(last.body, /not given|mallory/)
  })

  test('are given as they were shown: what was answered meanwhile, or nobody asked, is refused', async () => {
    const { course, by, does, browser, path } = await anInstructorOf(forum)
    await does(membersAdding, { list: 'a@late.example,assistant\nb@late.example,instructor' })
    const [late, none] = ['person: members.roles.late', 'person: members.selection.none']
    await refuses(forum, askedRolesGiving, by, [
      [{ person: 'a@late.example instructor' }, late],
      [{ person: 'c@late.example assistant' }, late],
      [{ person: 'a@late.example learner' }, late],
      [{ person: 'a@late.example boss' }, none],
      [{ person: '' }, none],
    ])
    const refused = await browser.post(`${path}/roles`, { person: '' })
    assert.equal(refused.statusCode, 422)
    assert.match(textOf(refused.body), /Select at least one person/)
    assert.match(refused.body, /href="#asked"/)
    assert.equal(boxesIn(refused.body).length, 2)
    assert.deepEqual(await waitingIn(forum, course), [])
    // By hand it is one press, also of an address with what a spreadsheet leaves around it, and a later list decides anew.
    await does(memberAdding, { email: '\u200Ba@late.example\u200B', role: 'assistant' })
    await does(membersAdding, { list: 'b@late.example,learner' })
    assert.deepEqual(await askedIn(course), [])
    assert.deepEqual(await waitingIn(forum, course), ['a@late.example assistant', 'b@late.example learner'])
    await does(membersAdding, { list: 'Bo <b@late.example>, TA' })
    await does(membersAdding, { list: 'b@late.example' })
    assert.deepEqual(await askedIn(course), ['b@late.example assistant Bo'], 'no role takes none back')
    const assistant = await signedIn(forum.app, await aMember(forum.db, course, 'assistant'))
    assert.doesNotMatch((await assistant.get(`${path}?show=invited`)).body, /not given/)
  })

  test('go with who is taken out of the course', async () => {
    const { course, does } = await anInstructorOf(forum)
    const known = await aMember(forum.db, course)
    await does(membersAdding, { list: `${known.email},assistant\nwaits@goes.example,learner` })
    await does(membersAdding, { list: 'waits@goes.example,instructor' })
    assert.equal((await askedIn(course)).length, 2)
    await does(membersRemoval, { person: `${known.id}` })
    await does(waitingRolesRemoval, { email: 'waits@goes.example' })
    assert.deepEqual(await askedIn(course), [])
  })

  test('of two columns of addresses the form asks which, and keeps the list', async () => {
    const { course, browser, path } = await anInstructorOf(forum)
    const table =
      'Namn;Elevens post;Mammas post\nMina;m@two.example;p@two.example\nJun;j@two.example;q@two.example'
    const asked = await postTable(browser, path, Buffer.from(table))
    assert.equal(asked.statusCode, 422)
    assert.match(textOf(asked.body), /Several columns hold email addresses\. Choose one\./)
    assert.match(asked.body, /<option value="2"[^>]*>\s*3\. Mammas post \(p@two\.example\)\s*<\/option>/)
    const list = valueIn(asked.body, 'list') ?? ''
    assert.equal(list, table)
    assert.deepEqual(await waitingIn(forum, course), [])
    await browser.post(path, { list, column: '2', table: '1' })
    assert.deepEqual(await waitingIn(forum, course), ['p@two.example learner', 'q@two.example learner'])
  })

  test('a quote that never closes refuses the whole list, which stays in the form', async () => {
    const { course, browser, path } = await anInstructorOf(forum)
    const list =
      'email,role\nmina@open.example,learner\n"jun@open.example,learner\nmallory@open.example,instructor'
    const refused = await browser.post(path, { list })
    assert.equal(refused.statusCode, 422)
    assert.match(textOf(refused.body), /A quote opens on line 3 and never closes/)
    assert.equal(valueIn(refused.body, 'list'), list)
    assert.deepEqual([await waitingIn(forum, course), await askedIn(course)], [[], []])
  })

  test('a name goes with the role: who confirms the address is called as they say', async () => {
    const { does, browser, path } = await anInstructorOf(forum)
    await does(membersAdding, { list: 'Zyx Listed <soon@name.example>' })
    assert.match((await browser.get(`${path}?show=invited&q=zyx`)).body, /soon@name\.example/)
    const person = await aPerson(forum.db, { email: 'soon@name.example', isConfirmed: false })
    await forum.db.transaction().execute((write) => takePendingRoles(write, person.id, person.email))
    for (const at of [path, `${path}?show=invited`, `${path}.csv`])
      assert.doesNotMatch((await browser.get(at)).body, /Zyx Listed/)
  })
})
