import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { answerEndorsement } from '../../forum/answers/endorsement.ts'
import { redactEntry } from '../../forum/audit/entries.ts'
import { actText } from '../../forum/audit/routes.ts'
import { courseRulesChange } from '../../forum/policies/policy.ts'
import { REMOVALS } from '../../forum/posts/removal.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { signInLinkMaking } from '../../operating/admin/operations.ts'
import { act, refusalOf } from '../../testing/act.ts'
import { type Browser, signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { rowOf, rowsOf, setRows } from '../../testing/rows.ts'
import { EVENTS, type EventName } from './kinds.ts'
import { auditEntryOf, recordAudit, sweepAudit } from './note.ts'

/** Fields whose values have texts of their own. */
const WORDS: Readonly<Record<string, string>> = { kind: 'answer', ground: 'asked', heldFor: 'all' }

suite('the audit log', () => {
  const forum = sharedForum()
  const entries = () => rowsOf(forum.db, 'audit', {})
  const lastEntry = async () => (await entries()).at(-1) ?? assert.fail('no entry')

  test('has words for its events, and never an address, a name or a text', () => {
    const names = Object.keys(EVENTS) as EventName[]
    const words = translatorOf('en')
    for (const name of names.filter((name) => EVENTS[name].audited !== null)) {
      assert.ok(actText(words, name))
      const numbers = EVENTS[name].fields.map((field) => [field, WORDS[field] ?? 1])
      const detail = auditEntryOf(name, { personId: 7, ...Object.fromEntries(numbers) })?.detail ?? {}
      for (const field of Object.keys(detail)) assert.ok(words(`audit.detail.${field}`), name)
    }
    for (const name of names) {
      const fields = EVENTS[name].fields.map((field) => [field, 'Mina <mina@school.example>'])
      const entry = auditEntryOf(name, { personId: 7, ...Object.fromEntries(fields) })
      assert.doesNotMatch(JSON.stringify(entry), /mina/i, name)
    }
  })

  test('stores the role in which somebody acted, which a later role does not change', async () => {
    const course = await aCourse(forum.db)
    const answer = await anAnswer(forum.db, { question: await aQuestion(forum.db, { course }) })
    const staff = await aMember(forum.db, course, 'assistant')
    await act(forum, answerEndorsement, { actor: staff, key: answer.id, input: { value: true } })
    const { act: done, actor_id, role, course_id, subject_kind, subject_id } = await lastEntry()
    assert.deepEqual([done, actor_id, role, course_id], ['staff-decided', staff.id, 'assistant', course.id])
    assert.deepEqual([subject_kind, subject_id], ['answer', answer.id])
    await setRows(forum.db, 'course_members', { person_id: staff.id }, { role: 'learner' })
    assert.equal((await lastEntry()).role, 'assistant')
  })

  test('is written with the act or not at all', async () => {
    const { id: key } = await anAnswer(forum.db)
    const actor = await aPerson(forum.db, { isAdmin: true })
    const before = (await entries()).length
    // The entry cannot be written: nothing of the act stays.
    await sql`alter table audit add constraint nothing_new check (id < 0) not valid`.execute(forum.db)
    await assert.rejects(act(forum, REMOVALS.answers.deletion, { actor, key }), /nothing_new/)
    await sql`alter table audit drop constraint nothing_new`.execute(forum.db)
    assert.equal((await rowOf(forum.db, 'answers', key)).deleted_at, null)
    await act(forum, REMOVALS.answers.deletion, { actor, key })
    assert.equal((await entries()).length, before + 1)
    assert.equal((await lastEntry()).act, 'post-deleted')
  })

  test('has nothing of what people do with their own posts', async () => {
    const { id: key, authorId } = await anAnswer(forum.db)
    const before = (await entries()).length
    await act(forum, REMOVALS.answers.deletion, { actor: { id: authorId }, key })
    assert.equal((await entries()).length, before)
  })

  test('refuses changes, and is shortened by age and emptied by functions alone', async () => {
    const { db } = forum
    const person = await aPerson(db)
    await recordAudit(db, [auditEntryOf('site-settings-changed', { personId: person.id }) ?? assert.fail()])
    const { id } = await lastEntry()
    for (const change of [
      sql`update audit set act = 'sign-in' where id = ${id}`,
      sql`delete from audit where id = ${id}`,
      sql`truncate audit`,
    ])
      await assert.rejects(change.execute(db), /append-only/)
    const count = (await entries()).length
    const setUp = { act: 'set-up', role: 'admin' } as const
    for (const months of [25, 23])
      await db
        .insertInto('audit')
        .values({ ...setUp, happened_at: monthsAgo(months) })
        .execute()
    assert.equal(await sweepAudit(db), 1)
    await db.insertInto('site_settings').values({ audit_months: 1 }).execute()
    assert.equal(await sweepAudit(db), 1)
    assert.equal((await entries()).length, count)
    const { rows } = await sql<{ n: number }>`select prune_audit(interval '0') as n`.execute(db)
    assert.equal(rows[0]?.n, 0, 'never the last 30 days')
    await assert.rejects(sql`delete from audit where id = ${id}`.execute(db), /append-only/)
  })

  test('is emptied of what an entry is about by an admin, which is an entry', async () => {
    const { db } = forum
    const person = await aPerson(db)
    const actor = await aPerson(db, { isAdmin: true })
    await act(forum, signInLinkMaking, { actor, key: person.id })
    const { id, subject_id } = await lastEntry()
    assert.equal(subject_id, person.id)
    const redaction = { actor, key: null, input: { entry: String(id) } }
    await act(forum, redactEntry, redaction)
    const row = await rowOf(db, 'audit', id)
    assert.deepEqual([row.subject_id, row.act], [null, 'sign-in-link-made'])
    assert.ok(row.redacted_at !== null)
    assert.deepEqual([(await lastEntry()).act, (await lastEntry()).subject_id], ['audit-redacted', id])
    assert.equal(await refusalOf(forum, redactEntry, redaction), 'notFound')
  })

  test('shows a course’s instructors what staff did there, by act, actor, subject and day', async () => {
    const { db, app } = forum
    const [course, other] = [await aCourse(db), await aCourse(db)]
    const instructor = await aMember(db, course, 'instructor')
    const learner = await aMember(db, course)
    const browser = await signedIn(app, instructor)
    await browser.post(`/courses/${course.slug}/members/${learner.id}/role`, { role: 'assistant' })
    await browser.post(`/courses/${course.slug}/settings/rules`, { body: 'Be kind.' })
    const actor = await aMember(db, other, 'instructor')
    await act(forum, courseRulesChange, { actor, key: other.slug, input: { body: 'Be kinder.', version: 0 } })

    const path = `/courses/${course.slug}/audit`
    const listed = async (query: string) => rowsIn(browser, `${path}${query}`)
    const today = new Date().toISOString().slice(0, 10)
    for (const [query, expected] of [
      ['', 2],
      [`?actor=${instructor.id}`, 2],
      [`?actor=${learner.id}`, 0],
      [`?subject=person ${learner.id}`, 1],
      ['?subject=nobody%20at%20all', 0],
      [`?from=${today}&to=${today}`, 2],
      ['?to=2020-01-01', 0],
      // What is no day or act is ignored.
      ['?from=2020-02-31&act=none&after=x', 2],
    ] as const)
      assert.equal((await listed(query)).length, expected, query)
    assert.ok((await listed(`?subject=${learner.id}`)).length >= 1)
    const [changed = ''] = await listed('?act=member-role-changed')
    assert.match(changed, /Instructor.*Role changed.*Role: Assistant/s)
    const adminOf = await aPerson(db, { isAdmin: true })
    const admin = await signedIn(app, adminOf)
    assert.ok((await rowsIn(admin, '/audit?act=policy-changed')).length >= 2)
    await admin.post(`/courses/${course.slug}/members/${learner.id}/role`, { role: 'learner' })
    assert.equal((await listed(`?actor=${adminOf.id}`)).length, 1)
    assert.equal((await listed(`?actor=${adminOf.email}`)).length, 0, 'the address of no member is told')
    assert.equal((await listed(`?actor=${instructor.email}`)).length, 2)
    assert.equal((await rowsIn(admin, `/audit?actor=${adminOf.email}`)).length, 1)
  })

  test('is a file in which a name is no formula', async () => {
    const { db, app } = forum
    const course = await aCourse(db)
    const evil = await aMember(db, course, 'instructor', await aPerson(db, { displayName: '=1+1' }))
    const browser = await signedIn(app, evil)
    await browser.post(`/courses/${course.slug}/settings/rules`, { body: 'Be kind.' })
    for (const days of ['from=0000-01-01', 'to=9999-12-31', 'from=2026-02-30'])
      assert.equal((await browser.get(`/courses/${course.slug}/audit?${days}`)).statusCode, 200, days)
    const file = await browser.get(`/courses/${course.slug}/audit.csv`)
    assert.match(String(file.headers['content-type']), /^text\/csv/)
    const [head, line = ''] = file.body.split('\r\n')
    assert.equal(head, '\uFEFFtime,actor,actor_name,role,act,course,subject,subject_id,details')
    assert.match(line, new RegExp(`,${evil.id},'=1\\+1,instructor,policy-changed,${course.slug},`))
  })

  test('tells only oneself of one’s sign-ins', async () => {
    const { db, app } = forum
    const person = await aPerson(db)
    const browser = await signedIn(app, person)
    await browser.post('/settings/sessions/delete-others')
    const own = await browser.get('/settings/security')
    assert.match(own.body, /Other devices signed out/)
    const other = await signedIn(app, await aPerson(db, { isAdmin: true }))
    assert.doesNotMatch((await other.get('/settings/security')).body, /Other devices signed out/)
    assert.equal((await rowsIn(other, `/audit?actor=${person.id}`)).length, 0)
    const data = await browser.get('/settings/account/data')
    assert.match(data.body, /other-sessions-ended/)
  })
})

const monthsAgo = (months: number) => new Date(Date.now() - months * 30.5 * 86_400_000)

/** The rows of an audit page's table, as HTML. */
async function rowsIn(browser: Browser, path: string): Promise<string[]> {
  const page = await browser.get(encodeURI(path))
  assert.equal(page.statusCode, 200, path)
  return (
    page.body
      .split('<tbody>')[1]
      ?.split('</tbody>')[0]
      ?.match(/<tr>.*?<\/tr>/gs) ?? []
  )
}
