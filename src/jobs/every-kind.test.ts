import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { beginSession } from '../accounts/sessions/sessions.ts'
import { connect } from '../database/connection.ts'
import type { Database, Schema } from '../database/schema.ts'
import { newsKind } from '../forum/mailing/notifier.ts'
import { weekKind } from '../forum/mailing/staff-week.ts'
import { releaseKind } from '../forum/posts/hold.ts'
import { pushKind } from '../forum/pushing/send-push.ts'
import { subscribe } from '../forum/pushing/subscriptions.ts'
import { aPushBrowser, KEYS } from '../forum/pushing/testing.ts'
import { indexing } from '../forum/search/index-question.ts'
import { clarificationKind, heldKind, promiseKind } from '../forum/telling/reminders.ts'
import { addWebhookRow } from '../forum/webhooks/row-testing.ts'
import { webhookKind } from '../forum/webhooks/sending.ts'
import { webhookStopKind } from '../forum/webhooks/stops.ts'
import { aReceiver, aWebhook, happen, SENDING } from '../forum/webhooks/testing.ts'
import { mailServer } from '../mail/mail-server.ts'
import { sendingTo } from '../mail/send-mail.ts'
import { aMailServer, someMail } from '../mail/testing.ts'
import { silentLog } from '../testing/app.ts'
import { atEnd } from '../testing/at-end.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../testing/builders.ts'
import { setPromise } from '../testing/courses.ts'
import { testDatabaseWithUrl } from '../testing/database.ts'
import type { QuestionOptions } from '../testing/posts.ts'
import { aProxy } from '../testing/proxy.ts'
import { setRows } from '../testing/rows.ts'
import { until } from '../testing/waiting.ts'
import type { Kind } from './kind.ts'
import { Lane } from './runner.ts'
import { enqueue, listFailedJobs, retryJob } from './table.ts'
import { FAST } from './testing.ts'

/** A kind of job with what a test does to it. */
interface Workshop {
  kind(db: Database): Kind
  /** Adds one piece of work, through the door that the forum uses. */
  add(): Promise<void>
  /** How many pieces were done, each as often as it was. */
  done(): Promise<number>
  /** Makes all work fail. */
  destroy(): Promise<void>
  mend(): Promise<void>
  /** Makes one piece of what waits fail each time. */
  poison?(): Promise<void>
}

/** Longer than a test may take. */
const LONG_MS = 3_600_000

const HELD = '(select id as question_id from questions where held_at is not null) as waiting'

const MAILING = { baseUrl: 'https://x.example', secret: 'x'.repeat(32), replyAddress: null }

