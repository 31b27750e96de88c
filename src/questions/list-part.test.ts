import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../database/schema.ts'
import { Random } from '../generate/random.ts'
import { testApp, testAppThatHears } from '../testing/app.ts'
import { signedIn } from '../testing/browser.ts'
import { aCourse, anAnswer, aPerson, aQuestion, type MadeQuestion } from '../testing/builders.ts'
import { testDatabase } from '../testing/database.ts'
import { relIn, withoutTokens } from '../testing/page.ts'
import { deleteQuestion } from './commands.ts'
import { PAGE_SIZE } from './list.ts'
import { setResolution } from './resolution.ts'

type Act = (db: Database, question: MadeQuestion) => Promise<unknown>

const answered: Act = (db, question) => anAnswer(db, { question })
const voted: Act = (db, { id }) =>
  sql`update questions set votes_count = votes_count + 1, imported_votes_count = imported_votes_count + 1
    where id = ${id}`.execute(db)
const unvoted: Act = (db, { id }) =>
  sql`update questions set votes_count = votes_count - 1, imported_votes_count = imported_votes_count - 1
    where id = ${id}`.execute(db)
const viewed: Act = (db, { id }) =>
  sql`update questions set views_count = views_count + 3 where id = ${id}`.execute(db)
const renamed: Act = (db, { id }) =>
  sql`update questions set title = title || '!' where id = ${id}`.execute(db)
const resolved: Act = (db, { id }) => setResolution(db, id, 'resolved')
const reopened: Act = (db, { id }) => setResolution(db, id, 'unresolved')
const deleted: Act = (db, { id }) => deleteQuestion(db, id)

/** What happens to questions; most often what leaves their lists known. */
const ACTS = [
  answered,
  voted,
  viewed,
  answered,
  voted,
  renamed,
  resolved,
  answered,
  reopened,
  viewed,
  unvoted,
  deleted,
]

test('whatever happens to questions, each page of a list is what a fresh one would be, most often by its rows alone', async (t) => {
  const { db, app, changes, fresh, questions } = await aForum(t, 2 * PAGE_SIZE + 8)
  const bystander = await aPerson(db)
  const [member, memberOfFresh] = [await signedIn(app, bystander), await signedIn(fresh, bystander)]
  const first = (await fresh.inject('/questions?sort=votes')).body
  const second = relIn(first, 'next') ?? ''
  const last = relIn((await fresh.inject(second)).body, 'prev') ?? ''
  const pages = [
    '/questions',
    '/questions?sort=votes',
    '/questions?status=unanswered&sort=active',
    '/courses/rest?sort=views',
    '/tags/http?sort=active',
    second,
    last,
  ]
  let byRows = 0
  const read = app.listedQuestions.of.bind(app.listedQuestions)
  app.listedQuestions.of = (...given) => {
    byRows += 1
    return read(...given)
  }
  const random = new Random(8)
  for (let step = 0; step < 36; step += 1) {
    for (let count = 0; count <= step % 3; count += 1) {
      const [act, question] = [random.pick(ACTS), random.pick(questions)]
      await act(db, question)
      if (act === deleted) questions.splice(questions.indexOf(question), 1)
    }
    if (step % 9 === 0) questions.push(await aQuestion(db, { title: `New ${step}`, tags: ['http'] }))
    await changes.caughtUp()
    // Some are asked for so often that they are made before somebody asks.
    for (const page of pages.slice(0, step % 5))
      for (let asks = 0; asks < 3; asks += 1) await app.inject(page)
    for (const page of pages) {
      const [kept, made] = await Promise.all([app.inject(page), fresh.inject(page)])
      assert.equal(kept.body, made.body, `${page}, step ${step}`)
      assert.equal(kept.headers.etag?.toString().replace('-identity', ''), made.headers.etag)
      if (step % 4 !== 0) continue
      const [own, ownMade] = await Promise.all([member.get(page), memberOfFresh.get(page)])
      assert.equal(withoutTokens(own.body), withoutTokens(ownMade.body), `${page}, step ${step}, signed in`)
    }
  }
  assert.ok(byRows > 80, `only ${byRows} were made by their rows`)
})

test('a question that came to a list and is gone again before anybody asks is not on it', async (t) => {
  const { db, app, changes, fresh, questions } = await aForum(t, 5)
  const question = questions[0]
  assert.ok(question)
  const comings: Record<string, () => Promise<unknown>> = {
    '/questions?status=resolved': async () => {
      await resolved(db, question)
      await reopened(db, question)
    },
    '/questions?sort=votes': async () => {
      for (let count = 0; count < 3; count += 1) await voted(db, question)
      for (let count = 0; count < 3; count += 1) await unvoted(db, question)
    },
    '/questions': async () => {
      const asked = await aQuestion(db, { title: 'Asked by mistake' })
      await deleted(db, asked)
    },
  }
  // A list with nothing on it has no rows.
  await resolved(db, await aQuestion(db))
  for (const [page, comeAndGo] of Object.entries(comings)) {
    for (const asks of [2, 10]) {
      await changes.caughtUp()
      for (let count = 0; count < asks; count += 1) await app.inject(page)
      await comeAndGo()
      await changes.caughtUp()
      assert.equal((await app.inject(page)).body, (await fresh.inject(page)).body, `${page}, ${asks} asks`)
    }
  }
})

test('a change that is told late and as things were before another one takes nothing back', async (t) => {
  const { db, app, changes, fresh, questions } = await aForum(t, 5)
  const question = questions[0]
  assert.ok(question)
  await resolved(db, await aQuestion(db))
  const told: string[] = []
  const stop = changes.listen({
    changed: (change) => {
      if ('question' in change && change.question === question.id) told.push(JSON.stringify(change))
    },
    lost: () => undefined,
  })
  await voted(db, question)
  await changes.caughtUp()
  stop()
  const pages = ['/questions?sort=votes', '/questions?status=resolved', '/questions?status=unresolved']
  for (const act of [resolved, deleted]) {
    for (const page of pages) for (let asks = 0; asks < 5; asks += 1) await app.inject(page)
    await act(db, question)
    // As a vote for an answer tells it whose trigger had read the question before: at once, and when the pages are made.
    for (let times = 0; times < 2; times += 1) {
      await sql`select pg_notify('changes', ${told.at(-1)})`.execute(db)
      await changes.caughtUp()
      for (const page of pages)
        assert.equal((await app.inject(page)).body, (await fresh.inject(page)).body, page)
    }
  }
})

/** So many questions, some in a course that is hidden from most; the forum that keeps pages, and one that keeps none. */
async function aForum(t: TestContext, size: number) {
  const db = await testDatabase(t)
  const { app, changes } = await testAppThatHears(t, db)
  const fresh = await testApp(t, db)
  const open = await aCourse(db, { slug: 'rest' })
  const hidden = await aCourse(db, { slug: 'secret' })
  await db.updateTable('courses').set({ is_public: false }).where('id', '=', hidden.id).execute()
  const questions: MadeQuestion[] = []
  const random = new Random(7)
  for (let number = 0; number < size; number += 1) {
    const tags = number % 2 === 0 ? ['http'] : ['git', 'status']
    const place = { course: number % 8 === 1 ? hidden : open, title: `Question ${number}` }
    questions.push(await aQuestion(db, { ...place, tags, views: random.below(9) }))
  }
  return { db, app, changes, fresh, questions }
}
