import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { recount } from '../../database/recount.ts'
import type { Database } from '../../database/schema.ts'
import { saveDraft } from '../../forum/drafts/draft.ts'
import { setFollowing } from '../../forum/follows/following.ts'
import { uploaded } from '../../forum/pictures/pictures-testing.ts'
import { castVote } from '../../forum/posts/vote.ts'
import { aTemporaryFolder } from '../../operating/backup/testing.ts'
import { testApp } from '../../testing/app.ts'
import type { Ending } from '../../testing/at-end.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { aDumpAnswer, aDumpQuestion, importDump } from '../../testing/dumps.ts'
import { rowOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { handupHere } from './testing.ts'

/** Rows of all tables, by table, without those that grow by themselves, the times at which people are told, and the log of what was done. */
async function rowsOf(db: Database): Promise<Record<string, number>> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
      and relname <> all(array['jobs', 'delivery_windows', 'search_terms', 'search_words', 'tags', 'images', 'mails', 'tries', 'audit'])
      order by relname`.execute(db)
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    const { rows } = await sql`select from ${sql.table(name)}`.execute(db)
    counts[name] = rows.length
  }
  return counts
}

/** A course with a bit of everything, asked and answered by people of other courses. */
async function aBusyCourse(t: Ending) {
  const dataDir = await aTemporaryFolder(t)
  const { db, url } = await testDatabaseWithUrl(t)
  const app = await testApp(t, db, { dataDir })
  const run = (...args: string[]) => handupHere({ DATABASE_URL: url, DATA_DIR: dataDir }, ...args)
  const [person, other] = [await aPerson(db), await aPerson(db)]
  const elsewhere = await aQuestion(db, { author: other, answers: 1, tags: ['kept'] })
  const browser = await signedIn(app, person)
  const fill = async (slug: string) => {
    const course = await aCourse(db, { slug, title: `The course ${slug}` })
    await aMember(db, course, 'instructor', person)
    const options = { course, votes: 0, tags: ['kept', 'lost'] }
    const original = await aQuestion(db, { ...options, author: other, title: 'The original one' })
    const question = await aQuestion(db, { ...options, author: person, title: 'One of many' })
    const { markdown } = await uploaded(browser)
    const answer = await anAnswer(db, { question, author: other, isAccepted: true })
    const shown = await anAnswer(db, { question, author: person, body: markdown, isAnonymous: true })
    await aReply(db, { answer, author: person })
    await aReply(db, { answer, author: other })
    await within(db, setFollowing, question.id, other.id, 'follow')
    await castVote(db, { kind: 'question', id: question.id }, other.id, true)
    await sql`update questions set duplicate_of = ${original.id} where id = ${question.id}`.execute(db)
    const place = `/answers/${answer.id}/replies`
    await saveDraft(db, { personId: other.id, place, fields: { body: 'x' }, version: 0 })
    return { course, original, question, answer, shown }
  }
  const uploads = () => readdir(join(dataDir, 'uploads'), { recursive: true })
  return { db, run, fill, elsewhere, uploads, t }
}

suite('for good', () => {
  test('a course goes with every row of it, counters stay right, and a dry run changes nothing', async (t) => {
    const { db, run, fill } = await aBusyCourse(t)
    const before = await rowsOf(db)
    const { course } = await fill('going')
    const full = await rowsOf(db)
    const dry = await run('course', 'delete', 'going')
    assert.equal(dry.code, 0, dry.output)
    assert.match(dry.output, /would delete for good: .*2 members, 2 questions, 2 answers, 2 replies/)
    const wrong = await run('course', 'delete', 'going', '--name', 'Going')
    assert.equal(wrong.code, 1)
    assert.match(wrong.output, /nothing was changed/)
    assert.deepEqual(await rowsOf(db), full)

    const gone = await run('course', 'delete', 'going', '--name', 'The course going')
    assert.equal(gone.code, 0, gone.output)
    assert.deepEqual(await rowsOf(db), before)
    const logged = await db.selectFrom('audit').select('role').where('act', '=', 'course-deleted').execute()
    assert.deepEqual(logged, [{ role: 'operator' }])
    assert.deepEqual(await recount(db), [])
    assert.match((await run('course', 'delete', course.slug)).output, /there is no course/)
  })

  test('a post goes with what is below it, and a question with everything', async (t) => {
    const { db, run, fill, uploads } = await aBusyCourse(t)
    const { question, answer, shown } = await fill('staying')
    const purge = (...args: string[]) => run('post', 'purge', ...args)
    assert.match((await purge('answer', String(answer.id))).output, /1 answers, 2 replies/)
    const accepted = await purge('answer', String(answer.id), '--name', question.title)
    assert.equal(accepted.code, 0, accepted.output)
    assert.equal((await rowOf(db, 'questions', question.id)).status, 'unresolved')
    assert.deepEqual(await recount(db), [])
    await sql`update images set uploaded_at = now() - interval '2 days'`.execute(db)
    assert.ok((await uploads()).length > 1)
    assert.equal((await purge('answer', String(shown.id), '--name', question.title)).code, 0)
    assert.ok(!(await uploads()).some((name) => name.endsWith('.webp')))
    assert.equal((await purge('question', String(question.id), '--name', question.title)).code, 0)
    assert.deepEqual(await recount(db), [])
    for (const table of ['questions', 'search_documents', 'question_tags', 'notifications', 'stand_ins'])
      assert.equal(await countOf(db, table, question.id), 0, table)
    assert.match((await purge('question', String(question.id))).output, /there is no question/)
  })

  test('what came with an import is not imported again, and its course can be imported anew', async (t) => {
    const { db, run } = await aBusyCourse(t)
    const posts = [aDumpQuestion(), aDumpAnswer(), aDumpQuestion({ Id: 5 })]
    const comments = [{ Id: 1, PostId: 2, Text: 'Thanks' }]
    const before = await rowsOf(db)
    await importDump(t, db, { posts, comments })
    const { rows } = await sql<{ id: number; title: string }>`
      select q.id, q.title from imported_posts as post join questions as q on q.id = post.question_id where external_id = '1'`.execute(
      db,
    )
    const [first] = rows
    assert.ok(first)
    assert.equal((await run('post', 'purge', 'question', String(first.id), '--name', first.title)).code, 0)
    const again = await importDump(t, db, { posts: [...posts, aDumpAnswer({ Id: 9 })], comments })
    assert.deepEqual(
      ['questions', 'answers', 'replies'].map((kind) => again.counts[kind]?.imported),
      [0, 0, 0],
    )
    assert.equal(again.counts.questions?.skipped.get('removed here'), 1)
    assert.equal(again.counts.answers?.skipped.get('its question was removed here'), 2)
    assert.deepEqual(await recount(db), [])

    const answered = [...posts, aDumpAnswer({ Id: 6, ParentId: 5 })]
    assert.equal((await importDump(t, db, { posts: answered, comments })).counts.answers?.imported, 1)
    const { rows: answers } = await sql<{ id: number; title: string }>`
      select answer_id as id, q.title from imported_posts as post join answers as a on a.id = post.answer_id
      join questions as q on q.id = a.question_id where external_id = '6'`.execute(db)
    const [answer] = answers
    assert.ok(answer)
    assert.equal((await run('post', 'purge', 'answer', String(answer.id), '--name', answer.title)).code, 0)
    // The newer dump has it edited, commented on and accepted, and a question that is new.
    const newer = await importDump(t, db, {
      posts: [
        ...answered.filter(({ Id }) => Id !== 5 && Id !== 6),
        aDumpQuestion({ Id: 5, AcceptedAnswerId: 6 }),
        aDumpAnswer({ Id: 6, ParentId: 5, Body: '<p>Better so.</p>' }),
        aDumpQuestion({ Id: 10, Title: 'What is new?' }),
      ],
      comments: [...comments, { Id: 2, PostId: 6, Text: 'Really?' }],
    })
    assert.equal(newer.counts.questions?.imported, 1)
    assert.deepEqual([newer.counts.answers?.imported, newer.counts.replies?.imported], [0, 0])
    assert.equal(newer.counts.answers?.skipped.get('removed here'), 1)
    assert.deepEqual(await recount(db), [])
    assert.equal((await run('course', 'delete', 'physics', '--name', 'Physics')).code, 0)
    assert.deepEqual(await rowsOf(db), before)
    assert.equal((await importDump(t, db, { posts, comments })).counts.questions?.imported, 2)
  })
})

async function countOf(db: Database, table: string, question: number): Promise<number> {
  const column = table === 'questions' ? 'id' : 'question_id'
  const where = sql`${sql.ref(column)} = ${question}`
  return (await sql`select from ${sql.table(table)} where ${where}`.execute(db)).rows.length
}
