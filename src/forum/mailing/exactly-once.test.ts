import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { anAnswer, aPerson, aQuestion, aReply, type MadeQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { holds } from '../../testing/properties.ts'
import { deleteAnswer } from '../answers/commands.ts'
import { setFollowing } from '../follows/commands.ts'
import { markRead } from '../telling/read.ts'
import { saveMailChoices } from './commands.ts'
import { mailDue } from './notifier.ts'

const OPTIONS = {
  baseUrl: 'https://forum.example',
  secret: 'x'.repeat(32),
  soonSeconds: 0,
  isSent: false,
  replyAddress: null,
}
const FAILS = { error: () => assert.fail('a mail could not be written') }

/** Something that somebody does; numbers choose among what is there. */
const acts = fc.record({
  kind: fc.constantFrom(
    'answer',
    'answer',
    'reply',
    'delete',
    'read',
    'follow',
    'mute',
    'end',
    'never',
    'soon',
    'mail',
  ),
  person: fc.nat({ max: 2 }),
  question: fc.nat({ max: 1 }),
})
type Act = typeof acts extends fc.Arbitrary<infer One> ? One : never

interface Written {
  readonly body: string
  readonly question: number
  readonly author: number
  readonly answerId: number | null
  isDeleted: boolean
  /** People who have to be mailed, as far as is known until then; and those who must not be. */
  readonly owed: Set<number>
  readonly settled: Set<number>
}

/** What people may and wish to know, kept beside the forum. */
class Model {
  readonly posts: Written[] = []
  readonly levels = new Map<string, 'follow' | 'mute'>()
  readonly silent = new Set<number>()

  write(body: string, question: number, author: number, answerId: number | null): void {
    const owed = new Set(
      [0, 1, 2].filter(
        (person) =>
          person !== author &&
          this.levels.get(`${question} ${person}`) === 'follow' &&
          !this.silent.has(person),
      ),
    )
    this.posts.push({ body, question, author, answerId, isDeleted: false, owed, settled: new Set() })
    if (!this.levels.has(`${question} ${author}`)) this.levels.set(`${question} ${author}`, 'follow')
    this.read(question, author)
  }

  read(question: number, person: number): void {
    for (const post of this.posts) if (post.question === question) this.settle(post, person)
  }

  settle(post: Written, person: number): void {
    post.owed.delete(person)
    post.settled.add(person)
  }
}

test('in any order of posts, deletions, reading and settings each person is mailed once of what they may and wish to know', async (t) => {
  const db = await testDatabase(t)
  let runs = 0
  await holds(
    fc.asyncProperty(fc.array(acts, { minLength: 5, maxLength: 25 }), async (done) => {
      runs += 1
      const [one, other] = [await aPerson(db), await aPerson(db)]
      const people = [one, other, await aPerson(db)]
      const questions = [await aQuestion(db, { author: one }), await aQuestion(db, { author: other })]
      const model = new Model()
      model.levels.set('0 0', 'follow').set('1 1', 'follow')
      const ids = people.map(({ id }) => id)
      for (const [index, act] of [...done, { kind: 'mail', person: 0, question: 0 } as const].entries())
        await perform(db, model, act, { ids, questions, body: `Run${runs}act${index}.` })
    }),
    12,
  )
})

interface Forum {
  readonly ids: readonly number[]
  readonly questions: readonly MadeQuestion[]
  readonly body: string
}

async function perform(db: Database, model: Model, act: Act, { ids, questions, body }: Forum): Promise<void> {
  const { kind, person, question } = act
  const [id = 0, asked] = [ids[person], questions[question]]
  assert.ok(asked !== undefined)
  const key = `${question} ${person}`
  if (kind === 'answer') {
    const answer = await anAnswer(db, { question: asked, author: { id }, body })
    model.write(body, question, person, answer.id)
  } else if (kind === 'reply') {
    await aReply(db, { question: asked, author: { id }, body })
    model.write(body, question, person, null)
  } else if (kind === 'delete') {
    const post = model.posts.find(
      (one) => one.question === question && one.answerId !== null && !one.isDeleted,
    )
    if (post === undefined) return
    await deleteAnswer(db, asked.id, post.answerId ?? 0)
    post.isDeleted = true
  } else if (kind === 'read') {
    await db.transaction().execute((write) => markRead(write, asked.id, id, sql<Date>`now()`))
    model.read(question, person)
  } else if (kind === 'follow' || kind === 'mute') {
    await setFollowing(db, asked.id, id, kind)
    model.levels.set(key, kind)
  } else if (kind === 'end') {
    await setFollowing(db, asked.id, id, 'none')
    model.levels.delete(key)
  } else if (kind === 'mail') await expectMails(db, model, ids)
  else {
    await saveMailChoices(db, id, { rhythm: kind, courses: new Map(), isResumed: false })
    if (kind === 'soon') return void model.silent.delete(person)
    model.silent.add(person)
    for (const post of model.posts) model.settle(post, person)
  }
}

async function expectMails(db: Database, model: Model, ids: readonly number[]): Promise<void> {
  await db.deleteFrom('mails').execute()
  await mailDue(db, FAILS, OPTIONS)
  const mails = await db.selectFrom('mails').select(['person_id', 'text']).execute()
  for (const [person, id] of ids.entries()) {
    const own = mails.filter((mail) => mail.person_id === id)
    assert.ok(own.length <= 1, 'one mail for all')
    const text = own[0]?.text ?? ''
    for (const post of model.posts) {
      const times = text.split(post.body).length - 1
      const isWished = model.levels.get(`${post.question} ${person}`) === 'follow' && !post.isDeleted
      if (post.owed.has(person) && isWished) assert.equal(times, 1, `${post.body} is told to ${person}`)
      if (post.settled.has(person) || !isWished || post.author === person)
        assert.equal(times, 0, `${post.body} is not told to ${person}`)
      // Told now, or not wished when it was time.
      if (post.owed.has(person) || times > 0) model.settle(post, person)
    }
  }
}
