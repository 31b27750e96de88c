import assert from 'node:assert/strict'
import { test } from 'node:test'
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
  deleted,
]

test('whatever happens to questions, each page of a list is what a fresh one would be, most often by its rows alone', async (t) => {
  const db = await testDatabase(t)
  const { app, changes } = await testAppThatHears(t, db)
  const fresh = await testApp(t, db)
  const questions = await aForum(db)
  const bystander = await aPerson(db)
  const [member, memberOfFresh] = [await signedIn(app, bystander), await signedIn(fresh, bystander)]
  const first = (await fresh.inject('/questions?sort=votes')).body
  const second = relIn(first, 'next') ?? ''
  const last = relIn((await fresh.inject(second)).body, 'prev') ?? ''
  const pages = [
    '/questions',
    ...['active', 'votes', 'views'].map((sort) => `/questions?sort=${sort}`),
    '/questions?status=unanswered&sort=active',
    '/questions?status=resolved',
    '/courses/rest?sort=active',
    '/tags/http?sort=votes',
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
  for (let step = 0; step < 66; step += 1) {
    const question = random.pick(questions)
    await ACTS[step % ACTS.length]?.(db, question)
    if (step % 9 === 0) questions.push(await aQuestion(db, { title: `New ${step}`, tags: ['http'] }))
    await changes.caughtUp()
    // Some are asked for so often that they are made before somebody asks.
    for (const page of [...pages, ...pages.slice(0, step % 7), ...pages.slice(0, step % 7)]) {
      const [kept, made] = await Promise.all([app.inject(page), fresh.inject(page)])
      assert.equal(kept.body, made.body, `${page}, step ${step}`)
      assert.equal(kept.headers.etag?.toString().replace('-identity', ''), made.headers.etag)
      const [own, ownMade] = await Promise.all([member.get(page), memberOfFresh.get(page)])
      assert.equal(withoutTokens(own.body), withoutTokens(ownMade.body), `${page}, step ${step}, signed in`)
    }
  }
  assert.ok(byRows > 200, `only ${byRows} were made by their rows`)
})

/** More than two pages of questions, some in a course that is hidden from most. */
async function aForum(db: Database): Promise<MadeQuestion[]> {
  const open = await aCourse(db, { slug: 'rest' })
  const hidden = await aCourse(db, { slug: 'secret' })
  await db.updateTable('courses').set({ is_public: false }).where('id', '=', hidden.id).execute()
  const questions: MadeQuestion[] = []
  const random = new Random(7)
  for (let number = 0; number < 2 * PAGE_SIZE + 8; number += 1) {
    const tags = number % 2 === 0 ? ['http'] : ['git', 'status']
    const place = { course: number % 8 === 0 ? hidden : open, title: `Question ${number}` }
    questions.push(await aQuestion(db, { ...place, tags, views: random.below(9) }))
  }
  return questions
}
