import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { testAppThatHears } from '../../testing/app.ts'
import { setAudience } from '../../testing/audience.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { measured } from '../../testing/processor-time.ts'
import { rowsOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { setResolution } from '../posts/resolution.ts'
import { vectorOf } from './document.ts'
import { indexQuestions, indexQueued, makeDocuments, queueForSearch } from './index-question.ts'

/** A search waits for that itself, but on a busy machine not for long enough; in milliseconds. */
const LONG = 10_000

test('people who search for the answer or reply they have just posted find it', async (t) => {
  const db = await testDatabase(t)
  const { app } = await testAppThatHears(t, db)
  const answer = await anAnswer(db)
  const browser = await signedIn(app, await aPerson(db))
  for (const [path, word] of [
    [`/questions/${answer.question.id}/answers`, 'hypermedia'],
    [`/answers/${answer.id}/replies`, 'maturity'],
    [`/questions/${answer.question.id}/replies`, 'wombat'],
  ] as const) {
    assert.equal((await browser.post(path, { body: `Is it about ${word}?` })).statusCode, 303)
    await app.jobs.caughtUp('search', LONG)
    const page = await visitor(app).get(`/search?q=${word}`)
    assert.match(page.body, new RegExp(`href="/questions/${answer.question.id}/`), word)
  }
})

test('what a process left behind when it ended is found once another one starts', async (t) => {
  const db = await testDatabase(t)
  const question = await aQuestion(db)
  await leave(db, question.id, 'platypus')
  const { app } = await testAppThatHears(t, db)
  await app.jobs.caughtUp('search', LONG)
  assert.match((await visitor(app).get('/search?q=platypus')).body, new RegExp(`/questions/${question.id}/`))
  assert.equal(await waiting(db), 0)
})

test('posts of one thread at a time share one making, and a document that cannot be made waits', async (t) => {
  const db = await testDatabase(t)
  const question = await aQuestion(db)
  for (const word of ['echidna', 'numbat', 'quokka']) await leave(db, question.id, word)
  await sql`alter table search_documents add constraint broken check (false) not valid`.execute(db)
  await assert.rejects(indexQueued(db), /broken/)
  assert.equal(await waiting(db), 3)
  await sql`alter table search_documents drop constraint broken`.execute(db)
  await sql`update jobs set due_at = now()`.execute(db)
  await indexQueued(db)
  assert.equal(await waiting(db), 0)
})

test('several at it at once take different rows, and the last document has every post', async (t) => {
  const db = await testDatabase(t)
  const questions = [await aQuestion(db), await aQuestion(db)]
  const words = Array.from({ length: 60 }, (_, number) => `beast${number}x`)
  const posts = words.map((word, number) => leave(db, questions[number % 2]?.id ?? 0, word))
  await Promise.all([...posts, indexQueued(db), indexQueued(db), indexQueued(db)])
  await Promise.all([indexQueued(db), indexQueued(db), indexQueued(db)])
  assert.equal(await waiting(db), 0)
  const { rows } = await sql<{ words: string[] }>`
    select tsvector_to_array(terms) as words from search_documents order by question_id`.execute(db)
  for (const [number, word] of words.entries()) assert.ok(rows[number % 2]?.words.includes(word), word)
})

/** A reply as a process writes it that ends before it is found. */
async function leave(db: Database, questionId: number, word: string): Promise<void> {
  const { id } = await aPerson(db)
  const reply = { question_id: questionId, author_id: id, body: word.slice(0, 99), renderer_version: 1 }
  await db.transaction().execute(async (write) => {
    await write
      .insertInto('replies')
      .values({ ...reply, body_html: `<p>${word}</p>` })
      .execute()
    await queueForSearch(write, questionId)
  })
}

const waiting = async (db: Database) => (await rowsOf(db, 'jobs', {})).length

test('a thread of any length takes bounded work, which requests do not wait for', async (t) => {
  const db = await testDatabase(t)
  const question = await aQuestion(db, { body: 'echidna' })
  const texts = Array.from({ length: 20 }, (_, number) =>
    Array.from({ length: 2_500 }, (_word, index) => `word${index * 20 + number}q`).join(' '),
  )
  for (const [number, text] of texts.entries()) await leave(db, question.id, `beast${number}x ${text}`)
  const other_htmls = texts.map((text) => `<p>${text}</p>`)
  const { microseconds: all } = measured(() =>
    vectorOf({ title: '', tags: [], accepted_html: null, others_html: other_htmls }),
  )
  const before = process.threadCpuUsage()
  await indexQueued(db)
  const { user, system } = process.threadCpuUsage(before)
  assert.ok(user + system < all, `${user + system} of ${all} µs`)
  assert.deepEqual(await wordsAmong(db, ['beast0x', 'beast5x', 'beast19x']), ['beast0x', 'beast5x'])
})

/** More than is made in the transaction of a change. */
const LONG_BODY = Array.from({ length: 2000 }, (_, number) => `wort${number}x`).join(' ')

test('nobody waits for the thread that makes a long document, and what was posted meanwhile is found', async (t) => {
  const db = await testDatabase(t)
  const question = await aQuestion(db, { body: LONG_BODY })
  const [first, second] = ['numbat', 'wombat']
  await leave(db, question.id, first)
  const made: string[] = []
  await makeDocuments(db, [question.id], {
    async make(texts) {
      // The thread is at work until another writer of the same document has committed.
      if (made.length === 0)
        await db.transaction().execute(async (write) => {
          await sql`set local lock_timeout = '2s'`.execute(write)
          await sql`select from search_documents join questions on id = question_id for update`.execute(write)
          await sql`update replies set body_html = body_html || ${` ${second}`}`.execute(write)
          await indexQuestions(write, [question.id])
        })
      made.push(vectorOf(texts))
      return made.at(-1) ?? ''
    },
  })
  assert.equal(made.length, 2)
  assert.deepEqual(await wordsAmong(db, [first, second, 'wort1999x']), [first, second, 'wort1999x'])
})

test('a long document whose texts change each time is left to the job of the last change', async (t) => {
  const db = await testDatabase(t)
  const question = await aQuestion(db, { body: LONG_BODY })
  await indexQueued(db)
  let changes = 0
  await makeDocuments(db, [question.id], {
    async make(texts) {
      await leave(db, question.id, `beast${++changes}x`)
      return vectorOf(texts)
    },
  })
  assert.equal(changes, 3)
  assert.equal(await waiting(db), 3)
  assert.deepEqual(await wordsAmong(db, ['beast1x', 'wort1999x']), ['wort1999x'])
  await indexQueued(db)
  assert.deepEqual(await wordsAmong(db, ['beast1x', 'beast3x']), ['beast1x', 'beast3x'])
})

test('a long question is found by its title at once, by its text after a moment, and not once it is private', async (t) => {
  const db = await testDatabase(t)
  const question = await aQuestion(db, { title: 'Echidna again', body: LONG_BODY })
  assert.deepEqual(await wordsAmong(db, ['echidna', 'wort1999x']), ['echidna'])
  await indexQueued(db)
  assert.deepEqual(await wordsAmong(db, ['echidna', 'wort1999x']), ['echidna', 'wort1999x'])
  await within(db, setResolution, question.id, 'resolved')
  assert.deepEqual(await db.selectFrom('search_documents').select('state').execute(), [{ state: 3 }])
  await setAudience(db, question.id, 'staff')
  assert.deepEqual(await wordsAmong(db, ['echidna', 'wort1999x']), [])
})

/** Those of the words that a document has. */
async function wordsAmong(db: Database, words: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ word: string }>`
    select word from unnest(${words}::text[]) with ordinality as one (word, place)
    where exists (select from search_documents where terms @@ quote_literal(word)::tsquery) order by place`.execute(
    db,
  )
  return rows.map(({ word }) => word)
}
