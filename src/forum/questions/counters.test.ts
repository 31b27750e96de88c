import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { recount } from '../../database/recount.ts'
import type { Database } from '../../database/schema.ts'
import { Problem } from '../../kernel/problem.ts'
import {
  aCourse,
  anAnswer,
  aPerson,
  aQuestion,
  type MadeCourse,
  type MadePerson,
  type MadeQuestion,
} from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { aText, deleteAnswer, deleteQuestion, restoreAnswer, restoreQuestion } from '../../testing/posts.ts'
import { holds } from '../../testing/properties.ts'
import { within } from '../../testing/within.ts'
import { setAcceptance } from '../answers/acceptance.ts'
import { setResolution } from '../posts/resolution.ts'
import { castVote } from '../posts/vote.ts'
import { editQuestion } from './commands.ts'

const TAGS = ['java', 'rest', 'json', 'http']

/** Two lectures of one course, and people who write in it. */
interface World {
  readonly db: Database
  readonly course: MadeCourse
  readonly people: readonly MadePerson[]
}

async function aWorld(db: Database): Promise<World> {
  const course = await aCourse(db, { lectures: ['One', 'Two'] })
  return { db, course, people: [await aPerson(db), await aPerson(db), await aPerson(db)] }
}

/** What somebody does to a question, or to an answer to it; `isOn` says which way. */
interface Doing {
  readonly db: Database
  readonly question: MadeQuestion & { readonly version: number }
  readonly answerId: number
  readonly person: MadePerson
  readonly isOn: boolean
  readonly content: Omit<Parameters<typeof editQuestion>[2], 'title' | 'body'>
}

const TO_QUESTIONS = {
  answer: ({ db, question, person }) => anAnswer(db, { question, author: person }),
  async edit({ db, question: { id, title, version }, person, content }) {
    const text = { title, body: await aText('Changed.'), ...content }
    return within(db, editQuestion, id, text, { actorId: person.id, version })
  },
  vote: ({ db, question: { id }, person, isOn }) => castVote(db, { kind: 'question', id }, person.id, isOn),
  resolve: ({ db, question }) => within(db, setResolution, question.id, 'resolved'),
  unresolve: ({ db, question }) => within(db, setResolution, question.id, 'unresolved'),
  'delete question': ({ db, question, person }) => within(db, deleteQuestion, question.id, person.id),
  'restore question': ({ db, question }) => within(db, restoreQuestion, question.id),
} satisfies Record<string, (doing: Doing) => Promise<unknown>>

const TO_ANSWERS = {
  accept: ({ db, question, answerId, isOn }) => within(db, setAcceptance, question.id, answerId, isOn),
  'delete answer': ({ db, question, answerId, person }) =>
    within(db, deleteAnswer, question.id, answerId, person.id),
  'restore answer': ({ db, question, answerId }) => within(db, restoreAnswer, question.id, answerId),
} satisfies Record<string, (doing: Doing) => Promise<unknown>>

const KINDS: Readonly<Record<string, (doing: Doing) => Promise<unknown>>> = { ...TO_QUESTIONS, ...TO_ANSWERS }

/** Something that somebody does; numbers choose among what is there. */
const acts = fc.record({
  kind: fc.constantFrom('ask', ...Object.keys(KINDS)),
  person: fc.nat(),
  post: fc.nat(),
  lecture: fc.nat(2),
  tags: fc.shuffledSubarray(TAGS),
})
type Act = typeof acts extends fc.Arbitrary<infer Value> ? Value : never

const chosen = <Item>(items: readonly Item[], number: number) => items[number % Math.max(1, items.length)]

async function perform({ db, course, people }: World, act: Act): Promise<void> {
  const { kind, tags } = act
  const person = chosen(people, act.person) ?? assert.fail()
  const lectureId = course.lectureIds[act.lecture] ?? null
  if (kind === 'ask') {
    await aQuestion(db, { course, tags, author: person, ...(lectureId !== null && { lectureId }) })
    return
  }
  const questions = await db
    .selectFrom('questions')
    .select(['id', 'title', 'version', 'course_id as courseId', 'author_id as authorId'])
    .where('course_id', '=', course.id)
    .orderBy('id')
    .execute()
  const question = chosen(questions, act.post)
  if (question === undefined) return
  const all = db.selectFrom('answers').select('id').where('question_id', '=', question.id).orderBy('id')
  const answerId = chosen(await all.execute(), act.person)?.id ?? null
  if (answerId === null && kind in TO_ANSWERS) return
  const content = { categoryId: course.categoryId, lectureId, tags }
  const doing = { db, question, answerId: answerId ?? 0, person, isOn: act.lecture > 0, content }
  // What was deleted meanwhile refuses most acts: that is no failure of them.
  await KINDS[kind]?.(doing).catch((error) => assert.ok(error instanceof Problem, String(error)))
}

suite('counters', () => {
  test('are what they count after any acts in any order', async (t) => {
    const db = await testDatabase(t)
    const property = fc.asyncProperty(fc.array(acts, { minLength: 10, maxLength: 40 }), async (all) => {
      const world = await aWorld(db)
      for (const act of all) await perform(world, act)
      assert.deepEqual(await recount(db), [])
    })
    await holds(property, 25)
  })

  test('are what they count after many acts at the same time, of which no two wait for each other', async (t) => {
    const db = await testDatabase(t)
    const property = fc.asyncProperty(fc.array(acts, { minLength: 100, maxLength: 100 }), async (all) => {
      const world = await aWorld(db)
      for (const lecture of [0, 1, 2])
        await perform(world, { kind: 'ask', person: lecture, post: 0, lecture, tags: TAGS })
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
