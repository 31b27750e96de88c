import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { INVITATION_MAILS } from '../../kernel/limits.ts'
import { takePendingRoles } from '../../kernel/rights/pending-roles.ts'
import { markSent, sweepMails } from '../../mail/outbox.ts'
import { testApp } from '../../testing/app.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aPerson } from '../../testing/builders.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { askedRolesGiving } from './asked-roles.ts'
import { memberAdding, membersAdding } from './operations.ts'
import { waitingRolesRemoval } from './selection.ts'
import { anInstructorOf, forumOfMembers, rolesIn, waitingIn } from './testing.ts'

suite('mails to people who were added to a course', () => {
  const forum = forumOfMembers()

  /** To those whose addresses end so, by address. */
  const mailsTo = (end: string) =>
    forum.db
      .selectFrom('mails')
      .selectAll()
      .where('kind', '=', 'invitation')
      .where('recipient', 'like', `%${end}`)
      .orderBy('recipient')
      .execute()

  test('who has no account is told once of a course and the role in it', async () => {
    const { course, does } = await anInstructorOf(forum)
    const known = await aPerson(forum.db)
    const unsure = await aPerson(forum.db, { isConfirmed: false })
    const mail = '1'
    await does(memberAdding, { email: 'new@one.example', role: 'assistant', mail })
    for (const email of [known.email, unsure.email, 'new@one.example'])
      assert.equal((await does(memberAdding, { email, role: 'learner', mail })).added.mailed, 0, email)
    const [sent, ...more] = await mailsTo('@one.example')
    assert.deepEqual(more, [])
    assert.equal(sent?.subject, `Invitation to ${course.title}`)
    assert.match(sent.text, /as an assistant/)
    assert.match(sent.text, /Sign up:\nhttp[^\s?]+\/sign-up\n/)
    assert.doesNotMatch(sent.html, /<img|\?/, 'nothing tells who opened it')
    assert.deepEqual([sent.is_bulk, sent.person_id], [true, null])

    // Neither removing them first nor a list gets them a second one; another course does.
    await does(waitingRolesRemoval, { email: 'new@one.example' })
    await does(membersAdding, { list: 'new@one.example\nother@one.example', mail })
    const told = valuesOf(await mailsTo('@one.example'), 'recipient')
    assert.deepEqual(told, ['new@one.example', 'other@one.example'])
    const elsewhere = await anInstructorOf(forum)
    await elsewhere.does(memberAdding, { email: 'new@one.example', role: 'learner', mail })
    assert.equal((await mailsTo('new@one.example')).length, 2)
  })

  test('without a mail server the boxes, the report and the messages say that invitations wait', async (t) => {
    const { course, person, does, browser, path } = await anInstructorOf(forum)
    const sending = await signedIn(await testApp(t, forum.db, { smtpUrl: 'smtp://mail.example' }), person)
    const notes = (body: string) => body.match(/invitations wait until an admin/g)?.length ?? 0
    const one = await browser.post(path, { email: 'one@seven.example', role: 'assistant', mail: '1' })
    const flash = textOf((await browser.follow(one)).body)
    assert.match(flash, /Not emailed to \S+ yet: this forum has no mail server/)
    const list = (name: string) => ({ list: `${name}@seven.example\nis-no-address`, mail: '1' })
    const kept = await browser.post(path, list('kept'))
    assert.match(textOf(kept.body), /One invitation email waits for a mail server/)
    assert.equal(notes(kept.body), 2)
    const invited = `${path}?show=invited`
    assert.equal(notes((await browser.get(invited)).body), 3)

    const sent = await sending.post(path, list('sent'))
    assert.match(textOf(sent.body), /One invitation email was sent/)
    const at = `/courses/${course.slug}/waiting/selection`
    await does(membersAdding, { list: 'later@seven.example' })
    const told = await sending.post(at, { email: 'later@seven.example', act: 'invitation' })
    assert.match(textOf((await sending.follow(told)).body), /Invitations emailed/)
    assert.equal(notes((await sending.get(invited)).body), 0)
  })

  test('who confirms the address is in the course, and the mail is theirs', async () => {
    const { course, does } = await anInstructorOf(forum)
    await does(memberAdding, { email: 'soon@six.example', role: 'assistant', mail: '1' })
    const person = await aPerson(forum.db)
    await within(forum.db, takePendingRoles, person.id, 'soon@six.example')
    assert.deepEqual(valuesOf(await mailsTo('soon@six.example'), 'person_id'), [person.id])
    assert.ok((await rolesIn(forum, course)).includes(`${person.id} assistant`))
  })

  test('nobody is told without the box, which is ticked at first and stays as it was left', async () => {
    const { does, browser, path } = await anInstructorOf(forum)
    assert.equal((await browser.get(path)).body.match(/name="mail" value="1" checked/g)?.length, 2)
    await does(memberAdding, { email: 'quiet@two.example', role: 'learner' })
    await does(membersAdding, { list: 'still@two.example' })
    assert.deepEqual(await mailsTo('@two.example'), [])
    const refused = await browser.post(path, { email: 'nobody', role: 'learner' })
    assert.equal(refused.body.match(/name="mail" value="1" checked/g)?.length, 1)
  })

  test('a list is told in the course’s language, and the report says how many are', async () => {
    const { does } = await anInstructorOf(forum, await aCourse(forum.db, { language: 'ko' }))
    const roleOf = (at: number) => (at % 3 === 0 ? 'assistant' : 'learner')
    const lines = Array.from({ length: 12 }, (_, at) => `p${at}@three.example,${roleOf(at)}`)
    const sent = { list: lines.join('\n'), mail: '1' }
    assert.equal((await does(membersAdding, sent)).added.mailed, 8)
    const person = [0, 3, 6, 9].map((at) => `p${at}@three.example assistant`)
    assert.equal((await does(askedRolesGiving, { person, mail: '1' })).added.mailed, 4)
    const mails = await mailsTo('@three.example')
    assert.equal(mails.length, 12)
    assert.ok(mails.every(({ language, text }) => language === 'ko' && /강의에 (조교|수강생)/.test(text)))
    assert.equal(mails.filter(({ text }) => text.includes('조교')).length, 4)
    assert.equal((await does(membersAdding, sent)).added.mailed, 0)
  })

  test('greets by the name that a list has, and others without one', async () => {
    const { does } = await anInstructorOf(forum)
    const people = ['"Park, Mina <3",mina@eight.example', '"O\'Neil, Jun",jun@eight.example']
    const list = ['name,email', ...people, ',bare@eight.example'].join('\n')
    await does(membersAdding, { list, mail: '1' })
    const [bare, jun, mina] = await mailsTo('@eight.example')
    assert.match(jun?.text ?? '', /^Hello Jun O'Neil,\n\nYou were added/)
    assert.match(jun?.html ?? '', />Hello Jun O&#39;Neil,</)
    for (const mail of [bare, mina]) assert.match(mail?.text ?? '', /^You were added/)
  })

  test('no more than a day’s, few on somebody’s first day; they are added all the same', async () => {
    const { course, person, does, browser, path } = await anInstructorOf(forum)
    await setRows(forum.db, 'people', person.id, { new_until: sql`now() + interval '1 hour'` })
    const lines = Array.from({ length: INVITATION_MAILS.newcomer + 20 }, (_, at) => `p${at}@four.example`)
    await does(membersAdding, { list: lines.slice(0, 60).join('\n'), mail: '1' })
    const report = await browser.post(path, { list: lines.join('\n'), mail: '1' })
    assert.match(textOf(report.body), /60 invited: 60 learners\. 60 unchanged\..* 40 invitation emails/)
    assert.equal((await mailsTo('@four.example')).length, INVITATION_MAILS.newcomer)
    assert.equal((await waitingIn(forum, course)).length, lines.length)
  })

  test('where such mail came back none goes again, and it goes after all others', async () => {
    const { does } = await anInstructorOf(forum)
    const adds = (by: typeof does, email: string) => by(memberAdding, { email, role: 'learner', mail: '1' })
    await adds(does, 'gone@five.example')
    const [mail] = await mailsTo('gone@five.example')
    const id = mail?.id ?? assert.fail('no mail')
    await markSent(forum.db, [id])
    const sent = await rowOf(forum.db, 'mails', id)
    assert.deepEqual([sent.text, sent.sent_at === null], ['', false], 'it is known after it was sent')
    await setRows(forum.db, 'mails', id, { bounced_at: new Date() })
    await adds((await anInstructorOf(forum)).does, 'gone@five.example')
    assert.equal((await mailsTo('gone@five.example')).length, 1)
    await setRows(forum.db, 'mails', id, { written_at: new Date(0) })
    await sweepMails(forum.db)
    assert.deepEqual(await mailsTo('gone@five.example'), [])

    await adds(does, 'later@five.example')
    const [later] = await mailsTo('later@five.example')
    const jobs = await rowsOf(forum.db, 'jobs', { kind: 'mail', key: String(later?.id) })
    assert.deepEqual(valuesOf(jobs, 'priority'), [2])
  })
})
