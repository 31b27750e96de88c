import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { beginSession } from '../../accounts/sessions/sessions.ts'
import type { Database, Write } from '../../database/schema.ts'
import { sweepTable } from '../../database/terms.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { aText, deleteAnswer } from '../../testing/posts.ts'
import { rowsOf, setRows } from '../../testing/rows.ts'
import { untilWaiting } from '../../testing/waiting.ts'
import { within } from '../../testing/within.ts'
import { setFollowing } from '../follows/following.ts'
import { MAILING, mailsTo, writeMails } from '../mailing/testing.ts'
import { mergeAccounts } from '../merging/merge.ts'
import { undoMerge } from '../merging/undo.ts'
import { lockQuestion } from '../posts/lock.ts'
import { writeAnswer } from '../posts/text.ts'
import { pushKind } from '../pushing/send-push.ts'
import { subscribe } from '../pushing/subscriptions.ts'
import { aPushBrowser, KEYS } from '../pushing/testing.ts'
import { deliveries, takeDue } from './deliveries.ts'
import { notify, onePerson } from './notify.ts'
import { markAllSeen } from './read.ts'

async function aTalk(t: TestContext) {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  const asker = await aMember(db, course)
  return { db, course, asker, question: await aQuestion(db, { course, author: asker }) }
}

const isOwed = async (db: Database, { id }: { readonly id: number }) =>
  (await rowsOf(db, 'deliveries', { person_id: id })).some((delivery) => delivery.waiting_since !== null)

/** Does something, and while it is not committed writes the mails that are due, which wait for it. */
async function meetsMailing(db: Database, happen: (write: Write) => Promise<unknown>): Promise<void> {
  const [happened, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const happening = db.transaction().execute(async (write) => {
    await happen(write)
    happened.resolve()
    await go.promise
  })
  await happened.promise
  const mailing = writeMails(db)
  await untilWaiting(db)
  go.resolve()
  await Promise.all([happening, mailing])
}

suite('what waits to be told', () => {
  test('is not lost where somebody had read the rest, and more comes while it is looked up', async (t) => {
    const { db, asker, question } = await aTalk(t)
    await anAnswer(db, { question })
    await within(db, markAllSeen, asker.id)
    const { id: authorId } = await aPerson(db)
    await meetsMailing(db, async (write) =>
      writeAnswer(write, await lockQuestion(write, question.id), {
        ...{ authorId, body: await aText('Second.'), isAnonymous: false },
      }),
    )
    await writeMails(db)
    assert.equal((await mailsTo(db, asker)).length, 1)
  })

  test('has a window, though the one that it came into is closed before it is committed', async (t) => {
    const { db, course, asker, question } = await aTalk(t)
    await setRows(db, 'people', asker.id, { mail_rhythm: 'daily' })
    const other = await aQuestion(db, { course, author: asker })
    const told = (write: Write, questionId: number) =>
      notify(
        write,
        { questionId, actorId: null, at: sql<Date>`(now() - interval '2 days')` },
        onePerson(asker.id, 'followed'),
      )
    await within(db, told, question.id)
    await meetsMailing(db, (write) => told(write, other.id))
    await writeMails(db)
    assert.equal(await isOwed(db, asker), false)
  })

  test('is taken by emails and pushes at once, which do not wait for each other in a circle', async (t) => {
    const { db, course, question } = await aTalk(t)
    const people = await Promise.all(Array.from({ length: 20 }, () => aMember(db, course)))
    const ids = people.map(({ id }) => id)
    for (const id of ids) {
      await withBrowser(db, id)
      await within(db, setFollowing, question.id, id, 'follow')
    }
    const take = (channel: 'email' | 'push') => within(db, takeDue, channel, ids)
    for (let round = 0; round < 5; round += 1) {
      await anAnswer(db, { question })
      const taken = await Promise.all([take('email'), take('push')])
      assert.deepEqual([taken[0].length, taken[1].length], [20, 20])
    }
  })

  test('goes with accounts that are merged, and comes back when that is undone', async (t) => {
    const { db, course, question } = await aTalk(t)
    const [from, into] = [await aMember(db, course), await aMember(db, course)]
    await within(db, setFollowing, question.id, from.id, 'follow')
    await anAnswer(db, { question })
    const pair = { fromId: from.id, intoId: into.id }
    const id = await within(db, mergeAccounts, { ...pair, actorId: null, formerName: 'Former' })
    await writeMails(db)
    assert.deepEqual([(await mailsTo(db, from)).length, (await mailsTo(db, into)).length], [0, 1])
    await within(db, undoMerge, id, pair)
    await writeMails(db)
    assert.equal(await isOwed(db, from), false, 'what came back has a window')
  })
})

async function withBrowser(db: Database, personId: number): Promise<void> {
  const sessionToken = await beginSession(db, personId, 'a test')
  await subscribe(db, { personId, sessionToken }, aPushBrowser().subscription, KEYS.publicKey)
}

suite('what was pushed', () => {
  test('is not pushed again where what came since is gone, and stays known as told', async (t) => {
    const { db, asker, question } = await aTalk(t)
    await withBrowser(db, asker.id)
    let sent = 0
    const post = async () => {
      sent += 1
      return 201
    }
    const pushing = { baseUrl: MAILING.baseUrl, mailFrom: 'f@x.example', soonSeconds: 0 }
    const push = () => doJobs(db, pushKind(db, { ...pushing, keys: async () => KEYS, post }))
    await anAnswer(db, { question })
    await push()
    const { id } = await anAnswer(db, { question })
    await within(db, deleteAnswer, question.id, id)
    await push()
    assert.equal(sent, 1)
    await sweepTable(db, deliveries)
    const told = await rowsOf(db, 'deliveries', { channel: 'push' })
    assert.ok(told.length === 1 && told[0]?.sent_at !== null)
  })
})
