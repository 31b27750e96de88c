import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { recount } from '../../database/recount.ts'
import type { Database } from '../../database/schema.ts'
import { Problem } from '../../kernel/problem.ts'
import {
  aCourse,
  aMember,
  anAnswer,
  aPerson,
  aQuestion,
  aReply,
  type MadeCourse,
  type MadePerson,
  type MadeQuestion,
} from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import {
  aText,
  deleteAnswer,
  deleteQuestion,
  deleteReply,
  restoreAnswer,
  restoreQuestion,
  restoreReply,
} from '../../testing/posts.ts'
import { holds } from '../../testing/properties.ts'
import { within } from '../../testing/within.ts'
import { setAcceptance } from '../answers/acceptance.ts'
import { setEndorsement } from '../answers/endorsement.ts'
import { addMember } from '../courses/commands.ts'
import { removeMember } from '../courses/roles.ts'
import { setResolution, undoResolution } from '../posts/resolution.ts'
import { castVote } from '../posts/vote.ts'
import { editQuestion } from '../questions/commands.ts'
import { sayDone } from './done.ts'
import { setDuplicate } from './duplicates.ts'
import { snoozeQuestion } from './snooze.ts'

const TAGS = ['java', 'rest', 'json', 'http']

interface World {
  readonly db: Database
  readonly course: MadeCourse
  readonly people: readonly MadePerson[]
}

/** Of what is there, by numbers; `other` says which way, too. */
interface Chosen {
  readonly world: World
  readonly person: MadePerson
  readonly question: MadeQuestion & { readonly version: number }
  /** null: the question has none. */
  readonly answer: { id: number; authorId: number } | null
  readonly reply: { id: number } | null
  readonly other: number
  readonly place: { readonly lectureId: number | null; readonly tags: readonly string[] }
}

const ACTS = {
  ask: ({ world: { db, course }, person, place: { lectureId, tags } }) =>
    aQuestion(db, { course, author: person, tags, ...(lectureId !== null && { lectureId }) }),
  edit: async ({ world: { db, course }, person, question: { id, title, version }, place }) => {
    const text = { title, body: await aText('Changed.'), categoryId: course.categoryId, ...place }
    return within(db, editQuestion, id, text, { actorId: person.id, version })
  },
  vote: ({ world: { db }, person, question: { id }, other }) =>
    castVote(db, { kind: 'question', id }, person.id, other % 2 === 0),
  answer: ({ world: { db }, person, question }) => anAnswer(db, { question, author: person }),
  reply: ({ world: { db }, person, question }) => aReply(db, { question, author: person }),
  'reply under an answer': async ({ world: { db }, person, question, answer }) =>
    answer && aReply(db, { answer: { ...answer, question }, author: person }),
  resolve: ({ world: { db }, question }) => within(db, setResolution, question.id, 'resolved'),
  reopen: ({ world: { db }, question }) => within(db, setResolution, question.id, 'unresolved'),
  accept: async ({ world: { db }, question, answer, other }) =>
    answer && within(db, setAcceptance, question.id, answer.id, other % 2 === 0),
  endorse: async ({ world: { db }, question, answer, person, other }) =>
    answer && within(db, setEndorsement, question.id, answer.id, other % 2 === 0 ? person.id : null),
  'delete the question': ({ world: { db }, question }) => within(db, deleteQuestion, question.id),
  'restore the question': ({ world: { db }, question }) => within(db, restoreQuestion, question.id),
  'delete an answer': async ({ world: { db }, question, answer }) =>
    answer && within(db, deleteAnswer, question.id, answer.id),
  'restore an answer': async ({ world: { db }, question, answer }) =>
    answer && within(db, restoreAnswer, question.id, answer.id),
  'delete a reply': async ({ world: { db }, question, reply }) =>
    reply && within(db, deleteReply, question.id, reply.id),
  'restore a reply': async ({ world: { db }, question, reply }) =>
    reply && within(db, restoreReply, question.id, reply.id),
  'ask by @staff': ({ world: { db }, person, question }) =>
    aReply(db, { question, author: person, body: 'What now, @staff?' }),
  'say or take back Done': ({ world: { db }, person, question, other }) =>
    within(db, sayDone, question.id, other % 3 === 0 ? null : person.id),
  'undo Resolve': ({ world: { db }, question }) => within(db, undoResolution, question.id),
  snooze: ({ world: { db }, question, other }) =>
    within(db, snoozeQuestion, question.id, other % 2 === 0 ? null : { day: '2999-01-01', timeZone: 'UTC' }),
  'link or unlink a duplicate': async ({ world: { db }, question, person, other }) =>
    within(db, setDuplicate, {
      questionId: question.id,
      originalId: other % 2 === 0 ? null : question.id - 1,
      actorId: person.id,
    }),
  'change a role': ({ world: { db, course }, person, other }) =>
    db
      .transaction()
      .execute(
        async (write): Promise<unknown> =>
          other % 3 === 0
            ? removeMember(write, course.id, person.id)
            : addMember(write, course.id, person.id, other % 3 === 1 ? 'learner' : 'assistant'),
      ),
} satisfies Record<string, (chosen: Chosen) => Promise<unknown>>

