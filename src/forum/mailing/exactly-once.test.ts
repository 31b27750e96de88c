import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import {
  aCourse,
  aMember,
  anAnswer,
  aQuestion,
  aReply,
  type MadeCourse,
  type MadeQuestion,
} from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { holds } from '../../testing/properties.ts'
import { announce } from '../announcements/commands.ts'
import { deleteAnswer } from '../answers/commands.ts'
import { setFollowing } from '../follows/commands.ts'
import { unseenNotifications } from '../notifications/queries.ts'
import { editText } from '../questions/post-text.ts'
import { deleteReply } from '../replies/commands.ts'
import { markAllSeen, markRead } from '../telling/read.ts'
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
    'reply',
    'announce',
    'edit',
    'delete',
    'delete',
    'read',
    'read all',
    'follow',
    'mute',
    'end',
    'never',
    'soon',
    'kinds off',
    'kinds on',
    'mail',
    'mail',
  ),
  person: fc.nat({ max: 2 }),
  question: fc.nat({ max: 1 }),
})
type Act = typeof acts extends fc.Arbitrary<infer One> ? One : never

/** Of an answer or a reply: their index; an announcement is about no question. */
type Place = 0 | 1 | null

interface Written {
  readonly kind: 'answer' | 'reply' | 'announcement'
  readonly id: number
  body: string
  readonly question: Place
  /** null: none of the three. */
  readonly author: number | null
  isDeleted: boolean
  /** People who have to be mailed, as far as is known until then; and those who must not be. */
  readonly owed: Set<number>
  readonly settled: Set<number>
  /** Who finds it in the forum as something new, and who has read or written it. */
  readonly unseen: Set<number>
  readonly seen: Set<number>
}

const PEOPLE = [0, 1, 2] as const
/** Why one hears of answers and replies. */
const KINDS = ['answered', 'reply', 'followed']

/** What people may and wish to know, kept beside the forum. */
class Model {
  readonly posts: Written[] = []
  readonly levels = new Map<string, 'follow' | 'mute'>()
  /** Who wants no mail at all, and who wants none of posts. */
  readonly never = new Set<number>()
  readonly kindsOff = new Set<number>()

  write(post: Pick<Written, 'kind' | 'id' | 'body' | 'question' | 'author'>): void {
    const { question, author } = post
    const told = PEOPLE.filter((person) => person !== author && this.hears(question, person))
    const owed = told.filter(
      (person) => !this.never.has(person) && (question === null || !this.kindsOff.has(person)),
    )
    this.posts.push({
      ...{ ...post, isDeleted: false, owed: new Set(owed), settled: new Set() },
      ...{ unseen: new Set(told), seen: new Set() },
    })
    if (question === null || author === null) return
    if (!this.levels.has(`${question} ${author}`)) this.levels.set(`${question} ${author}`, 'follow')
    this.read((one) => one.question === question, author)
  }

  /** All three are members of the course that announces. */
  hears(question: Place, person: number): boolean {
    return question === null || this.levels.get(`${question} ${person}`) === 'follow'
  }

  read(which: (post: Written) => boolean, person: number): void {
    for (const post of this.posts.filter(which)) {
      this.settle(post, person)
      post.unseen.delete(person)
      post.seen.add(person)
    }
  }

  /** What waits to be mailed is mailed no more. */
  silence(which: (post: Written) => boolean, person: number): void {
    for (const post of this.posts.filter(which)) this.settle(post, person)
  }

  settle(post: Written, person: number): void {
    post.owed.delete(person)
    post.settled.add(person)
  }
}

test('in any order of posts, edits, deletions, reading and settings each person is told once of what they may and wish to know', async (t) => {
  const db = await testDatabase(t)
  let runs = 0
  await holds(
    fc.asyncProperty(fc.array(acts, { minLength: 25, maxLength: 45 }), async (done) => {
      runs += 1
      const course = await aCourse(db)
      const teacher = await aMember(db, course, 'instructor')
      const [one, other] = [await aMember(db, course), await aMember(db, course)]
      const people = [one, other, await aMember(db, course)]
      const questions = [await aQuestion(db, { author: one }), await aQuestion(db, { author: other })]
      const model = new Model()
      model.levels.set('0 0', 'follow').set('1 1', 'follow')
      const ids = people.map(({ id }) => id)
      for (const [index, act] of [...done, { kind: 'mail', person: 0, question: 0 } as const].entries())
        await perform(db, model, act, { ids, questions, course, teacher, body: `Run${runs}act${index}.` })
    }),
    15,
  )
})

interface Forum {
  readonly ids: readonly number[]
  readonly questions: readonly MadeQuestion[]
  readonly course: MadeCourse
  readonly teacher: { readonly id: number }
  readonly body: string
}

