import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn, visitor } from '../testing/browser.ts'
import { aPerson, aQuestion } from '../testing/builders.ts'
import { aForum, sharedForum } from '../testing/forum.ts'
import { questionPath } from '../web/paths.ts'
import { sweepViews } from './view-counter.ts'

const FIREFOX = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
const SAFARI = { 'user-agent': 'Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 Version/18.4 Safari/605.1.15' }

suite('view counts', () => {
  const forum = sharedForum()
  async function viewsOf(question: { id: number }): Promise<number> {
    await forum.app.views.flush()
    const row = await forum.db
      .selectFrom('questions')
      .select('views_count')
      .where('id', '=', question.id)
      .executeTakeFirstOrThrow()
    return row.views_count
  }

  test('a visitor counts once a day, whether the views come together or apart', async () => {
    const { app, db } = forum
    const question = await aQuestion(db)
    const path = questionPath(question)
    for (let visit = 0; visit < 3; visit += 1) await visitor(app).get(path, FIREFOX)
    assert.equal(await viewsOf(question), 1)
    await visitor(app).get(path, FIREFOX)
    assert.equal(await viewsOf(question), 1)
    await visitor(app).get(path, SAFARI)
    assert.equal(await viewsOf(question), 2)
  })

  test('the next day counts again, and the day before is forgotten after it', async (t) => {
    const { app, db } = forum
    const question = await aQuestion(db)
    await visitor(app).get(questionPath(question), FIREFOX)
    assert.equal(await viewsOf(question), 1)
    const kept = () =>
      db.selectFrom('question_views').select('day').where('question_id', '=', question.id).execute()
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 24 * 60 * 60_000 })
    await visitor(app).get(questionPath(question), FIREFOX)
    t.mock.timers.reset()
    assert.equal(await viewsOf(question), 2)

    await sweepViews(db)
    assert.equal((await kept()).length, 2)
    await db
      .updateTable('question_views')
      .set({ day: '2026-01-01' })
      .where('question_id', '=', question.id)
      .execute()
    await sweepViews(db)
    assert.equal((await kept()).length, 0)
  })

  test('somebody signed in counts once on all devices; the author does not count', async () => {
    const { app, db } = forum
    const [asker, reader] = [await aPerson(db), await aPerson(db)]
    const question = await aQuestion(db, { author: asker })
    for (const agent of [FIREFOX, SAFARI]) {
      await (await signedIn(app, reader)).get(questionPath(question), agent)
      await (await signedIn(app, asker)).get(questionPath(question), agent)
    }
    assert.equal(await viewsOf(question), 1)
  })

  test('crawlers, prefetches, HEAD and redirects do not count', async () => {
    const { app, db } = forum
    const question = await aQuestion(db)
    const path = questionPath(question)
    const crawlers = [
      'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
      'curl/8.14.1',
      '',
    ]
    for (const agent of crawlers) await visitor(app).get(path, { 'user-agent': agent })
    await visitor(app).get(path, { ...FIREFOX, 'sec-purpose': 'prefetch;prerender' })
    await app.inject({ method: 'HEAD', url: path, headers: FIREFOX })
    await visitor(app).get(`/questions/${question.id}`, FIREFOX)
    assert.equal(await viewsOf(question), 0)
  })

  test('views of a question that has many wait for one another, and those of another do not', async () => {
    const { app, db } = forum
    const [popular, other] = [await aQuestion(db, { views: 500 }), await aQuestion(db)]
    const viewsWritten = async () => {
      await app.views.flush(false)
      const rows = await db
        .selectFrom('questions')
        .select('views_count')
        .where('id', 'in', [popular.id, other.id])
        .orderBy('views_count', 'desc')
        .execute()
      return rows.map((row) => row.views_count)
    }
    for (const question of [popular, other]) await visitor(app).get(questionPath(question), FIREFOX)
    assert.deepEqual(await viewsWritten(), [500, 1])
    for (let reader = 0; reader < 4; reader += 1) {
      const agent = { 'user-agent': `${FIREFOX['user-agent']} ${reader}` }
      await visitor(app).get(questionPath(popular), agent)
    }
    assert.deepEqual(await viewsWritten(), [505, 1])
  })

  test('what waits in memory is written when the forum stops', async (t) => {
    const { app, db } = await aForum(t)
    const question = await aQuestion(db)
    await visitor(app).get(questionPath(question), FIREFOX)
    await app.close()
    const row = await db.selectFrom('questions').select('views_count').executeTakeFirstOrThrow()
    assert.equal(row.views_count, 1)
  })
})
