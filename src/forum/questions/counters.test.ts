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

/** Something that somebody does; numbers choose among what is there. */
const acts = fc.record({
  kind: fc.constantFrom(
    'ask',
    'answer',
    'edit',
    'vote',
    'accept',
    'resolve',
    'unresolve',
    'delete question',
    'restore question',
    'delete answer',
    'restore answer',
  ),
  person: fc.nat(),
  post: fc.nat(),
  lecture: fc.nat(2),
  tags: fc.shuffledSubarray(TAGS),
})
type Act = typeof acts extends fc.Arbitrary<infer Value> ? Value : never

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

/** What was deleted meanwhile refuses most acts: that is no failure of them. */
async function perform(world: World, act: Act): Promise<void> {
  try {
    await (act.kind === 'ask' ? ask(world, act) : changeQuestion(world, act))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
  }
}

const lectureOf = ({ course }: World, { lecture }: Act) => course.lectureIds[lecture]
const chosen = <Item>(items: readonly Item[], number: number) => items[number % Math.max(1, items.length)]

async function ask(world: World, act: Act): Promise<void> {
  const { db, course, people } = world
  const [author, lectureId] = [chosen(people, act.person), lectureOf(world, act)]
  await aQuestion(db, {
    course,
    tags: act.tags,
    ...(author && { author }),
    ...(lectureId !== undefined && { lectureId }),
  })
}

async function changeQuestion(world: World, act: Act): Promise<void> {
  const { db, people } = world
  const rows = await db
    .selectFrom('questions')
    .select(['id', 'title', 'version', 'course_id as courseId', 'author_id as authorId'])
    .where('course_id', '=', world.course.id)
    .orderBy('id')
    .execute()
  const [question, person] = [chosen(rows, act.post), chosen(people, act.person)]
  if (question === undefined || person === undefined) return
  const { id } = question
  if (act.kind === 'answer') await anAnswer(db, { question, author: person })
  else if (act.kind === 'vote') await castVote(db, { kind: 'question', id }, person.id, act.lecture > 0)
  else if (act.kind === 'resolve') await within(db, setResolution, id, 'resolved')
  else if (act.kind === 'unresolve') await within(db, setResolution, id, 'unresolved')
  else if (act.kind === 'delete question') await within(db, deleteQuestion, id, person.id)
  else if (act.kind === 'restore question') await within(db, restoreQuestion, id)
  else if (act.kind === 'edit') await edit(world, act, question, person.id)
  else await changeAnswer(world, act, id)
}

async function edit(
  world: World,
  act: Act,
  question: { id: number; title: string; version: number },
  actorId: number,
) {
  const { id, title, version } = question
  const place = { categoryId: world.course.categoryId, lectureId: lectureOf(world, act) ?? null }
  await within(
    world.db,
    editQuestion,
    id,
    { title, body: await aText('Changed.'), tags: act.tags, ...place },
    { actorId, version },
  )
}

async function changeAnswer({ db, people }: World, act: Act, questionId: number): Promise<void> {
  const rows = await db
    .selectFrom('answers')
    .select('id')
    .where('question_id', '=', questionId)
    .orderBy('id')
    .execute()
  const answer = chosen(rows, act.person)
  if (answer === undefined) return
  if (act.kind === 'accept') await within(db, setAcceptance, questionId, answer.id, act.lecture > 0)
  else if (act.kind === 'delete answer')
    await within(db, deleteAnswer, questionId, answer.id, chosen(people, act.post)?.id)
  else await within(db, restoreAnswer, questionId, answer.id)
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
        await ask(world, { kind: 'ask', person: lecture, post: 0, lecture, tags: TAGS })
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
    const question = await aQuestion(db, {
      course,
      lectureId: course.lectureIds[0] ?? 0,
      tags: TAGS,
      answers: 2,
    })
    await aQuestion(db, { course, tags: TAGS })
    await db.deleteFrom('questions').where('id', '=', question.id).execute()
    assert.deepEqual(await recount(db), [])
    const { questions_count } = await db
      .selectFrom('courses')
      .select('questions_count')
      .executeTakeFirstOrThrow()
    assert.equal(questions_count, 1)
  })
})