const WORKSHOPS: Record<string, (t: TestContext, db: Database) => Promise<Workshop>> = {
  mail: async (t, db) => {
    const server = await aMailServer(t)
    return {
      kind: (db) =>
        sendingTo(db, mailServer({ url: server.url, from: 'f@x.example', host: 'x.example' }), silentLog(), {
          pause: () => 50,
        }),
      add: () => someMail(db, {}),
      done: async () => server.arrived.length,
      destroy: () => server.goAway(),
      mend: () => server.comeBack(),
    }
  },
  search: async (_t, db) => {
    const word = (number: number) => `quokka${number}x`
    let added = 0
    return {
      kind: indexing,
      add: async () => {
        const { id } = await aQuestion(db)
        await setRows(db, 'questions', id, { body_html: word(added) })
        added += 1
        await enqueue(db, 'search', id)
      },
      done: async () => {
        const { rows } = await sql<{ words: string[] }>`
          select tsvector_to_array(terms) as words from search_documents`.execute(db)
        const words = rows.flatMap((row) => row.words)
        return Array.from({ length: added }, (_, number) => word(number)).filter((one) => words.includes(one))
          .length
      },
      ...breaking(db, 'search_documents', "not terms @@ 'quokka:*'::tsquery"),
    }
  },
  news: async (_t, db) => ({
    kind: (db) => newsKind(db, { ...MAILING, soonSeconds: 0, isSent: false }),
    add: async () => {
      await anAnswer(db, { question: await aQuestion(db, { author: await aPerson(db) }) })
    },
    ...mailing(db, 'news', "deliveries where channel = 'email' and waiting_since is not null"),
  }),
  push: async (_t, db) => {
    const taken: string[] = []
    let isAway = false
    const post = async ({ endpoint }: { readonly endpoint: string }) => {
      if (isAway) throw new Error('the push service is away')
      taken.push(endpoint)
      return 201
    }
    const pushing = {
      ...{ baseUrl: 'https://x.example', mailFrom: 'f@x.example', soonSeconds: 0 },
      ...{ keys: async () => KEYS, post },
    }
    return {
      kind: (db) => pushKind(db, pushing),
      add: async () => {
        const { id: personId } = await aPerson(db)
        const session = { personId, sessionToken: await beginSession(db, personId, 'a test') }
        await subscribe(db, session, aPushBrowser().subscription, KEYS.publicKey)
        await anAnswer(db, { question: await aQuestion(db, { author: { id: personId } }) })
      },
      done: async () => taken.length,
      destroy: async () => {
        isAway = true
      },
      mend: async () => {
        isAway = false
      },
    }
  },
  promise: async (_t, db) => ({
    kind: promiseKind,
    // Of each course one question a day.
    add: async () => {
      const course = await aCourse(db)
      await aMember(db, course, 'instructor')
      await setPromise(db, course.id, 1)
      const { id } = await aQuietQuestion(db, { course })
      const earlier = sql<Date>`now() - interval '2 hours'`
      await setRows(db, 'questions', id, { written_at: earlier, active_at: earlier })
    },
    ...notifying(db, 'promise', 'due_questions'),
  }),
  clarification: async (_t, db) => {
    const course = await aCourse(db)
    const staff = await aMember(db, course, 'instructor')
    return {
      kind: clarificationKind,
      add: async () => {
        const at = new Date(Date.now() - 4 * 24 * 3_600_000)
        const question = await aQuestion(db, { course, writtenAt: new Date(Number(at) - 1000) })
        await aReply(db, { question, author: staff, writtenAt: at })
        await sql`delete from notifications where question_id = ${question.id}`.execute(db)
      },
      ...notifying(db, 'clarification', 'question_desk where asker_since is distinct from reminded_since'),
    }
  },
  held: async (_t, db) => ({
    kind: heldKind,
    add: async () => {
      const course = await aCourse(db)
      await aMember(db, course, 'instructor')
      const { id } = await aQuietQuestion(db, { course })
      // First, or a process tells staff of what was never told, and again.
      await setRows(db, 'courses', course.id, { held_told_at: sql`now() - interval '2 hours'` })
      await setRows(db, 'questions', id, { held_at: sql`now()`, held_for: 'all' })
    },
    ...notifying(db, 'held', HELD),
  }),
  release: async (_t, db) => {
    const course = await aCourse(db)
    return {
      kind: releaseKind,
      add: async () => {
        const author = await aPerson(db, { isConfirmed: false })
        const { id } = await aQuietQuestion(db, { course, author })
        await setRows(db, 'questions', id, { held_at: sql`written_at`, held_for: 'unconfirmed' })
        for (const column of ['new_until', 'email_confirmed_at'])
          await setRows(db, 'people', author.id, { [column]: sql`now()` })
      },
      ...notifying(db, 'released', HELD),
    }
  },
  webhook: async (t, db) => {
    const receiver = await aReceiver(t)
    return {
      kind: (db) => webhookKind(db, SENDING),
      add: async () => {
        const course = await aCourse(db)
        const owner = await aMember(db, course, 'instructor')
        const types = ['course.imported']
        await aWebhook(db, { url: receiver.url, owner, course_id: course.id, types })
        await happen(db, [{ type: 'course.imported', course_id: course.id }])
      },
      done: async () => receiver.received.length,
      ...breaking(db, 'webhook_deliveries', 'tries = 0'),
    }
  },
  'webhook-stop': async (_t, db) => ({
    kind: (db) => webhookStopKind(db, MAILING),
    add: async () => {
      const course = await aCourse(db)
      await aMember(db, course, 'instructor')
      const { id: ownerId } = await aPerson(db)
      await addWebhookRow(db, { courseId: course.id, ownerId })
    },
    ...mailing(db, 'webhookPaused', 'webhooks join course_members as member using (course_id)'),
  }),
  week: async (_t, db) => {
    const course = await aCourse(db)
    return {
      kind: (db) => weekKind(db, MAILING),
      add: async () => {
        const staff = await aMember(db, course, 'assistant')
        await sql`insert into staff_weeks (person_id, next_at) values (${staff.id}, now())
          on conflict (person_id) do update set next_at = now()`.execute(db)
      },
      ...mailing(db, 'week', 'staff_weeks'),
    }
  },
}

/** A question of whose arrival nobody is told: what counts is what its job tells. */
async function aQuietQuestion(db: Database, options: QuestionOptions) {
  const question = await aQuestion(db, options)
  await sql`delete from notifications where question_id = ${question.id}`.execute(db)
  return question
}

