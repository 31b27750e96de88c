import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { VIEWS } from '../../kernel/limits.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aPerson, aQuestion } from '../../testing/builders.ts'
import { aForum, sharedForum } from '../../testing/forum.ts'
import { rowOf, rowsOf, setRows } from '../../testing/rows.ts'
import { questionPath } from '../../web/paths.ts'
import { sweepViews, writeViews } from './view-counter.ts'

const FIREFOX = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
const SAFARI = { 'user-agent': 'Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 Version/18.4 Safari/605.1.15' }

suite('view counts', () => {
  const forum = sharedForum()
  async function viewsOf(question: { id: number }): Promise<number> {
    await forum.app.views.flush()
    return (await rowOf(forum.db, 'questions', question.id)).views_count
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
    const kept = () => rowsOf(db, 'question_views', { question_id: question.id })
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 24 * 60 * 60_000 })
    await visitor(app).get(questionPath(question), FIREFOX)
    t.mock.timers.reset()
    assert.equal(await viewsOf(question), 2)

    await sweepViews(db)
    assert.equal((await kept()).length, 2)
    await setRows(db, 'question_views', { question_id: question.id }, { day: '2026-01-01' })
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

  test('a network gives a question a limited number of new views an hour, whatever its browsers are called', async () => {
    const { app, db } = forum
    const [question, other] = [await aQuestion(db), await aQuestion(db)]
    let browsers = 0
    const viewFrom = (remoteAddress: string, { id, title } = question) => {
      browsers += 1
      const headers = { 'user-agent': `${FIREFOX['user-agent']} ${browsers}` }
      return app.inject({ url: questionPath({ id, title }), remoteAddress, headers })
    }
    const viewOften = async (times = VIEWS.max) => {
      for (let visit = 0; visit < times; visit += 1) await viewFrom(`2001:db8:1:2::${visit}`)
    }
    await viewOften(2 * VIEWS.max)
    assert.equal(await viewsOf(question), VIEWS.max, 'more at once than it has left')
    await viewOften()
    assert.equal(await viewsOf(question), VIEWS.max, 'later')
    await viewFrom('2001:db8:1:3::1')
    await viewFrom('192.0.2.1')
    assert.equal(await viewsOf(question), VIEWS.max + 2, 'other networks')
    await viewFrom('2001:db8:1:2::1', other)
    assert.equal(await viewsOf(other), 1, 'another question')
    await setRows(db, 'question_views', {}, { seen_at: sql`now() - interval '61 minutes'` })
    await viewOften()
    assert.equal(await viewsOf(question), 2 * VIEWS.max + 2, 'an hour later')
  })

  test('all addresses of an IPv6 network are one visitor with one browser', async () => {
    const { app, db } = forum
    const question = await aQuestion(db)
    for (const remoteAddress of ['2001:db8:1:2::1', '2001:db8:1:2:3::1', '2001:db8:1:3::1'])
      await app.inject({ url: questionPath(question), remoteAddress, headers: FIREFOX })
    assert.equal(await viewsOf(question), 2)
  })

  test('crawlers, prefetches, HEAD and redirects do not count', async () => {
    const { app, db } = forum
    const question = await aQuestion(db)
    const path = questionPath(question)
    const googlebot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
    for (const agent of [googlebot, 'curl/8.14.1', '']) await visitor(app).get(path, { 'user-agent': agent })
    await visitor(app).get(path, { ...FIREFOX, 'sec-purpose': 'prefetch;prerender' })
    await app.inject({ method: 'HEAD', url: path, headers: FIREFOX })
    await visitor(app).get(`/questions/${question.id}`, FIREFOX)
    assert.equal(await viewsOf(question), 0)
  })

  test('processes that write views of the same questions at the same time do not block one another', async () => {
    const { db } = forum
    const questions = await Promise.all(Array.from({ length: 30 }, () => aQuestion(db)))
    const viewsBy = (name: string) => {
      const visitor = { name, hash: Buffer.from(name), network: null }
      return questions.map(({ id: questionId }) => ({ questionId, visitor }))
    }
    for (let round = 0; round < 5; round += 1) {
      const batches = [1, 2, 3, 4].map((process) => viewsBy(`visitor ${round} ${process}`))
      await Promise.all(
        batches.map((views, process) => writeViews(db, process % 2 === 0 ? views : views.toReversed())),
      )
    }
    for (const { id } of questions) assert.equal(await viewsOf({ id }), 20)
  })

  test('what waits in memory is written when the forum stops', async (t) => {
    const { app, db } = await aForum(t)
    const question = await aQuestion(db)
    await visitor(app).get(questionPath(question), FIREFOX)
    await app.close()
    assert.equal((await rowOf(db, 'questions', question.id)).views_count, 1)
  })
})
