import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import { anAnswer } from '../../testing/builders.ts'
import { aText, deleteAnswer } from '../../testing/posts.ts'
import { rowOf, rowsOf, setRows } from '../../testing/rows.ts'
import { untilWaiting } from '../../testing/waiting.ts'
import { within } from '../../testing/within.ts'
import { lockQuestion } from '../posts/lock.ts'
import { writeAnswer } from '../posts/text.ts'
import { removePosts, suspend } from './acts-on-people.ts'
import { handOver } from './claims.ts'
import { measureEndingKind } from './endings.ts'
import { aReportedScene, forumOfCases } from './scene-testing.ts'
import { begun, caseOf, inWrite, measuresOf, reported } from './testing.ts'

suite('at the same time', () => {
  const forum = forumOfCases()

  async function aScene() {
    const { browsers: by, ...scene } = await aReportedScene(forum)
    return { ...scene, by }
  }

  const lockOf = (id: number) => (write: Write) =>
    sql`select from questions where id = ${id} for no key update`.execute(write)

  test('two decide: one decision counts, the other is shown it', async () => {
    const { db, subject, reporter, question, by } = await aScene()
    await reported(db, subject, reporter.id)
    const { id, version } = await caseOf(db, subject)
    const path = `/cases/${id}/decision`
    const release = await begun(db, lockOf(question.id))
    const answers = [
      by.assistant.post(path, { decision: 'uphold', version, measure: ['hide', 'warn'], note: 'Theirs' }),
      by.instructor.post(path, { decision: 'uphold', version, measure: ['delete'], note: 'Theirs' }),
    ]
    await untilWaiting(db, 2)
    await release()
    const statuses = (await Promise.all(answers)).map(({ statusCode }) => statusCode)
    assert.deepEqual(statuses.toSorted(), [303, 409])
    const kinds = (await measuresOf(db, id)).map(({ kind }) => kind)
    assert.ok(['hide,warn', 'delete'].includes(kinds.join(',')), kinds.join(','))
  })

  test('a text is edited while it is reported: the case keeps the text that its report is about', async () => {
    const { db, subject, answer, question, by } = await aScene()
    const edit = await begun(db, async (write) => {
      await lockOf(question.id)(write)
      await setRows(write, 'answers', answer.id, { body: 'The second text', version: 2 })
    })
    const path = `/answers/${answer.id}/reports`
    const sent = by.reporter.post(path, { reason: 'rude' })
    await untilWaiting(db)
    await edit()
    assert.equal((await sent).statusCode, 303)
    const { id } = await caseOf(db, subject)
    const [snapshot, ...more] = await rowsOf(db, 'case_snapshots', { case_id: id })
    assert.deepEqual([snapshot?.text_version, snapshot?.body, more], ['2', 'The second text', []])
    await Promise.all(['spam', 'rude'].map((reason) => by.reporter.post(path, { reason })))
    const versions = (await rowsOf(db, 'reports', { case_id: id })).map(({ text_version: of }) => of)
    assert.deepEqual(versions, ['2'], 'one of each person and version')
    assert.equal((await caseOf(db, subject)).reports_count, 1)
  })

  test('a case is decided while its post is reported again: neither waits for the other', async () => {
    const { db, subject, answer, question, by } = await aScene()
    await reported(db, subject, null)
    const { id, version } = await caseOf(db, subject)
    const release = await begun(db, lockOf(question.id))
    const upheld = { decision: 'uphold', version }
    const both = [
      by.reporter.post(`/answers/${answer.id}/reports`, { reason: 'rude' }),
      by.instructor.post(`/cases/${id}/decision`, { ...upheld, measure: 'hide suspend', note: 'Rude' }),
    ]
    await untilWaiting(db, 2)
    await release()
    const [report, decision] = await Promise.all(both)
    assert.equal(decision?.statusCode, 303)
    // Hidden by then, the answer is not there for who reports it, or its report is one of the case that was decided.
    assert.ok([303, 404].includes(report?.statusCode ?? 0), String(report?.statusCode))
    assert.equal((await rowsOf(db, 'cases', { answer_id: answer.id })).length, 1)
  })

  test('someone is suspended while they post: the suspension waits for the post, and the next one is refused', async () => {
    const { db, course, author, instructor, question, by } = await aScene()
    const place = { personId: author.id, courseId: course.id }
    const release = await begun(db, lockOf(question.id))
    const path = `/questions/${question.id}/answers`
    const first = by.author.post(path, { body: 'Posted before' })
    await untilWaiting(db)
    const suspending = within(db, suspend, instructor.id, { ...place, until: null, note: '' })
    await untilWaiting(db, 2)
    await release()
    assert.equal((await first).statusCode, 303)
    await suspending
    assert.equal((await by.author.post(path, { body: 'Posted after' })).statusCode, 403)

    const text = { authorId: author.id, body: await aText('In flight'), isAnonymous: false }
    const posting = await begun(db, async (write) => {
      await sql`select from people where id = ${author.id} for key share`.execute(write)
      await writeAnswer(write, await lockQuestion(write, question.id), text)
    })
    const second = inWrite(db, async (write) => {
      await suspend(write, instructor.id, { ...place, until: null, note: '' })
      return removePosts(write, instructor.id, { ...place, reason: 'spam', rule: '', note: '' })
    })
    await untilWaiting(db)
    await posting()
    assert.equal(await second, 3, 'what was being posted is deleted, too')
  })

  test('a case about a deleted post is passed on while all posts are removed: it is decided all the same', async () => {
    const { db, subject, author, reporter, assistant, instructor, question, answer } = await aScene()
    await anAnswer(db, { author })
    await reported(db, subject, reporter.id)
    await within(db, deleteAnswer, question.id, answer.id)
    const { id } = await caseOf(db, subject)
    const handing = { isToAdmins: true, note: '', of: 'case' } as const
    const handOn = await begun(db, (write) => handOver(write, assistant.id, id, handing))
    const everywhere = { personId: author.id, courseId: null, reason: 'spam', rule: '', note: '' } as const
    const removed = within(db, removePosts, instructor.id, everywhere)
    await untilWaiting(db)
    await handOn()
    assert.equal(await removed, 1)
    assert.equal((await caseOf(db, subject)).state, 'upheld')
  })

  test('a measure is lifted while the job ends it: it ends once, and is told once', async () => {
    const { db, subject, question, instructor, by, judged } = await aScene()
    const { id, measureId } = await judged(['hide'])
    const [yesterday, before] = [sql`now() - interval '1 day'`, sql`now() - interval '2 days'`]
    await setRows(db, 'measures', measureId, { starts_at: before, ends_at: yesterday })
    const kind = measureEndingKind(db)
    await kind.plan?.()
    const release = await begun(db, lockOf(question.id))
    const lifted = by.instructor.post(`/measures/${measureId}/end`, { note: 'Fine' })
    await untilWaiting(db)
    const over = doJobs(db, kind)
    await untilWaiting(db, 2)
    await release()
    assert.equal((await lifted).statusCode, 303)
    assert.equal(await over, 1)
    const [measure] = await measuresOf(db, id)
    assert.equal(measure?.ended_by, measure?.ended_how === 'lifted' ? instructor.id : null)
    assert.equal((await rowOf(db, 'answers', subject.id)).is_shown, true)
    const letters = await rowsOf(db, 'jobs', { key: `ended-${measureId}` })
    assert.equal(letters.length, measure?.ended_how === 'lifted' ? 1 : 0)
  })
})
