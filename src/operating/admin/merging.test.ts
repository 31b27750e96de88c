import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { finishMerges } from '../../accounts/deletion/leave.ts'
import { anOwner, PASSWORD } from '../../accounts/testing.ts'
import { recount } from '../../database/recount.ts'
import type { Database } from '../../database/schema.ts'
import { personColumns } from '../../database/table.ts'
import { postAnswer } from '../../forum/answers/operations.ts'
import { caseOf, decided, reported } from '../../forum/cases/testing.ts'
import { mergeAccounts } from '../../forum/merging/merge.ts'
import { accountMerge, mergeUndo } from '../../forum/merging/operations.ts'
import { fingerprint } from '../../forum/merging/testing.ts'
import { castVote, questionVote } from '../../forum/posts/vote.ts'
import { notify, onePerson } from '../../forum/telling/notify.ts'
import { refusalOf } from '../../testing/act.ts'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { untilWaiting } from '../../testing/waiting.ts'
import { deleteAccount } from './operations.ts'

interface One {
  readonly id: number
}

suite('two accounts of one person', () => {
  const forum = sharedForum()

  const anAdmin = () => aPerson(forum.db, { isAdmin: true })
  const twoPeople = async () => [await aPerson(forum.db), await aPerson(forum.db)] as const
  function both(actor: One, into: One, from: One) {
    const key = { into: String(into.id), from: String(from.id) }
    return { actor, key, input: { ...key, sure: '1' } }
  }
  const merge = (...people: Parameters<typeof both>) => refusalOf(forum, accountMerge, both(...people))
  const undo = (...people: Parameters<typeof both>) => refusalOf(forum, mergeUndo, both(...people))

  test('become one and two again, with every row as it was', async () => {
    const { app, db } = forum
    const { admin, alex, aleks, mutual, both: voted } = await aBusyPair(db)
    const browser = await signedIn(app, admin)
    const before = await fingerprint(db)
    const page = await browser.get(`/admin/people/${aleks.id}/merge?other=${alex.email}`)
    assert.equal(page.statusCode, 200)
    assert.match(page.body, /Everything moves to Aleks Novak/)
    assert.match(
      textOf(page.body),
      /Questions 2 1 3 Answers and replies 2 2 4 Votes 2 3 1 \(1 in both, 3 for own posts\)/,
    )
    assert.deepEqual(await fingerprint(db), before, 'looking changes nothing')

    assert.equal(await merge(admin, aleks, alex), 'done')
    assert.deepEqual(await recount(db), [], 'counters are right')
    const votes = await rowsOf(db, 'question_votes', { question_id: voted.id })
    assert.deepEqual(valuesOf(votes, 'person_id'), [aleks.id], 'of two votes one stays')
    assert.equal((await rowOf(db, 'questions', mutual.id)).votes_count, 0, 'a vote for one’s own post ends')
    const left = await leftOf(db, alex.id)
    assert.deepEqual(left, ['reports.person_id'], 'one of two reports of the same text stays')
    const members = await rowsOf(db, 'course_members', { person_id: aleks.id })
    assert.deepEqual(valuesOf(members, 'role'), ['assistant'], 'the higher role of a course stays')

    const form = new RegExp(`action="/admin/people/${aleks.id}/merge/undo"`)
    assert.match((await browser.get(`/admin/people/${aleks.id}`)).body, form)
    assert.equal(await undo(admin, aleks, alex), 'done')
    assert.deepEqual(await fingerprint(db), before)
    assert.deepEqual(await recount(db), [])
  })

  test('let in only the one that stays, and both are told', async () => {
    const { app, db } = forum
    const admin = await anAdmin()
    const [from, into] = [await anOwner(db), await anOwner(db)]
    const [old, current] = [await signedIn(app, from), await signedIn(app, into)]
    const signIn = async (email: string) =>
      (await visitor(app).post('/sign-in', { email, password: PASSWORD })).statusCode
    assert.equal(await merge(admin, into, from), 'done')
    assert.equal((await old.get('/settings')).statusCode, 303, 'signed out')
    assert.equal((await current.get('/settings')).statusCode, 200)
    assert.deepEqual([await signIn(from.email), await signIn(into.email)], [422, 303])
    for (const { email } of [from, into])
      assert.equal((await rowOf(db, 'mails', { recipient: email })).kind, 'accountsMerged')
    assert.equal(await undo(admin, into, from), 'done')
    assert.equal(await signIn(from.email), 303)
    await castVote(db, { kind: 'question', id: (await aQuestion(db)).id }, from.id, true)
  })

  test('move what waits to be let through, which waits on, and bring it back', async () => {
    const { app, db } = forum
    const [admin, [from, into]] = [await anAdmin(), await twoPeople()]
    const question = await aQuestion(db)
    const { id } = await anAnswer(db, { question, author: from, body: 'Zyxheld' })
    await setRows(db, 'answers', id, { held_at: new Date(), held_for: 'newcomers' })
    const read = async (person: One) => {
      const browser = await signedIn(app, person)
      return (await browser.follow(await browser.get(`/questions/${question.id}`))).body.includes('Zyxheld')
    }
    assert.equal(await merge(admin, into, from), 'done')
    const { author_id: authorId, is_shown: isShown } = await rowOf(db, 'answers', id)
    assert.deepEqual([authorId, isShown], [into.id, false])
    assert.deepEqual([await read(into), await read(await aPerson(db))], [true, false])
    assert.equal(await undo(admin, into, from), 'done')
    assert.deepEqual([await read(into), await read(from)], [false, true])
  })

  test('stay apart where anonymous posts would show who is who', async () => {
    const { app, db } = forum
    const admin = await anAdmin()
    const course = await aCourse(db)
    const [from, into] = [
      await aMember(db, course, 'learner', await aPerson(db, { displayName: 'Veiled Alex' })),
      await aMember(db, course, 'learner', await aPerson(db, { displayName: 'Veiled Aleks' })),
    ]
    const twice = await aQuestion(db, { course, author: from, isAnonymous: true })
    await anAnswer(db, { question: twice, author: into, isAnonymous: true })
    const one = await aQuestion(db, { course })
    await anAnswer(db, { question: one, author: from, isAnonymous: true })
    await anAnswer(db, { question: one, author: into })
    const reader = visitor(app)
    const read = async () =>
      Promise.all(
        [twice, one].map(async ({ id, title }) => {
          const { body } = await reader.follow(await reader.get(`/questions/${id}`))
          assert.ok(body.includes(title))
          return [...body.matchAll(/Anonymous \d|Veiled Alek?s|Former member/g)].map(([name]) => name)
        }),
      )
    const before = await read()
    assert.equal(await merge(admin, into, from), 'done')
    assert.deepEqual(await read(), before)
    const profile = await reader.follow(await reader.get(`/people/${from.id}`))
    assert.equal(profile.statusCode, 200)
    assert.match(profile.body, /Veiled Aleks/)
    assert.ok(!profile.body.includes(twice.title))
    assert.equal(await undo(admin, into, from), 'done')
    assert.deepEqual(await read(), before)
  })

  test('can’t be taken apart where something is in the way, and it says what', async () => {
    const { db } = forum
    const [admin, one, [two, three]] = [await anAdmin(), await aPerson(db), await twoPeople()]
    await merge(admin, two, one)
    const taker = await aPerson(db, { email: one.email })
    assert.equal(await undo(admin, two, one), 'from: merging.undo.addressTaken')
    await db.deleteFrom('people').where('id', '=', taker.id).execute()
    await merge(admin, two, three)
    assert.equal(await undo(admin, two, one), 'from: merging.undo.newer')
    assert.equal(await undo(admin, two, three), 'done')
    const merged = await rowOf(db, 'account_merges', { from_id: one.id })
    await setRows(db, 'account_merges', merged.id, { merged_at: sql`now() - interval '8 days'` })
    assert.equal(await undo(admin, two, one), 'from: merging.undo.over')
    await finishMerges(db)
    assert.deepEqual(await rowsOf(db, 'account_merge_rows', { merge_id: merged.id }), [])
    assert.equal((await rowOf(db, 'account_merges', merged.id)).former, null)
    assert.equal(await undo(admin, two, one), 'from: merging.undo.over')
  })

  test('are merged once by two admins at once, and never into one’s own closing', async () => {
    const [first, second, [from, into]] = [await anAdmin(), await anAdmin(), await twoPeople()]
    const done = await Promise.all([merge(first, into, from), merge(second, from, into)])
    assert.deepEqual(done.sort(), ['done', 'notFound'])
    const { key, ...unsure } = both(first, second, into)
    const input = { ...key, sure: '' }
    assert.equal(await refusalOf(forum, accountMerge, { ...unsure, key, input }), 'sure: merging.notSure')
    assert.equal(await merge(first, second, first), 'other: merging.own')
    assert.equal(await merge(first, second, second), 'other: merging.same')
  })

  test('are merged once, and taken apart once, by a form that is sent twice', async () => {
    const admin = await signedIn(forum.app, await anAdmin())
    const [from, into] = await twoPeople()
    const token = await admin.token()
    const path = `/admin/people/${into.id}/merge`
    const twice = async (address: string, fields: Record<string, number>) => {
      const send = () => admin.post(address, fields, { token })
      const answers = await Promise.all([send(), send()])
      return answers.map(({ statusCode, headers }) => `${statusCode} ${headers.location}`)
    }
    const merged = `303 /admin/people/${into.id}`
    assert.deepEqual(await twice(path, { from: from.id, sure: 1 }), [merged, merged])
    const apart = `303 /admin/people/${from.id}`
    assert.deepEqual(await twice(`${path}/undo`, { from: from.id }), [apart, apart])
  })

  test('give nothing to an account whose address is not confirmed but what it could have by itself', async () => {
    const { app, db } = forum
    const [person, known] = [await anAdmin(), await aPerson(db)]
    const admin = await signedIn(app, person)
    const [stranger, other] = [
      await aPerson(db, { isConfirmed: false }),
      await aPerson(db, { isConfirmed: false }),
    ]
    const path = `/admin/people/${stranger.id}/merge`
    const sent = await admin.post(path, { from: known.id, sure: 1 })
    for (const page of [await admin.get(`${path}?other=${known.id}`), sent]) {
      assert.equal(page.statusCode, 422)
      assert.match(page.body, /href="#other">[^<]*isn’t confirmed/)
    }
    await aMember(db, await aCourse(db, { isPublic: false }), 'learner', other)
    assert.equal(await merge(person, stranger, other), 'other: merging.unconfirmed')
    await db.deleteFrom('course_members').where('person_id', '=', other.id).execute()
    await aMember(db, await aCourse(db), 'learner', other)
    assert.equal(await merge(person, stranger, other), 'done')
    assert.equal(await merge(person, known, stranger), 'done', 'the other way round')
  })

  test('come apart though someone signed up with the address meanwhile, who loses it', async () => {
    const { app, db } = forum
    const [admin, [from, into]] = [await anAdmin(), await twoPeople()]
    await merge(admin, into, from)
    const taker = await aPerson(db, { email: from.email, isConfirmed: false })
    const session = await signedIn(app, taker)
    assert.equal(await undo(admin, into, from), 'done')
    const emailOf = async ({ id }: One) => (await rowOf(db, 'people', id)).email
    assert.deepEqual([await emailOf(from), await emailOf(taker)], [from.email, null])
    assert.equal((await session.get('/settings')).statusCode, 303, 'signed out')
  })

  test('lead to the one that stays only who could find the closed one before', async () => {
    const { app, db } = forum
    const admin = await anAdmin()
    const [open, closed] = [await aCourse(db), await aCourse(db, { isPublic: false })]
    const into = await aMember(db, open)
    const inside = await signedIn(app, await aMember(db, closed))
    const [member, hidden] = [await aMember(db, closed), await aPerson(db)]
    const [kept, answerer] = await twoPeople()
    await aQuestion(db, { course: open, author: hidden, isAnonymous: true })
    await aQuestion(db, { course: open, author: kept, audience: 'staff' })
    await db.deleteFrom('course_members').where('person_id', '=', kept.id).execute()
    await anAnswer(db, { question: await aQuestion(db, { course: open }), author: answerer })
    const status = async (browser: Browser, { id }: One) => (await browser.get(`/people/${id}`)).statusCode
    const strangers = async () => Promise.all([member, hidden, kept].map((one) => status(visitor(app), one)))
    assert.deepEqual(await strangers(), [404, 404, 404])
    for (const from of [member, hidden, kept, answerer]) assert.equal(await merge(admin, into, from), 'done')
    assert.deepEqual(await strangers(), [404, 404, 404])
    assert.equal(await status(inside, member), 302)
    assert.equal(await status(visitor(app), answerer), 302)
    const owner = await signedIn(app, into)
    for (const from of [member, hidden, kept]) assert.equal(await status(owner, from), 302)

    const next = await aMember(db, open)
    assert.equal(await merge(admin, next, into), 'done')
    assert.deepEqual(await strangers(), [404, 404, 404])
    const [path] = String((await visitor(app).get(`/people/${answerer.id}`)).headers.location).split('-')
    assert.match(path ?? '', new RegExp(`^/people/${next.id}/`))
    await setRows(db, 'courses', open.id, { is_public: false })
    assert.equal(await status(visitor(app), answerer), 404)
  })

  test('say that the account that stayed was merged on', async () => {
    const { app, db } = forum
    const [admin, one, [two, three]] = [await anAdmin(), await aPerson(db), await twoPeople()]
    await merge(admin, two, one)
    await merge(admin, three, two)
    const browser = await signedIn(app, admin)
    const refused = await browser.post(`/admin/people/${two.id}/merge/undo`, { from: one.id })
    assert.equal(refused.statusCode, 422)
    assert.match(refused.body, /Undo that merge first/)
    assert.match(refused.body, new RegExp(`action="/admin/people/${three.id}/merge/undo"`))
    assert.equal(await undo(admin, three, two), 'done')
    assert.equal(await undo(admin, two, one), 'done')
  })

  test('get nothing back that was taken from the one that stayed, ended or changed since', async () => {
    const { db } = forum
    const [admin, [from, into], question] = [await anAdmin(), await twoPeople(), await aQuestion(db)]
    const courses = [await aCourse(db), await aCourse(db), await aCourse(db)]
    const [gone, lowered, untouched] = courses.map(({ id }) => id)
    for (const course of courses) {
      await aMember(db, course, 'instructor', from)
      await aMember(db, course, 'assistant', into)
    }
    await castVote(db, { kind: 'question', id: question.id }, from.id, true)
    await sql`insert into drafts (person_id, place, fields, saved_at) values (${from.id}, '/ask', '{}', now()), (${from.id}, '/kept', '{}', now()),
      (${into.id}, '/ask', '{}', now() - interval '1 day')`.execute(db)
    await merge(admin, into, from)
    await sql`delete from course_members where course_id = ${gone} and person_id = ${into.id}`.execute(db)
    await sql`update course_members set role = 'learner' where course_id = ${lowered} and person_id = ${into.id}`.execute(
      db,
    )
    await castVote(db, { kind: 'question', id: question.id }, into.id, false)
    await sql`delete from drafts where person_id = ${into.id} and place = '/ask'`.execute(db)
    assert.equal(await undo(admin, into, from), 'done')
    const rolesOf = async ({ id }: One) =>
      (await rowsOf(db, 'course_members', { person_id: id })).map((row) => [row.course_id, row.role])
    assert.deepEqual(await Promise.all([from, into].map(rolesOf)), [
      [
        [lowered, 'learner'],
        [untouched, 'instructor'],
      ],
      [
        [lowered, 'learner'],
        [untouched, 'assistant'],
      ],
    ])
    const draftsOf = async ({ id }: One) =>
      (await rowsOf(db, 'drafts', { person_id: id })).map(({ place }) => place)
    assert.deepEqual(await Promise.all([from, into].map(draftsOf)), [['/kept'], []])
    const votes = await rowsOf(db, 'question_votes', { question_id: question.id })
    assert.deepEqual(votes, [], 'a vote that was taken back')
    assert.deepEqual(await recount(db), [])
  })

  test('lose no vote or post that one makes while they are merged', async () => {
    const { db } = forum
    const [admin, [from, into], course] = [await anAdmin(), await twoPeople(), await aCourse(db)]
    const questions = await Promise.all([1, 2, 3, 4].map(async () => (await aQuestion(db, { course })).id))
    const vote = (actor: One) => (key: number) =>
      refusalOf(forum, questionVote, { actor, key, input: { value: '1' } })
    const answer = (key: number) =>
      refusalOf(forum, postAnswer, { actor: from, key, input: { body: 'Yes.' } })
    await Promise.all([
      ...questions.map(vote(from)),
      merge(admin, into, from),
      ...questions.map(answer),
      ...questions.map(vote(into)),
    ])
    assert.deepEqual(await leftOf(db, from.id), [])
    assert.deepEqual(await recount(db), [])
  })

  test('wait for no one who posts where they wrote while the merge began', async () => {
    const { db } = forum
    const [admin, [from, into], question] = [await anAdmin(), await twoPeople(), await aQuestion(db)]
    const [isPosting, hasVoted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const [isVoting, mayVote] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    // Posts there: holds the question, and then needs the account.
    const posting = db.transaction().execute(async (write) => {
      await sql`update questions set votes_count = 2 where id = ${question.id}`.execute(write)
      isPosting.resolve()
      await hasVoted.promise
      await sql`select from people where id = ${from.id} for key share`.execute(write)
    })
    await isPosting.promise
    // Votes by both, which the merge doesn't see when it locks questions, and sees when it has the accounts.
    const voting = db.transaction().execute(async (write) => {
      await sql`select from people where id = ${from.id} for key share`.execute(write)
      isVoting.resolve()
      await mayVote.promise
      await sql`insert into question_votes (question_id, person_id) values (${question.id}, ${from.id}), (${question.id}, ${into.id})`.execute(
        write,
      )
    })
    await isVoting.promise
    const merging = merge(admin, into, from)
    await untilWaiting(db)
    mayVote.resolve()
    await voting
    await untilWaiting(db)
    hasVoted.resolve()
    await posting
    assert.equal(await merging, 'done')
    assert.deepEqual(await leftOf(db, from.id), [])
    assert.deepEqual(await recount(db), [])
  })

  test('leave no one to tell who is closed meanwhile', async () => {
    const { db } = forum
    const [course, admin] = [await aCourse(db), await anAdmin()]
    const [asker, into, other] = [await aMember(db, course), await aPerson(db), await aMember(db, course)]
    const question = await aQuestion(db, { course, author: asker })
    const [isMerged, merged] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const pair = { fromId: asker.id, intoId: into.id }
    const merging = db.transaction().execute(async (write) => {
      await sql`select from people where id in (${asker.id}, ${into.id}) order by id for update`.execute(
        write,
      )
      await mergeAccounts(write, { ...pair, actorId: admin.id, formerName: 'Former member' })
      isMerged.resolve()
      await merged.promise
    })
    await isMerged.promise
    const about = { questionId: question.id, actorId: other.id, at: sql<Date>`clock_timestamp()` }
    const telling = db.transaction().execute((write) => notify(write, about, onePerson(asker.id, 'answered')))
    await untilWaiting(db)
    merged.resolve()
    await Promise.all([merging, telling])
    assert.deepEqual(await leftOf(db, asker.id), [])
  })

  test('are forgotten together when their owner leaves', async () => {
    const { db } = forum
    const [admin, [from, into]] = [await anAdmin(), await twoPeople()]
    await merge(admin, into, from)
    const person = String(into.id)
    const input = { person, confirm: into.email, posts: 'keep' }
    assert.equal(await refusalOf(forum, deleteAccount, { actor: admin, key: person, input }), 'done')
    assert.equal((await rowOf(db, 'account_merges', { from_id: from.id })).former, null)
    assert.equal(await undo(admin, into, from), 'notFound')
  })
})

/** Rows that still name a closed account, but those that stay. */
async function leftOf(db: Database, id: number): Promise<string[]> {
  const left: string[] = []
  for (const { table, column, merge } of personColumns()) {
    if (merge === 'stays') continue
    const { rows } = await sql`select from ${sql.table(table)} where ${sql.ref(column)} = ${id}`.execute(db)
    if (rows.length > 0) left.push(`${table}.${column}`)
  }
  return left
}

/** Two accounts that did everything in one course. */
async function aBusyPair(db: Database) {
  const admin = await aPerson(db, { isAdmin: true })
  const course = await aCourse(db, { lectures: ['Verbs'] })
  const instructor = await aMember(db, course, 'instructor')
  const alex = await aMember(db, course, 'assistant', await aPerson(db, { displayName: 'Alex Novak' }))
  const aleks = await aMember(db, course, 'learner', await aPerson(db, { displayName: 'Aleks Novak' }))
  const other = await aMember(db, course)
  const both = await aQuestion(db, { course, author: other })
  const [asked, mutual] = [
    await aQuestion(db, { course, author: alex, tags: ['http'] }),
    await aQuestion(db, { course, author: aleks, tags: ['http'] }),
  ]
  const hidden = await aQuestion(db, { course, author: alex, isAnonymous: true })
  const answer = await anAnswer(db, { question: mutual, author: alex })
  await anAnswer(db, { question: asked, author: aleks })
  await aReply(db, { answer, author: aleks })
  await aReply(db, { question: hidden, author: alex, isAnonymous: true })
  for (const [question, voter] of [
    [both, alex],
    [both, aleks],
    [mutual, alex],
    [asked, aleks],
    [asked, other],
  ] as const)
    await castVote(db, { kind: 'question', id: question.id }, voter.id, true)
  await castVote(db, { kind: 'answer', id: answer.id }, aleks.id, true)
  await fillOwnRows(db, { alex, aleks, other, course, both, mutual, answer })
  const subject = { about: 'answer', id: answer.id } as const
  await reported(db, subject, other.id, {})
  await reported(db, { about: 'question', id: both.id }, alex.id, {})
  await reported(db, { about: 'question', id: both.id }, aleks.id, {})
  await reported(db, { about: 'person', id: alex.id }, other.id, {})
  await decided(db, instructor.id, await caseOf(db, subject), ['warn', 'suspend'], { days: 3 })
  return { admin, alex, aleks, mutual, both }
}

type Ids = Readonly<
  Record<'alex' | 'aleks' | 'other' | 'course' | 'both' | 'mutual' | 'answer', { readonly id: number }>
>

async function fillOwnRows(
  db: Database,
  { alex, aleks, other, course, both, mutual, answer }: Ids,
): Promise<void> {
  await sql`
    with lecture as (select id from lectures where course_id = ${course.id} limit 1), tag as (select id from tags limit 1),
    f1 as (insert into question_follows (question_id, person_id) values (${both.id}, ${alex.id}), (${both.id}, ${aleks.id}), (${mutual.id}, ${alex.id}) on conflict do nothing),
    f2 as (insert into course_follows (course_id, person_id, is_followed) values (${course.id}, ${alex.id}, false), (${course.id}, ${aleks.id}, true)),
    f3 as (insert into lecture_follows (lecture_id, person_id) select id, ${alex.id}::bigint from lecture),
    f4 as (insert into tag_follows (tag_id, person_id) select id, ${alex.id}::bigint from tag union all select id, ${aleks.id}::bigint from tag),
    r1 as (insert into question_reads (question_id, person_id, read_at) values (${both.id}, ${alex.id}, now()), (${both.id}, ${aleks.id}, now() - interval '1 day'), (${mutual.id}, ${alex.id}, now()) on conflict (question_id, person_id) do update set read_at = excluded.read_at),
    r2 as (insert into course_reads (course_id, person_id, read_up_to) values (${course.id}, ${alex.id}, now()), (${course.id}, ${aleks.id}, now() - interval '1 day')),
    d as (insert into drafts (person_id, place, fields) values (${alex.id}, '/ask', '{"title": "Old"}'), (${aleks.id}, '/ask', '{"title": "New"}'), (${alex.id}, '/questions/1', '{}')),
    n as (insert into notifications (person_id, question_id, reason, since_at, happened_at, seen_at)
      values (${alex.id}, ${both.id}, 'followed', now(), now(), null), (${aleks.id}, ${both.id}, 'followed', now(), now(), now()), (${alex.id}, ${mutual.id}, 'followed', now(), now(), now()) on conflict do nothing),
    m as (insert into mentions (person_id, answer_id, mentioned_by, mentioned_at) values (${alex.id}, ${answer.id}, ${other.id}, now()), (${aleks.id}, ${answer.id}, ${alex.id}, now())),
    w as (insert into staff_weeks (person_id, next_at) values (${alex.id}, now())),
    h as (insert into passkey_holders (person_id, handle) values (${alex.id}, decode(repeat('ab', 32), 'hex')))
    select`.execute(db)
  await sql`insert into passkeys (person_id, name, credential_id, public_key, counter, transports, is_backup_eligible, is_backed_up)
    values (${alex.id}, 'Phone', '\\x0102'::bytea, '\\x03'::bytea, 7, array['usb'], true, false)`.execute(db)
  await sql`update question_desk set assignee_id = ${alex.id}, assigned_by = ${alex.id}, assigned_at = now()
    where question_id = ${both.id}`.execute(db)
}
