import { randomBytes } from 'node:crypto'
import { agentsOn } from '../../accounts/apps/testing.ts'
import { hashPassword } from '../../accounts/identity/passwords.ts'
import { aCourseToken } from '../../accounts/tokens/testing.ts'
import { listTokens } from '../../accounts/tokens/token.ts'
import type { Database, Role } from '../../database/schema.ts'
import { recordAct } from '../../forum/bulk/record.ts'
import { object } from '../../forum/cases/endings.ts'
import { caseOf, decided, measuresOf, reported } from '../../forum/cases/testing.ts'
import { makeEntry } from '../../forum/faq/operations.ts'
import type { PostKey } from '../../forum/posts/kinds.ts'
import { deletePost, hidePost } from '../../forum/posts/removal.ts'
import { addWebhookRow } from '../../forum/webhooks/row-testing.ts'
import { aTriedImport } from '../../operating/transfer/row-testing.ts'
import { setAudience } from '../../testing/audience.ts'
import {
  aCourse,
  aMember,
  anAnswer,
  aPerson,
  aQuestion,
  aReply,
  type MadeCourse,
  type MadeQuestion,
} from '../../testing/builders.ts'
import { anAnnouncement, deleteQuestion } from '../../testing/posts.ts'
import { rowOf, rowsOf, setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import type { Actor, Place, Written } from './rights.ts'

/** Everybody there is in the table. The instructor of another course is in no way special here. */
export const ROLES = ['instructor elsewhere', 'learner', 'assistant', 'instructor', 'admin'] as const
export type RoleName = (typeof ROLES)[number]

/** One thing that something is done to. */
export interface Subject<Facts> {
  /** For messages: "a deleted question of their own, private course". */
  readonly name: string
  readonly id: number
  readonly facts: Facts
}

export type Posts = Readonly<Record<'question' | 'answer' | 'reply', readonly Subject<Written>[]>>
export type Courses = readonly (Subject<Place> & { readonly slug: string; readonly insides: Insides })[]

/** Two courses, somebody of every kind, and posts of everybody in every state. */
export interface World {
  readonly courses: Courses
  readonly actors: Readonly<Record<RoleName, Actor>>
  /** Of the actor, and of others. */
  postsFor(actor: Actor | null): Posts
  /** Who is in a private course alone, and who is in a public one. */
  readonly people: readonly Subject<Place>[]
}

const RUNNING = { isOpen: true, isArchived: false } as const

export async function aWorld(db: Database): Promise<World> {
  await agentsOn(db)
  const parts = { lectures: ['Verbs', 'Codes'], categories: ['Projects'] }
  const made = [await aCourse(db, parts), await aCourse(db, { ...parts, isPublic: false })]
  const placeOf = (course: MadeCourse) => ({ ...RUNNING, courseId: course.id, isPublic: course === made[0] })
  const named = (course: MadeCourse) => `${placeOf(course).isPublic ? 'public' : 'private'} course`
  const courses = await Promise.all(
    made.map(async (course) => ({
      ...{ name: named(course), id: course.id, slug: course.slug, facts: placeOf(course) },
      insides: await insidesOf(db, course),
    })),
  )
  const actors = await everyActor(db, made)
  const others: Posts[] = []
  const own = new Map<number, Posts[]>()
  const people: Subject<Place>[] = []
  for (const course of made) {
    const place = placeOf(course)
    const [asker, writer] = [await aPerson(db), await aPerson(db)]
    // The last instructor could not leave.
    await aMember(db, course, 'instructor')
    others.push(await threads(db, course, place, { asker, writer, whose: 'another’s' }))
    people.push({ name: `a learner, ${named(course)}`, id: writer.id, facts: place })
    for (const actor of Object.values(actors)) {
      const made = await threads(db, course, place, { asker: actor, writer: actor, whose: 'one’s own' })
      own.set(actor.id, [...(own.get(actor.id) ?? []), made])
    }
    const { learner } = actors
    const whose = 'in one’s own thread, a'
    const asked = await threads(db, course, place, { asker: learner, writer, whose })
    own.set(learner.id, [...(own.get(learner.id) ?? []), asked])
  }
  // People who write in a course become members: those who should not be are removed again.
  const outsiders = [actors['instructor elsewhere'].id, actors.admin.id]
  const ids = made.map(({ id }) => id)
  await db
    .deleteFrom('course_members')
    .where('person_id', 'in', outsiders)
    .where('course_id', 'in', ids)
    .execute()
  const postsFor = (actor: Actor | null) => merged([...others, ...(own.get(actor?.id ?? 0) ?? [])])
  return { courses, actors, people, postsFor }
}

/** Ids of what a course of the world has, as paths have them. */
export type Insides = Awaited<ReturnType<typeof insidesOf>>

/** What forms on parts of a course are tried on. */
async function insidesOf(db: Database, course: MadeCourse) {
  const category = (await rowsOf(db, 'categories', { course_id: course.id })).at(-1)
  const { id: invitation } = await db
    .insertInto('invitations')
    .values({
      course_id: course.id,
      role: 'learner',
      token_hash: randomBytes(32),
      nonce: randomBytes(32),
      until: new Date(Date.now() + 60_000_000),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { id: member } = await aMember(db, course)
  const text = { title: 'The room', body: 'It is another one.' }
  const announcement = await anAnnouncement(db, { courseId: course.id, authorId: member, ...text })
  await within(db, makeEntry, { courseId: course.id, about: text, state: 'shown', position: null })
  const { id: entry } = await rowOf(db, 'faq_entries', { course_id: course.id })
  await db
    .insertInto('asked_roles')
    .values({ course_id: course.id, email: 'someone@example.org', role: 'assistant' })
    .execute()
  await aCourseToken({ db }, course)
  const [token] = await listTokens(db, { personId: null, courseId: course.id })
  return {
    lecture: 1,
    token: token?.id ?? 0,
    import: await aTriedImport(db, course.id),
    webhook: await addWebhookRow(db, { courseId: course.id, ownerId: member }),
    category: category?.id ?? 0,
    member,
    invitation,
    announcement,
    entry,
    bulk: await within(db, recordAct, {
      ...{ name: 'close', courseId: course.id, madeBy: member, input: { reason: 'unclear' } },
      subjects: [{ kind: 'question', id: 1 }],
    }),
    ...(await casesOf(db, course, member)),
  }
}

/** A case that waits, and a measure and a report of another, with an objection to each. */
async function casesOf(db: Database, course: MadeCourse, authorId: number) {
  const author = { id: authorId }
  const [open, closed] = [await aQuestion(db, { course, author }), await aQuestion(db, { course, author })]
  for (const { id } of [open, closed]) await reported(db, { about: 'question', id }, null)
  // The course had no staff yet.
  await setRows(db, 'cases', { course_id: course.id }, { is_for_admins: false })
  const { id } = await caseOf(db, { about: 'question', id: open.id })
  const matter = await caseOf(db, { about: 'question', id: closed.id })
  await decided(db, authorId, matter, ['close'])
  const [measure] = await measuresOf(db, matter.id)
  const measureId = measure?.id ?? 0
  await within(db, object, authorId, measureId, 'It was a question.')
  const { id: reportId } = await rowOf(db, 'reports', { case_id: matter.id })
  await db.insertInto('objections').values({ report_id: reportId, note: 'It was spam.' }).execute()
  return { case: id, measure: measureId, report: reportId }
}

async function everyActor(db: Database, courses: readonly MadeCourse[]): Promise<World['actors']> {
  const elsewhere = await aCourse(db)
  // Without a password, settings are refused for another reason.
  const passwordHash = await hashPassword('unlikely to be guessed')
  const inAll = async (role: Role, places: readonly MadeCourse[]): Promise<Actor> => {
    const person = await aPerson(db, { passwordHash })
    for (const course of places) await aMember(db, course, role, person)
    return { id: person.id, isAdmin: false, roles: Object.fromEntries(places.map(({ id }) => [id, role])) }
  }
  return {
    'instructor elsewhere': await inAll('instructor', [elsewhere]),
    learner: await inAll('learner', courses),
    assistant: await inAll('assistant', courses),
    instructor: await inAll('instructor', courses),
    admin: { id: (await aPerson(db, { isAdmin: true, passwordHash })).id, isAdmin: true, roles: {} },
  }
}

interface Writers {
  readonly asker: { readonly id: number }
  /** Of the answers and replies. */
  readonly writer: { readonly id: number }
  /** For messages. */
  readonly whose: string
}

/** Threads in every state that rights go by, and of each the posts that are in it. */
async function threads(db: Database, course: MadeCourse, place: Place, writers: Writers): Promise<Posts> {
  const { asker, writer, whose } = writers
  const living: Omit<Written, 'authorId'> = {
    ...place,
    audience: 'course',
    askerId: asker.id,
    isDeleted: false,
    isUndoable: false,
    isOrphan: false,
    isPurged: false,
    isBuried: false,
    hiddenAuthors: [],
  }
  const subject = (
    name: string,
    { id }: { id: number },
    author: { id: number },
    facts: Partial<Written>,
  ) => ({
    name: `${whose} ${name}, ${place.isPublic ? 'public' : 'private'} course`,
    id,
    facts: { ...living, authorId: author.id, ...facts },
  })
  const aThread = async () => {
    const question = await aQuestion(db, { course, author: asker, tags: ['rights'] })
    const answer = await anAnswer(db, { question, author: writer })
    const reply = await aReply(db, { question, author: writer })
    return { question, answer, reply, under: await aReply(db, { answer, author: writer }) }
  }
  /** Posts of a thread whose question something was done to. */
  const under = async (
    name: string,
    facts: Partial<Written>,
    change: (question: MadeQuestion) => Promise<unknown>,
    ofQuestion = facts,
  ): Promise<Posts> => {
    const { question, answer, under } = await aThread()
    await change(question)
    return {
      question: [subject(`${name} question`, question, asker, ofQuestion)],
      answer: [subject(`answer to a ${name} question`, answer, writer, facts)],
      reply: [subject(`reply under a ${name} question`, under, writer, facts)],
    }
  }
  const orphaned = (name: string, deletedBy: number | null, isUndoable: boolean) =>
    under(name, { isOrphan: true }, ({ id }) => within(db, deleteQuestion, id, deletedBy), {
      ...{ isDeleted: true, isUndoable, isOrphan: true },
    })
  /** An answer and a reply that something was done to, and a reply under that answer. */
  const taken = async (
    name: string,
    facts: Partial<Written>,
    change: (table: 'answers' | 'replies', id: number) => Promise<unknown>,
    below: Partial<Written>,
  ): Promise<Posts> => {
    const { answer, reply, under } = await aThread()
    await change('replies', reply.id)
    await change('answers', answer.id)
    return {
      question: [],
      answer: [subject(`${name} answer`, answer, writer, facts)],
      reply: [
        subject(`${name} reply`, reply, writer, facts),
        subject(`reply under a ${name} answer`, under, writer, below),
      ],
    }
  }
  const removed = (name: string, deletedBy: number | null, facts: Partial<Written>) =>
    taken(name, facts, (table, id) => within(db, deletePost, { table, id }, deletedBy), { isBuried: true })
  const hide = (table: PostKey['table'], id: number) => within(db, hidePost, { table, id })
  const [byAsker, byWriter] = [{ hiddenAuthors: [asker.id] }, { hiddenAuthors: [writer.id] }]
  const { question, answer, under: reply } = await aThread()
  return merged([
    {
      question: [subject('question', question, asker, {})],
      answer: [subject('answer', answer, writer, {})],
      reply: [subject('reply', reply, writer, {})],
    },
    await under('private', { audience: 'staff' }, ({ id }) => setAudience(db, id, 'staff')),
    await under('hidden', byAsker, ({ id }) => hide('questions', id)),
    await taken('hidden', byWriter, hide, byWriter),
    await removed('deleted', null, { isDeleted: true }),
    await removed('withdrawn', writer.id, { isDeleted: true, isUndoable: true }),
    await orphaned('deleted', null, false),
    await orphaned('withdrawn', asker.id, true),
  ])
}

function merged(posts: readonly Posts[]): Posts {
  return {
    question: posts.flatMap((one) => one.question),
    answer: posts.flatMap((one) => one.answer),
    reply: posts.flatMap((one) => one.reply),
  }
}
