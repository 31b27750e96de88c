import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { INVITATION_MAILS } from '../../kernel/limits.ts'
import { takePendingRoles } from '../../kernel/rights/pending-roles.ts'
import { markSent, sweepMails } from '../../mail/outbox.ts'
import { testApp } from '../../testing/app.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aPerson, type MadeCourse } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { anInstructorOf } from './testing.ts'

suite('mails to people who were added to a course', () => {
  const forum = sharedForum()

  const anInstructor = (course?: MadeCourse) => anInstructorOf(forum, course)

  const mailsTo = (part: string) =>
    forum.db
      .selectFrom('mails')
      .selectAll()
      .where('kind', '=', 'invitation')
      .where('recipient', 'like', part)
      .orderBy('recipient')
      .execute()

  test('who has no account is told once of a course and the role in it', async () => {
    const { course, browser, path } = await anInstructor()
    const known = await aPerson(forum.db)
    const unsure = await aPerson(forum.db, { isConfirmed: false })
    const added = await browser.post(path, { email: 'new@one.example', role: 'assistant', mail: '1' })
    assert.match(
      textOf((await browser.follow(added)).body),
      /Not emailed to \S+ yet: this forum has no mail server/,
    )
    for (const email of [known.email, unsure.email, 'new@one.example'])
      await browser.post(path, { email, role: 'learner', mail: '1' })
    assert.deepEqual(await mailsTo(known.email), [])
    assert.deepEqual(
      await mailsTo(unsure.email),
      [],
      'who signed up has a mail to confirm the address already',
    )
    const [mail, ...more] = await mailsTo('%@one.example')
    assert.ok(mail !== undefined)
    assert.equal(more.length, 0)
    assert.equal(mail.subject, `Invitation to ${course.title}`)
    assert.match(mail.text, /as an assistant/)
    assert.match(mail.text, /Sign up:\nhttp[^\s?]+\/sign-up\n/)
    assert.doesNotMatch(mail.html, /<img|\?/, 'nothing tells who opened it')
    assert.deepEqual([mail.is_bulk, mail.person_id], [true, null])

    // Neither removing them first nor a list gets them a second one; another course does.
    await browser.post(`/courses/${course.slug}/waiting/removal`, { email: 'new@one.example' })
    await browser.post(path, { list: 'new@one.example\nother@one.example', mail: '1' })
    assert.deepEqual(
      (await mailsTo('%@one.example')).map(({ recipient }) => recipient),
      ['new@one.example', 'other@one.example'],
    )
    const elsewhere = await anInstructor()
    await elsewhere.browser.post(elsewhere.path, { email: 'new@one.example', role: 'learner', mail: '1' })
    assert.equal((await mailsTo('new@one.example')).length, 2)
  })

  test('without a mail server the boxes, the report and the messages say that invitations wait', async (t) => {
    const { course, person, browser, path } = await anInstructor()
    const sending = await signedIn(await testApp(t, forum.db, { smtpUrl: 'smtp://mail.example' }), person)
    const notes = (body: string) => body.match(/invitations wait until an admin/g)?.length ?? 0
    const list = (name: string) => ({ list: `${name}@seven.example\nis-no-address`, mail: '1' })
    const kept = await browser.post(path, list('kept'))
    assert.match(textOf(kept.body), /One invitation email waits for a mail server/)
    assert.equal(notes(kept.body), 2)
    const invited = `${path}?show=invited`
    assert.equal(notes((await browser.get(invited)).body), 3)

    const sent = await sending.post(path, list('sent'))
    assert.match(textOf(sent.body), /One invitation email was sent/)
    const at = `/courses/${course.slug}/waiting/selection`
    await browser.post(path, { list: 'later@seven.example' })
    const told = await sending.post(at, { email: 'later@seven.example', act: 'invitation' })
    assert.match(textOf((await sending.follow(told)).body), /Invitations emailed/)
    assert.equal(notes((await sending.get(invited)).body), 0)
  })

  test('who confirms the address is in the course, and the mail is theirs', async () => {
    const { course, browser, path } = await anInstructor()
    await browser.post(path, { email: 'soon@six.example', role: 'assistant', mail: '1' })
    const person = await aPerson(forum.db)
    await forum.db.transaction().execute((write) => takePendingRoles(write, person.id, 'soon@six.example'))
    assert.deepEqual(
      (await mailsTo('soon@six.example')).map(({ person_id }) => person_id),
      [person.id],
    )
    const role = forum.db.selectFrom('course_members').select('role').where('course_id', '=', course.id)
    assert.deepEqual(await role.where('person_id', '=', person.id).execute(), [{ role: 'assistant' }])
  })

  test('nobody is told without the box, which is ticked at first and stays as it was left', async () => {
    const { browser, path } = await anInstructor()
    assert.equal((await browser.get(path)).body.match(/name="mail" value="1" checked/g)?.length, 2)
    await browser.post(path, { email: 'quiet@two.example', role: 'learner' })
    await browser.post(path, { list: 'still@two.example' })
    assert.deepEqual(await mailsTo('%@two.example'), [])
    const refused = await browser.post(path, { email: 'nobody', role: 'learner' })
    assert.equal(refused.body.match(/name="mail" value="1" checked/g)?.length, 1)
  })

  test('a list is told in the course’s language, and the report says how many are', async () => {
    const { browser, path } = await anInstructor(await aCourse(forum.db, { language: 'ko' }))
    const lines = Array.from(
      { length: 1200 },
      (_, at) => `p${at}@three.example,${at % 3 === 0 ? 'assistant' : 'learner'}`,
    )
    const report = await browser.post(path, { list: lines.join('\n'), mail: '1' })
    assert.match(textOf(report.body), /800 invitation emails wait for a mail server/)
    const person = Array.from({ length: 200 }, (_, at) => `p${at * 3}@three.example assistant`)
    await browser.post(`${path}/roles`, { person, mail: '1' })
    const mails = await mailsTo('%@three.example')
    assert.equal(mails.length, 1000)
    assert.ok(mails.every(({ language, text }) => language === 'ko' && /강의에 (조교|수강생)/.test(text)))
    assert.equal(mails.filter(({ text }) => text.includes('조교')).length, 200)
    const again = await browser.post(path, { list: lines.join('\n'), mail: '1' })
    assert.doesNotMatch(textOf(again.body), /invitation email/)
  })

  test('greets by the name that a list has, and others without one', async () => {
    const { browser, path } = await anInstructor()
    const list =
      'name,email\n"Park, Mina <3",mina@eight.example\n"O\'Neil, Jun",jun@eight.example\n,bare@eight.example'
    await browser.post(path, { list, mail: '1' })
    const [bare, jun, mina] = await mailsTo('%@eight.example')
    assert.match(jun?.text ?? '', /^Hello Jun O'Neil,\n\nYou were added/)
    assert.match(jun?.html ?? '', />Hello Jun O&#39;Neil,</)
    for (const mail of [bare, mina]) assert.match(mail?.text ?? '', /^You were added/)
  })

  test('no more than a day’s, few on somebody’s first day; they are added all the same', async () => {
    const { course, person, browser, path } = await anInstructor()
    await forum.db
      .updateTable('people')
      .set({ new_until: sql<Date>`now() + interval '1 hour'` })
      .where('id', '=', person.id)
      .execute()
    const lines = Array.from({ length: INVITATION_MAILS.newcomer + 20 }, (_, at) => `p${at}@four.example`)
    await browser.post(path, { list: lines.slice(0, 60).join('\n'), mail: '1' })
    const report = await browser.post(path, { list: lines.join('\n'), mail: '1' })
    assert.match(textOf(report.body), /60 invited: 60 learners\. 60 unchanged\..* 40 invitation emails/)
    assert.equal((await mailsTo('%@four.example')).length, INVITATION_MAILS.newcomer)
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from pending_roles where course_id = ${course.id}`.execute(forum.db)
    assert.equal(rows[0]?.count, lines.length)
  })

  test('where such mail came back none goes again, and it goes after all others', async () => {
    const { browser, path } = await anInstructor()
    await browser.post(path, { email: 'gone@five.example', role: 'learner', mail: '1' })
    const [mail] = await mailsTo('gone@five.example')
    assert.ok(mail !== undefined)
    await markSent(forum.db, [mail.id])
    const [sent] = await mailsTo('gone@five.example')
    assert.deepEqual([sent?.text, sent?.sent_at === null], ['', false], 'it is known after it was sent')
    await forum.db.updateTable('mails').set({ bounced_at: new Date() }).where('id', '=', mail.id).execute()
    const elsewhere = await anInstructor()
    await elsewhere.browser.post(elsewhere.path, { email: 'gone@five.example', role: 'learner', mail: '1' })
    assert.equal((await mailsTo('gone@five.example')).length, 1)
    await forum.db
      .updateTable('mails')
      .set({ written_at: new Date(0) })
      .where('id', '=', mail.id)
      .execute()
    await sweepMails(forum.db)
    assert.deepEqual(await mailsTo('gone@five.example'), [])

    await browser.post(path, { email: 'later@five.example', role: 'learner', mail: '1' })
    const [later] = await mailsTo('later@five.example')
    const job = forum.db.selectFrom('jobs').select('priority').where('kind', '=', 'mail')
    assert.deepEqual(await job.where('key', '=', String(later?.id)).execute(), [{ priority: 2 }])
  })
})
