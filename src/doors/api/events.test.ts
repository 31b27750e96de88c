import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { aCourseToken, aToken } from '../../accounts/tokens/testing.ts'
import { eventCursor, readEventLog } from '../../forum/events/cursor.ts'
import { sweepEvents } from '../../forum/events/event.ts'
import { numberEvents } from '../../forum/events/numbering.ts'
import { numberAt } from '../../forum/events/testing.ts'
import { deletePost, hidePost, holdPost, restorePost } from '../../forum/posts/removal.ts'
import { openQuestion, withdrawQuestion } from '../../forum/questions/audience.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum, type TestForum } from '../../testing/forum.ts'
import { anAnnouncement } from '../../testing/posts.ts'
import { within } from '../../testing/within.ts'
import { aProgram, nowOf } from './testing.ts'

interface Told {
  readonly id: string
  readonly at: string
  readonly type: string
  readonly question: number | null
  readonly answer: number | null
  readonly reply: number | null
  readonly url: string | null
}

suite('events for programs', () => {
  const forum = sharedForum()

  test('are told in order, by ids alone, with the page that shows the post', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const after = await nowOf(forum)
    const question = await aQuestion(db, { course, title: 'What is a verb?' })
    const answer = await anAnswer(db, { question })
    const reply = await aReply(db, { answer })
    const news = await anAnnouncement(db, {
      ...{ courseId: course.id, authorId: question.authorId },
      ...{ title: 'The exam', body: 'At ten.' },
    })
    const { items, cursor } = await eventsOf(forum, `course=${course.slug}&after=${after}`)
    const page = `http://localhost:3000/questions/${question.id}/what-is-a-verb`
    const nothing = { question: null, answer: null, reply: null, announcement: null }
    const asked = { ...nothing, course: course.slug, question: question.id }
    assert.deepEqual(
      items.map(({ id: _, at: __, ...told }) => told),
      [
        { ...asked, type: 'question.created', url: page },
        { ...asked, type: 'answer.created', answer: answer.id, url: `${page}#answer-${answer.id}` },
        {
          ...asked,
          type: 'reply.created',
          answer: answer.id,
          reply: reply.id,
          url: `${page}#reply-${reply.id}`,
        },
        {
          ...nothing,
          ...{ course: course.slug, type: 'announcement.posted', announcement: news },
          url: `http://localhost:3000/announcements/${news}/the-exam`,
        },
      ],
    )
    const last = await numberAt(db, items.at(-1)?.id ?? '')
    assert.equal(await numberAt(db, cursor), last)
    const rest = await eventsOf(forum, `after=${cursor}`)
    assert.deepEqual([rest.items, await numberAt(db, rest.cursor)], [[], last])
  })

  test('come page by page, each once, until the cursor is that of the last one', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const after = await nowOf(forum)
    const questions = []
    for (let count = 0; count < 5; count += 1) questions.push((await aQuestion(db, { course })).id)
    await numberEvents(db)
    const program = aProgram(forum.app)
    const told: (number | null)[] = []
    let path: string | null = `/events?course=${course.slug}&limit=2&after=${after}`
    for (let pages = 1; path !== null; pages += 1) {
      const answer = await program.get(path)
      told.push(...answer.json().items.map(({ question }: Told) => question))
      const next = /<http:\/\/localhost:3000\/api\/v1([^>]+)>; rel="next"/.exec(
        String(answer.headers.link ?? ''),
      )
      path = next?.[1] ?? null
      assert.ok(pages <= 3)
    }
    assert.deepEqual(told, questions)
  })

  test('tell no one of private, held, hidden and deleted posts who may not read them, and staff of those they may', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const [asker, learner] = [await aMember(db, course), await aMember(db, course)]
    const staff = await aMember(db, course, 'assistant')
    const after = await nowOf(forum)
    const kept = await aQuestion(db, { course, author: asker, audience: 'staff' })
    const below = await anAnswer(db, { question: kept, author: staff })
    const open = await aQuestion(db, { course })
    const [held, hidden] = [await anAnswer(db, { question: open }), await anAnswer(db, { question: open })]
    await within(db, holdPost, { table: 'answers', id: held.id }, 'all')
    await within(db, hidePost, { table: 'answers', id: hidden.id })
    const gone = await aQuestion(db, { course, audience: 'staff' })
    await within(db, deletePost, { table: 'questions', id: gone.id })
    const readAs = async (token: string | null) =>
      typesOf(await eventsOf(forum, `course=${course.slug}&after=${after}`, token))
    const shared = [
      `question.created ${open.id}`,
      ...[held, hidden].map(({ id }) => `answer.removed ${open.id} ${id}`),
    ]
    assert.deepEqual(await readAs(null), shared)
    assert.deepEqual(await readAs(await aToken(forum, learner)), shared)
    // Without the scope of staff a token has the rights of a learner.
    assert.deepEqual(await readAs(await aToken(forum, staff)), shared)
    const own = [`question.created ${kept.id}`, `answer.created ${kept.id} ${below.id}`]
    assert.deepEqual(await readAs(await aToken(forum, asker)), [...own, ...shared])
    const all = [
      ...own,
      `question.created ${open.id}`,
      ...[held, hidden].map(({ id }) => `answer.created ${open.id} ${id}`),
      ...shared.slice(1),
      `question.removed ${gone.id}`,
    ]
    const staffs = [await aToken(forum, staff, ['read', 'staff']), await aCourseToken(forum, course)]
    for (const token of staffs) assert.deepEqual((await readAs(token)).toSorted(), all.toSorted())
  })

  test('tell who could have had a post that it is gone, by its number alone, and of what was private before nothing', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const after = await nowOf(forum)
    const [withdrawn, opened] = [
      await aQuestion(db, { course }),
      await aQuestion(db, { course, audience: 'staff' }),
    ]
    const secret = await anAnswer(db, { question: opened })
    await within(db, deletePost, { table: 'answers', id: secret.id })
    await within(db, withdrawQuestion, withdrawn.id)
    await within(db, openQuestion, opened.id, null)
    const told = await eventsOf(forum, `course=${course.slug}&after=${after}`)
    assert.deepEqual(typesOf(told), [`question.removed ${withdrawn.id}`, `question.created ${opened.id}`])
    assert.equal(told.items[0]?.url, null)
  })

  test('have names that every reader sees alike, and cursors that never tell whether something else happened', async () => {
    const { db } = forum
    const [course, secret] = [await aCourse(db), await aCourse(db, { isPublic: false })]
    const after = await nowOf(forum)
    for (const where of [course, secret, course]) await aQuestion(db, { course: where })
    const read = (since: string) => eventsOf(forum, `after=${since}`)
    const [one, again] = [await read(after), await read(after)]
    assert.deepEqual(one.items, again.items)
    assert.equal(new Set([one.items[1]?.id ?? assert.fail(), one.cursor, again.cursor]).size, 3)
    assert.notEqual((await read('latest')).cursor, (await read('latest')).cursor)
    const log = await readEventLog(db)
    for (const { id } of one.items) assert.ok(!id.includes(log.epoch.slice(0, 6)))
  })

  test('are those of courses that a token reads', async () => {
    const { db } = forum
    const [course, other] = [await aCourse(db, { isPublic: false }), await aCourse(db, { isPublic: false })]
    const [member, admin] = [await aMember(db, course), await aPerson(db, { isAdmin: true })]
    const after = await nowOf(forum)
    const [ours, theirs] = [await aQuestion(db, { course }), await aQuestion(db, { course: other })]
    const readAs = async (token: string | null) => typesOf(await eventsOf(forum, `after=${after}`, token))
    assert.deepEqual(await readAs(null), [])
    assert.deepEqual(await readAs(await aToken(forum, member)), [`question.created ${ours.id}`])
    const both = [ours, theirs].map(({ id }) => `question.created ${id}`)
    assert.deepEqual(await readAs(await aToken(forum, admin, ['read', 'staff'])), both)
    const narrowed = await aToken(forum, admin, ['read', 'staff'], other.id)
    assert.deepEqual(await readAs(narrowed), both.slice(1))
    assert.equal((await aProgram(forum.app).get(`/events?course=${course.slug}`)).statusCode, 404)
  })

  test('cannot be asked for with junk (400), or with a cursor that is too old or of another forum (410)', async () => {
    const { db } = forum
    await aQuestion(db)
    await numberEvents(db)
    const program = aProgram(forum.app)
    for (const after of ['x', '1.2', '0123456789ab', `${'0'.repeat(21)}.`, 'LATEST'])
      assert.equal((await program.get(`/events?after=${after}`)).json().code, 'invalid_parameter', after)
    await sql`update events set happened_at = now() - interval '8 days'`.execute(db)
    const begun = await readEventLog(db)
    await sweepEvents(db)
    const log = await readEventLog(db)
    const expired = [
      eventCursor({ ...log, epoch: '01'.repeat(16) }, log.numberedTo),
      eventCursor(log, log.forgottenTo - 1),
      eventCursor(log, log.numberedTo + 1),
    ]
    for (const after of expired) {
      const answer = await program.get(`/events?after=${after}`)
      const { status, code, oldest: told } = answer.json()
      assert.deepEqual([status, code, await numberAt(db, told)], [410, 'cursor_expired', log.forgottenTo])
    }
    assert.ok(log.forgottenTo > begun.forgottenTo)
    for (const after of [eventCursor(log, log.forgottenTo), 'latest', '']) {
      const { items, cursor } = (await program.get(`/events?after=${after}`)).json()
      assert.deepEqual([items, await numberAt(db, cursor)], [[], log.forgottenTo])
    }
  })
})