/** A job that mails. @param waiting where people stand who are to get it */
const mailing = (db: Database, kind: string, waiting: string) => ({
  done: () => countOf(db, `count(*) from mails where kind = '${kind}'`),
  ...breaking(db, 'mails', `kind <> '${kind}'`),
  poison: () => poison(db, 'mails', 'person_id', waiting),
})

/** A job that notifies. @param waiting where questions stand of which it tells */
const notifying = (db: Database, reason: string, waiting: string) => ({
  done: () => countOf(db, `coalesce(sum(count), 0) from notifications where reason = '${reason}'`),
  ...breaking(db, 'notifications', `reason <> '${reason}'`),
  poison: () => poison(db, 'notifications', 'question_id', waiting),
})

/** No row that this condition forbids can be written, until it is mended. */
function breaking(db: Database, table: keyof Schema, condition: string): Pick<Workshop, 'destroy' | 'mend'> {
  const change = async (how: string) => {
    await sql`alter table ${sql.table(table)} ${sql.raw(how)}`.execute(db)
  }
  return {
    destroy: () => change(`add constraint broken check (${condition}) not valid`),
    mend: () => change('drop constraint broken'),
  }
}

/** Nothing can be written any more about the first of those that wait. */
async function poison(db: Database, table: keyof Schema, column: string, waiting: string) {
  const id = await countOf(db, `min(${column}) from ${waiting}`)
  await sql`alter table ${sql.table(table)} add constraint poisoned
    check (${sql.ref(column)} <> ${sql.lit(id)}) not valid`.execute(db)
}