async function perform(db: Database, model: Model, act: Act, forum: Forum): Promise<void> {
  const { kind, person } = act
  const { ids, questions, body } = forum
  const question = act.question === 0 ? 0 : 1
  const [id = 0, asked] = [ids[person], questions[question]]
  assert.ok(asked !== undefined)
  const key = `${question} ${person}`
  const ofQuestion = (post: Written) => post.question === question && !post.isDeleted
  if (kind === 'answer' || kind === 'reply') {
    const options = { question: asked, author: { id }, body }
    const made = kind === 'answer' ? await anAnswer(db, options) : { id: await newReply(db, options) }
    model.write({ kind, id: made.id, body, question, author: person })
  } else if (kind === 'announce') {
    const news = { courseId: forum.course.id, authorId: forum.teacher.id, correctsId: null }
    const announced = await db
      .transaction()
      .execute((write) => announce(write, { ...news, title: 'News', body }))
    model.write({ kind: 'announcement', id: announced ?? 0, body, question: null, author: null })
  } else if (kind === 'edit') {
    const post = model.posts.findLast(ofQuestion)
    if (post === undefined) return
    await edit(db, post, asked.id, body)
    post.body = body
  } else if (kind === 'delete') {
    const post = model.posts.findLast(ofQuestion)
    if (post === undefined) return
    await (post.kind === 'answer' ? deleteAnswer : deleteReply)(db, asked.id, post.id)
    post.isDeleted = true
  } else if (kind === 'read') {
    await db.transaction().execute((write) => markRead(write, asked.id, id, sql<Date>`now()`))
    model.read((post) => post.question === question, person)
  } else if (kind === 'read all') {
    await markAllSeen(db, id)
    model.read(() => true, person)
  } else if (kind === 'follow' || kind === 'mute') {
    await setFollowing(db, asked.id, id, kind)
    model.levels.set(key, kind)
  } else if (kind === 'end') {
    await setFollowing(db, asked.id, id, 'none')
    model.levels.delete(key)
  } else if (kind === 'kinds off' || kind === 'kinds on') {
    const mailsOff = kind === 'kinds off' ? KINDS : []
    await saveMailChoices(db, id, { mailsOff, courses: new Map(), isResumed: false })
    if (kind === 'kinds on') return void model.kindsOff.delete(person)
    model.kindsOff.add(person)
    model.silence((post) => post.question !== null, person)
  } else if (kind === 'mail') {
    await expectBells(db, model, ids)
    await expectMails(db, model, ids)
  } else {
    await saveMailChoices(db, id, { rhythm: kind, courses: new Map(), isResumed: false })
    if (kind === 'soon') return void model.never.delete(person)
    model.never.add(person)
    model.silence(() => true, person)
  }
}

async function newReply(db: Database, options: NonNullable<Parameters<typeof aReply>[1]>): Promise<number> {
  await aReply(db, options)
  const { id } = await db
    .selectFrom('replies')
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  return id
}

async function edit(db: Database, post: Written, questionId: number, body: string): Promise<void> {
  const table = post.kind === 'answer' ? 'answers' : 'replies'
  const { version, author_id: editorId } = await db
    .selectFrom(table)
    .select(['version', 'author_id'])
    .where('id', '=', post.id)
    .executeTakeFirstOrThrow()
  const outcome = await editText(
    db,
    table,
    { id: post.id, questionId },
    { body, version, editorId, isByStaff: false },
  )
  assert.equal(outcome, 'done')
}

/** What the forum shows each person as new. */
async function expectBells(db: Database, model: Model, ids: readonly number[]): Promise<void> {
  for (const [person, id] of ids.entries()) {
    const told = await unseenNotifications(db, id, null)
    const listed = told.flatMap(({ posts }) => posts.map((post) => `${post.kind} ${post.id}`))
    for (const post of model.posts) {
      const isListed = listed.filter((one) => one === `${post.kind} ${post.id}`).length
      const what = `${post.body} in what is new to ${person}`
      if (post.isDeleted || post.seen.has(person)) assert.equal(isListed, 0, what)
      else if (post.unseen.has(person)) assert.equal(isListed, 1, what)
    }
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
      const isWished = model.hears(post.question, person) && !post.isDeleted
      if (post.owed.has(person) && isWished) assert.equal(times, 1, `${post.body} is told to ${person}`)
      if (post.settled.has(person) || !isWished || post.author === person)
        assert.equal(times, 0, `${post.body} is not told to ${person}`)
      // Told now, or not wished when it was time.
      if (post.owed.has(person) || times > 0) model.settle(post, person)
    }
  }
}