suite('updated_after', () => {
  const forum = sharedForum()

  /** Reads a list once what happened is numbered. */
  const changed = async (path: string, since: string, token: string | null = null) => {
    await numberEvents(forum.db)
    return (await aProgram(forum.app, token).get(`${path}?updated_after=${since}`)).json()
  }

  test('lists what changed since, in the order in which it did, and says what is gone', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const [one, two, kept, gone, quiet] = [
      await aQuestion(db, { course }),
      await aQuestion(db, { course }),
      await aQuestion(db, { course }),
      await aQuestion(db, { course }),
      await aQuestion(db, { course }),
    ]
    const answered = await anAnswer(db, { question: quiet })
    const since = await nowOf(forum)
    await sql`update questions set title = 'Another title' where id = ${two.id}`.execute(db)
    await anAnswer(db, { question: one })
    await within(db, withdrawQuestion, kept.id)
    await within(db, deletePost, { table: 'questions', id: gone.id })
    await sql`update answers set body = 'Another text' where id = ${answered.id}`.execute(db)
    const path = `/courses/${course.slug}/questions`
    const { items, removed, cursor } = await changed(path, since)
    assert.deepEqual(
      [idsOf(items), removed],
      [
        [two.id, one.id],
        [kept.id, gone.id],
      ],
    )
    assert.deepEqual(items[1].answers_count, 1)
    const rest = await changed(path, cursor)
    assert.deepEqual([rest.items, rest.removed], [[], []])
    assert.equal(await numberAt(db, rest.cursor), await numberAt(db, cursor))
  })

  test('misses nothing while things move, page by page', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const since = await nowOf(forum)
    const questions = []
    for (let count = 0; count < 4; count += 1) questions.push(await aQuestion(db, { course }))
    await numberEvents(db)
    const program = aProgram(forum.app)
    const read = async (after: string) =>
      (await program.get(`/courses/${course.slug}/questions?limit=2&updated_after=${after}`)).json()
    const first = await read(since)
    assert.deepEqual(
      idsOf(first.items),
      questions.slice(0, 2).map(({ id }) => id),
    )
    for (const { id } of [questions[0], questions[2]].flatMap((one) => one ?? []))
      await sql`update questions set title = 'Changed meanwhile' where id = ${id}`.execute(db)
    await numberEvents(db)
    const second = await read(first.cursor)
    assert.deepEqual(idsOf(second.items), [questions[3]?.id, questions[0]?.id])
    const third = await read(second.cursor)
    assert.deepEqual(idsOf(third.items), [questions[2]?.id])
    const last = await read(third.cursor)
    assert.deepEqual([last.items, await numberAt(db, last.cursor)], [[], await numberAt(db, third.cursor)])
  })

  test('lists answers and replies as well, each in its place', async () => {
    const { db } = forum
    const question = await aQuestion(db)
    const [one, two] = [await anAnswer(db, { question }), await anAnswer(db, { question })]
    const since = await nowOf(forum)
    const [under, direct] = [await aReply(db, { answer: one }), await aReply(db, { question })]
    await within(db, hidePost, { table: 'answers', id: two.id })
    const read = async (path: string) => {
      const { items, removed } = await changed(path, since)
      return [idsOf(items), removed]
    }
    assert.deepEqual(await read(`/questions/${question.id}/answers`), [[one.id], [two.id]])
    assert.deepEqual(await read(`/questions/${question.id}/replies`), [[direct.id], []])
    assert.deepEqual(await read(`/answers/${one.id}/replies`), [[under.id], []])
  })

  test('has a list read again whose question or answer came back, as nobody was told what became of it meanwhile', async () => {
    const { db } = forum
    const question = await aQuestion(db)
    const [answer, gone] = [await anAnswer(db, { question }), await anAnswer(db, { question })]
    const reply = await aReply(db, { answer })
    const answers = `/questions/${question.id}/answers`
    const replies = `/answers/${answer.id}/replies`
    const before = await nowOf(forum)
    await within(db, withdrawQuestion, question.id)
    await within(db, deletePost, { table: 'answers', id: gone.id })
    await anAnswer(db, { question })
    await within(db, openQuestion, question.id, null)
    const expired = await changed(answers, before)
    assert.equal(expired.code, 'cursor_expired')
    assert.equal((await changed(answers, expired.oldest)).code, undefined)

    await within(db, deletePost, { table: 'answers', id: answer.id })
    await within(db, deletePost, { table: 'replies', id: reply.id })
    await within(db, restorePost, { table: 'answers', id: answer.id })
    assert.equal((await changed(replies, expired.oldest)).code, 'cursor_expired')
    assert.equal((await changed(answers, expired.oldest)).code, undefined)
  })

  test('tells nothing of what a question had while it was private', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const since = await nowOf(forum)
    const question = await aQuestion(db, { course, audience: 'staff' })
    const answer = await anAnswer(db, { question })
    await within(db, deletePost, { table: 'answers', id: answer.id })
    const path = `/questions/${question.id}/answers`
    assert.deepEqual((await changed(path, since, await aCourseToken(forum, course))).removed, [answer.id])
    assert.equal((await changed(path, since)).code, 'not_found')
    await within(db, openQuestion, question.id, null)
    assert.deepEqual((await changed(path, since)).removed, [])
  })

  test('goes with limit and include alone, and takes cursors of events', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const question = await aQuestion(db, { course })
    const since = await nowOf(forum)
    const answer = await anAnswer(db, { question })
    await numberEvents(db)
    const program = aProgram(forum.app)
    const path = `/courses/${course.slug}/questions?updated_after=`
    for (const other of ['status=resolved', 'sort=votes', 'tag=http', 'cursor=1.1'])
      assert.equal((await program.get(`${path}${since}&${other}`)).statusCode, 400, other)
    assert.equal((await program.get(`${path}1.1`)).statusCode, 400)
    assert.equal((await program.get(`${path}${'0'.repeat(22)}`)).statusCode, 410)
    const { items } = (await program.get(`${path}${since}&limit=5&include=answers`)).json()
    assert.deepEqual(idsOf(items[0].answers.items), [answer.id])
  })
})

const idsOf = (items: readonly { readonly id: number }[]) => items.map(({ id }) => id)

const typesOf = ({ items }: { readonly items: readonly Told[] }) =>
  items.map(({ type, question, answer, reply }) =>
    [type, question, answer, reply].filter((part) => part !== null).join(' '),
  )

/** All that is told a program, once what happened is numbered. */
async function eventsOf(
  { app, db }: TestForum,
  query: string,
  token: string | null = null,
): Promise<{ readonly items: readonly Told[]; readonly cursor: string }> {
  await numberEvents(db)
  return (await aProgram(app, token).get(`/events?${query}`)).json()
}