async function countOf(db: Database, what: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with counted (count) as (select ${sql.raw(what)}) select count::integer from counted`.execute(db)
  return rows[0]?.count ?? 0
}

for (const [name, open] of Object.entries(WORKSHOPS))
  suite(`jobs of kind ${name}`, () => {
    test('are done once by three processes, and leave nothing', async (t) => {
      const { db, workshop } = await aWorkshop(t, open)
      for (const _process of [1, 2, 3]) start(t, db, workshop)
      await addSome(workshop, 8)
      await until('all is done', async () => (await left(db, name)) === 0 && (await workshop.done()) >= 8)
      assert.equal(await workshop.done(), 8)
    })

    test('wait while what they need is away, say why, and are done once it is back', async (t) => {
      const { db, workshop } = await aWorkshop(t, open)
      await workshop.destroy()
      await addSome(workshop, 3)
      start(t, db, workshop)
      start(t, db, workshop)
      await until(
        'each was tried twice',
        async () => (await triesOf(db, name)).filter((tries) => tries >= 2).length >= 3,
      )
      await until('one says why', async () => (await left(db, name, "last_error <> ''")) > 0)
      assert.equal(await workshop.done(), 0)
      await workshop.mend()
      await until('all is done', async () => (await left(db, name)) === 0 && (await workshop.done()) >= 3)
      assert.equal(await workshop.done(), 3)
    })

    test('of a process that died are taken over when its lease is over, not before', async (t) => {
      const { db, workshop } = await aWorkshop(t, open)
      await failOnce(t, db, workshop, name)
      await sql`update jobs set last_error = null, due_at = now() + interval '1 hour'`.execute(db)
      await workshop.mend()
      start(t, db, workshop)
      await addSome(workshop, 1)
      await until('another one is done', async () => (await workshop.done()) === 1)
      await sql`update jobs set due_at = now()`.execute(db)
      await until('all is done', async () => (await left(db, name)) === 0)
      assert.equal(await workshop.done(), 2)
    })

    test('are done once although the database goes away for longer than the lease', async (t) => {
      const { db, url, workshop } = await aWorkshop(t, open)
      const proxy = await aProxy(t, url)
      for (const _process of [1, 2]) {
        const flaky = connect(proxy.url, { connectionTimeout: 300, statementTimeout: 300 })
        atEnd(t, () => flaky.destroy())
        start(t, flaky, workshop)
      }
      for (const _outage of [1, 2, 3]) {
        await addSome(workshop, 2)
        await proxy.close()
        await sql`update jobs set due_at = now() where last_error is not null`.execute(db)
        await proxy.open()
      }
      // The lease of a claim whose answer was lost.
      await until('all is done', async () => {
        const isDone = (await left(db, name)) === 0 && (await workshop.done()) >= 6
        if (!isDone)
          await sql`update jobs set due_at = now() where due_at > now() + interval '1 minute'`.execute(db)
        return isDone
      })
      assert.ok((await workshop.done()) === 6 || ['mail', 'push', 'webhook'].includes(name))
    })

    test('are all done but one that fails each time, which an admin sees', async (t) => {
      const { db, workshop } = await aWorkshop(t, open)
      if (workshop.poison === undefined) return t.skip('its jobs share nothing but the runner')
      await addSome(workshop, 5)
      await workshop.poison()
      start(t, db, workshop)
      await until('the others are done', async () => (await workshop.done()) === 4)
      await until('it was tried again', async () => (await triesOf(db, name)).some((tries) => tries > 1))
      // Not while it is tried.
      await until('an admin sees it', async () => (await listFailedJobs(db, 10)).length === 1)
      assert.equal(await workshop.done(), 4)
    })

    test('are given up where an admin sees them, who has them tried again', async (t) => {
      const { db, workshop } = await aWorkshop(t, open)
      await failOnce(t, db, workshop, name)
      await sql`update jobs set give_up_at = now()`.execute(db)
      const [{ id, kind, isGivenUp } = assert.fail(), ...others] = await listFailedJobs(db, 10)
      assert.deepEqual([kind, isGivenUp, others], [name, true, []])
      await workshop.mend()
      assert.equal((await retryJob(db, { id }))?.kind, name)
      start(t, db, workshop)
      await until('it is done', async () => (await left(db, name)) === 0)
      assert.equal(await workshop.done(), 1)
    })
  })

test('one that fails does not keep those of its batch', async (t) => {
  const { db } = await testDatabaseWithUrl(t)
  const done: string[] = []
  const kind: Kind = {
    ...{ name: 'test', concurrency: 1, batch: 10, timeout: 60_000 },
    run: async (jobs) => {
      if (jobs.some(({ key }) => key === 'poison')) throw new Error('poison')
      done.push(...jobs.map(({ key }) => key))
    },
  }
  for (const key of ['a', 'a', 'poison', 'b']) await enqueue(db, 'test', key)
  startLane(t, db, kind, { ...FAST, backOff: () => 600 })
  await until('the others are done', async () => (await left(db, 'test')) === 1)
  assert.deepEqual(done, ['a', 'b'])
})

test('who waits for jobs does not wait for a rest', { timeout: 60_000 }, async (t) => {
  const { db } = await testDatabaseWithUrl(t)
  const done: string[] = []
  const kind: Kind = {
    ...{ name: 'test', concurrency: 1, batch: 5, timeout: 5000 },
    run: async (jobs) => {
      // Meanwhile it looks by the clock as well.
      // biome-ignore lint/plugin: the job itself takes that long
      await sleep(5 * FAST.pause)
      done.push(...jobs.map(({ key }) => key))
    },
    rest: () => LONG_MS,
  }
  await enqueue(db, 'test', 'a')
  const lane = startLane(t, db, kind)
  await lane.caughtUp(LONG_MS)
  assert.deepEqual(done, ['a'])

  await enqueue(db, 'test', 'b')
  lane.wake()
  await lane.caughtUp(LONG_MS)
  assert.deepEqual(done, ['a', 'b'], 'the rest ends for who waits')
})

async function aWorkshop(t: TestContext, open: (t: TestContext, db: Database) => Promise<Workshop>) {
  const { db, url } = await testDatabaseWithUrl(t)
  return { db, url, workshop: await open(t, db) }
}

async function addSome(workshop: Workshop, count: number): Promise<void> {
  for (let added = 0; added < count; added += 1) await workshop.add()
}

const start = (t: TestContext, db: Database, workshop: Workshop) => startLane(t, db, workshop.kind(db))

function startLane(t: TestContext, db: Database, kind: Kind, timing = FAST): Lane {
  const lane = new Lane(db, silentLog(), kind, timing)
  atEnd(t, () => lane.stop())
  return lane
}

/** One piece of work fails in a process that ends then. */
async function failOnce(t: TestContext, db: Database, workshop: Workshop, name: string): Promise<void> {
  await workshop.destroy()
  await addSome(workshop, 1)
  const lane = start(t, db, workshop)
  await until('it failed', async () => (await left(db, name, 'last_error is not null')) === 1)
  await lane.stop()
}

async function left(db: Database, kind: string, which = 'true'): Promise<number> {
  return countOf(db, `count(*) from jobs where kind = '${kind}' and ${which}`)
}

/** Of those that were tried. */
async function triesOf(db: Database, kind: string): Promise<number[]> {
  const { rows } = await sql<{ tries: number }>`
    select tries from jobs where kind = ${kind} and tries > 0`.execute(db)
  return rows.map(({ tries }) => tries)
}