/** Something that is done; numbers choose among what is there. */
const acts = fc.record({
  kind: fc.constantFrom(...(Object.keys(ACTS) as (keyof typeof ACTS)[])),
  person: fc.nat(),
  post: fc.nat(),
  other: fc.nat(),
  tags: fc.shuffledSubarray(TAGS),
})
type Act = typeof acts extends fc.Arbitrary<infer Value> ? Value : never

/** Two lectures of one course, a question in each and one in none, and people who write there. */
async function aWorld(db: Database): Promise<World> {
  const course = await aCourse(db, { lectures: ['One', 'Two'] })
  const people = [await aMember(db, course, 'instructor'), await aPerson(db), await aPerson(db)]
  const [, author = assert.fail()] = people
  for (const lectureId of course.lectureIds) await aQuestion(db, { course, author, lectureId, tags: TAGS })
  await aQuestion(db, { course, author, tags: TAGS })
  return { db, course, people }
}

/** What was deleted meanwhile refuses most acts: that is no failure of them. */
async function perform(world: World, act: Act): Promise<void> {
  try {
    await ACTS[act.kind](await choose(world, act))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
  }
}

const among = <Item>(items: readonly Item[], number: number) => items[number % Math.max(1, items.length)]

async function choose(world: World, act: Act): Promise<Chosen> {
  const { db, course, people } = world
  const questions = await db
    .selectFrom('questions')
    .select(['id', 'title', 'version', 'course_id as courseId', 'author_id as authorId'])
    .where('course_id', '=', course.id)
    .orderBy('id')
    .execute()
  const question = among(questions, act.post) ?? assert.fail()
  const of = (table: 'answers' | 'replies') =>
    db
      .selectFrom(table)
      .select(['id', 'author_id as authorId'])
      .where('question_id', '=', question.id)
      .orderBy('id')
      .execute()
  return {
    world,
    question,
    person: among(people, act.person) ?? assert.fail(),
    answer: among(await of('answers'), act.other) ?? null,
    reply: among(await of('replies'), act.other) ?? null,
    other: act.other,
    place: { lectureId: course.lectureIds[act.other % 3] ?? null, tags: act.tags },
  }
}

suite('counters, and whose turn questions are', () => {
  test('equal a recount from scratch after any acts of anybody in any order', async (t) => {
    const db = await testDatabase(t)
    const property = fc.asyncProperty(fc.array(acts, { minLength: 10, maxLength: 40 }), async (all) => {
      const world = await aWorld(db)
      for (const act of all) await perform(world, act)
      assert.deepEqual(await recount(db), [])
    })
    await holds(property, 30)
  })

  test('equal it after many acts at the same time, of which no two wait for each other', async (t) => {
    const db = await testDatabase(t)
    const property = fc.asyncProperty(fc.array(acts, { minLength: 100, maxLength: 100 }), async (all) => {
      const world = await aWorld(db)
      await Promise.all(all.map((act) => perform(world, act)))
      assert.deepEqual(await recount(db), [])
    })
    await holds(property, 5)
  })

  test('are right after questions exchanged their tags and lectures at the same time', async (t) => {
    const db = await testDatabase(t)
    const course = await aCourse(db, { lectures: ['One', 'Two'] })
    const [one = 0, two = 0] = course.lectureIds
    const places = [
      { lectureId: one, tags: ['java', 'http'] },
      { lectureId: two, tags: ['rest', 'json'] },
    ]
    const questions = await Promise.all(
      Array.from({ length: 20 }, (_, number) => aQuestion(db, { course, ...places[number % 2] })),
    )
    for (let round = 1; round <= 5; round += 1) {
      const edits = questions.map(async ({ id, title, authorId }, number) => {
        const place = places[(number + round) % 2] ?? assert.fail()
        const content = { title, body: await aText('Moved.'), categoryId: course.categoryId, ...place }
        assert.equal(
          await within(db, editQuestion, id, content, { actorId: authorId, version: round }),
          'done',
        )
      })
      await Promise.all(edits)
    }
    assert.deepEqual(await recount(db), [])
  })

  test('of everything that hangs on a question follow when its row is deleted', async (t) => {
    const db = await testDatabase(t)
    const course = await aCourse(db, { lectures: ['One'] })
    const lectureId = course.lectureIds[0] ?? 0
    const question = await aQuestion(db, { course, lectureId, tags: TAGS, answers: 2 })
    await aQuestion(db, { course, tags: TAGS })
    await db.deleteFrom('questions').where('id', '=', question.id).execute()
    assert.deepEqual(await recount(db), [])
    const courses = await db.selectFrom('courses').select('questions_count').execute()
    assert.deepEqual(courses, [{ questions_count: 1 }])
  })
})
