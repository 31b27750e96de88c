import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { aCourse, aMember, aPerson, aQuestion } from '../../testing/builders.ts'
import { setPromise } from '../../testing/courses.ts'
import { sharedForum } from '../../testing/forum.ts'
import { rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { dueWebhooks, planByClock } from './planning.ts'
import { aWebhook, deliveriesOf, happen, passWebhookTime, type WebhookOptions } from './testing.ts'

suite('planning deliveries', () => {
  const forum = sharedForum()

  async function aScene() {
    const { db } = forum
    const [course, other] = [await aCourse(db), await aCourse(db)]
    const owner = await aMember(db, course, 'instructor')
    const question = await aQuestion(db, { course })
    const webhook = (more: Partial<WebhookOptions> = {}) =>
      aWebhook(db, {
        ...{ url: 'https://example.com/hook', owner, course_id: course.id },
        ...((more.kind ?? 'standard') === 'standard' && { types: ['question.created', 'question.removed'] }),
        ...more,
      })
    const about = { course_id: course.id, question_id: question.id }
    const planned = async (ids: readonly number[]) =>
      Promise.all(ids.map(async (id) => (await deliveriesOf(db, id)).length))
    return { db, course, other, owner, about, webhook, planned }
  }

  test('webhooks hear of the types they chose, in their course or in all of the forum, as long as they are on', async () => {
    const { db, other, about, webhook, planned } = await aScene()
    const ids = [
      await webhook(),
      await webhook({ types: ['question.edited'] }),
      await webhook({ course_id: other.id }),
      await webhook({ course_id: null, owner: await aPerson(db, { isAdmin: true }) }),
      await webhook({ kind: 'slack', chat: ['new'] }),
      await webhook({ kind: 'slack', chat: ['daily'] }),
      await webhook({ stopped: 'failing', stopped_at: new Date() }),
    ]
    await happen(db, [{ type: 'question.created', ...about }])
    assert.deepEqual(await planned(ids), [1, 0, 0, 1, 1, 0, 0])
    await happen(db, [
      { type: 'question.edited', ...about },
      { type: 'question.removed', ...about },
    ])
    assert.deepEqual(await planned(ids), [2, 1, 0, 2, 1, 0, 0])
  })

  test('what only staff could have had goes to those alone that are to have private posts', async () => {
    const { db, about, webhook, planned } = await aScene()
    const ids = [
      await webhook(),
      await webhook({ with_private: true }),
      await webhook({ kind: 'teams', chat: ['new'] }),
    ]
    for (const type of ['question.created', 'question.removed'])
      await happen(db, [{ type, ...about, audience: 'staff' }])
    assert.deepEqual(await planned(ids), [0, 2, 0])
  })

  test('an archived course is quiet', async () => {
    const { db, course, about, webhook, planned } = await aScene()
    const ids = [await webhook(), await webhook({ kind: 'slack', chat: ['daily'] })]
    await planByClock(db)
    await setRows(db, 'courses', course.id, { archived_at: new Date() })
    await happen(db, [{ type: 'question.created', ...about }])
    await passWebhookTime(db, '2 days')
    await planByClock(db)
    assert.deepEqual(await planned(ids), [0, 0])
  })

  test('a delivery waits as emails do, what is removed for nothing; the same event is planned once', async () => {
    const { db, about, webhook } = await aScene()
    const id = await webhook()
    const happened_at = sql<Date>`now() - interval '1 minute'`
    await happen(
      db,
      [
        { type: 'question.created', ...about, happened_at },
        { type: 'question.removed', ...about, happened_at },
      ],
      300,
    )
    const { rows } = await sql<{ wait: number }>`
      select extract(epoch from due_at - happened_at)::integer as wait from webhook_deliveries
      join events on events.id = event_id where webhook_id = ${id} order by events.number`.execute(db)
    assert.deepEqual(valuesOf(rows, 'wait'), [300, 0])
    const jobs = await rowsOf(db, 'jobs', { kind: 'webhook', key: String(id) })
    assert.equal(jobs.length, 1, 'what is due at once has a job')
  })

  test('a daily summary comes at eight where the course is, from the next morning on', async () => {
    const { db, course, webhook, planned } = await aScene()
    await setRows(db, 'courses', course.id, { time_zone: 'Asia/Seoul' })
    const id = await webhook({ kind: 'discord', chat: ['daily'] })
    await planByClock(db)
    const next = async () => {
      const { rows } = await sql<{ hour: string; isAhead: boolean }>`
        select to_char(daily_at at time zone 'Asia/Seoul', 'HH24:MI') as hour, daily_at > now() as "isAhead"
        from webhooks where id = ${id}`.execute(db)
      return rows[0]
    }
    assert.deepEqual([await next(), await planned([id])], [{ hour: '08:00', isAhead: true }, [0]])
    await passWebhookTime(db, '1 day')
    await planByClock(db)
    await planByClock(db)
    assert.deepEqual([await next(), await planned([id])], [{ hour: '08:00', isAhead: true }, [1]])
    // Switched off for a week and on again: nothing of that week.
    await setRows(db, 'webhooks', id, { chat: ['new'] })
    await planByClock(db)
    await passWebhookTime(db, '7 days')
    await setRows(db, 'webhooks', id, { chat: ['daily'] })
    await planByClock(db)
    assert.deepEqual(await planned([id]), [1])
  })

  test('what is late is planned once until it was told, from when it was switched on', async () => {
    const { db, course, webhook, planned } = await aScene()
    await setPromise(db, course.id, 1)
    const early = await aQuestion(db, { course })
    const waitSince = ({ id }: { readonly id: number }, interval: string) =>
      setRows(db, 'question_desk', { question_id: id }, { waiting_since: sql`now() - ${interval}::interval` })
    await waitSince(early, '2 hours')
    const id = await webhook({ kind: 'discord', chat: ['late'] })
    await planByClock(db)
    assert.deepEqual(await planned([id]), [0], 'was late before')
    const [late, hidden] = [
      await aQuestion(db, { course }),
      await aQuestion(db, { course, audience: 'staff' }),
    ]
    await passWebhookTime(db, '30 minutes')
    await waitSince(hidden, '65 minutes')
    await planByClock(db)
    assert.deepEqual(await planned([id]), [0], 'private questions never')
    await waitSince(late, '65 minutes')
    await planByClock(db)
    await planByClock(db)
    assert.deepEqual(await planned([id]), [1])
  })

  test('what is due is found by its index, however many deliveries are done', async () => {
    const { db, webhook } = await aScene()
    const id = await webhook()
    await sql`
      insert into webhook_deliveries (webhook_id, message_id, what, due_at, done_at)
      select ${id}, ${`msg_${id}_`} || number, 'test', now(), now()
      from generate_series(1, 20000) as number`.execute(db)
    await sql`analyze webhook_deliveries`.execute(db)
    const { rows } = await sql<{ 'QUERY PLAN': string }>`explain ${dueWebhooks}`.execute(db)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    assert.match(plan, /Index (?:Only )?Scan using webhook_deliveries_due/)
  })
})
