import { hashPassword } from '../../accounts/identity/passwords.ts'
import { beginSession } from '../../accounts/sessions/sessions.ts'
import { aToken } from '../../accounts/tokens/testing.ts'
import type { Database } from '../../database/schema.ts'
import { suspend } from '../../forum/cases/acts-on-people.ts'
import { object } from '../../forum/cases/endings.ts'
import { caseOf, decided, inWrite, measuresOf, reported } from '../../forum/cases/testing.ts'
import {
  aCourse,
  aMember,
  anAnswer,
  aPerson,
  aQuestion,
  aReply,
  type MadeCourse,
} from '../../testing/builders.ts'

/** All roles that rights.ts distinguishes, and a learner who is suspended in the public course. */
export const ROLES = ['visitor', 'suspended', 'learner', 'assistant', 'instructor', 'admin'] as const
export type FuzzRole = (typeof ROLES)[number]

/** The forum under test: a public course and a private one. */
export interface World {
  readonly courses: readonly MadeCourse[]
  /** Pages of posts that are not deleted yet. */
  posts: readonly string[]
}

export async function makeWorld(db: Database): Promise<World> {
  const open = { slug: 'rest', title: 'REST', lectures: ['Verbs', 'Codes'], categories: ['Projects'] }
  const closed = { slug: 'closed', title: 'Closed', isPublic: false }
  const courses = [await aCourse(db, open), await aCourse(db, closed)]
  await db.updateTable('courses').set({ allows_anonymous: true, promise_hours: 1 }).execute()
  return { courses, posts: [] }
}

/** New posts of a new person in every course, because walkers delete what they may. */
export async function renewPosts(db: Database, world: World): Promise<void> {
  const posts: string[] = []
  for (const course of world.courses) {
    const author = await aMember(db, course)
    const question = await aQuestion(db, { course, author, tags: ['java', 'http'], votes: 1 })
    const answer = await anAnswer(db, { question, votes: 1 })
    const reply = await aReply(db, { answer, author })
    await aReply(db, { question })
    await aQuestion(db, { course, answers: 1, status: 'resolved' })
    const secret = await aQuestion(db, { course, author, audience: 'staff', isAnonymous: true, answers: 1 })
    const matter = await aReportedAnswer(db, answer.id, author.id)
    const decidedCase = await aDecidedCase(db, course)
    const [page, desk] = [`/questions/${question.id}/x`, `/courses/${course.slug}/desk`]
    posts.push(page, page, `/questions/${question.id}/edit`, `/answers/${answer.id}/edit`)
    posts.push(
      `/questions/${secret.id}/private`,
      `${desk}?question=${secret.id}`,
      `${desk}?question=${question.id}`,
      `/questions/${question.id}/history`,
      `/cases/${matter.id}`,
      `/cases/${decidedCase.id}`,
      `/people/${decidedCase.authorId}/x`,
      `/people/${decidedCase.authorId}/posts/deletion?course=${course.slug}`,
      `/admin/people/${author.id}`,
      `/admin/people/${author.id}/merge`,
      `/admin/people/${author.id}/merge?other=${decidedCase.authorId}`,
      `/admin/people/${decidedCase.authorId}`,
      `/answers/${answer.id}/reports`,
      `/questions/${question.id}/cases`,
      `/people/${author.id}/reports`,
      `/replies/${reply.id}/edit`,
      `/live/questions/${question.id}`,
      `/questions/${question.id}/feed.atom`,
    )
  }
  world.posts = posts
}

async function aReportedAnswer(db: Database, id: number, reporterId: number) {
  await reported(db, { about: 'answer', id }, reporterId)
  return caseOf(db, { about: 'answer', id })
}

/** Somebody's answer is hidden, they are warned, and object. */
async function aDecidedCase(db: Database, course: MadeCourse): Promise<{ id: number; authorId: number }> {
  const author = await aMember(db, course)
  const [decider, reporter] = [await aMember(db, course, 'instructor'), await aMember(db, course)]
  const { id: answerId } = await anAnswer(db, { question: await aQuestion(db, { course }), author })
  const matter = await aReportedAnswer(db, answerId, reporter.id)
  await decided(db, decider.id, matter, ['hide', 'warn'])
  const [measure] = await measuresOf(db, matter.id)
  if (measure !== undefined) await inWrite(db, (write) => object(write, author.id, measure.id, 'Why?'))
  return { id: matter.id, authorId: author.id }
}

/** What someone of a role has: a session's cookie and a token for programs. */
export interface Pass {
  readonly session: string
  readonly token: string
}

/** Creates a new person with this role. @returns null for a visitor */
export async function enter(db: Database, world: World, role: FuzzRole): Promise<Pass | null> {
  if (role === 'visitor') return null
  const passwordHash = await hashPassword('four plain words here')
  const person = await aPerson(db, { isAdmin: role === 'admin', passwordHash })
  const memberRole = role === 'suspended' ? 'learner' : role
  if (memberRole !== 'admin')
    for (const course of world.courses) await aMember(db, course, memberRole, person)
  if (role === 'suspended') await suspendInFirst(db, world, person.id)
  const token = await aToken({ db }, person, ['read', 'write', 'staff'])
  return { session: await beginSession(db, person.id, 'a walk'), token }
}

async function suspendInFirst(db: Database, { courses: [course] }: World, personId: number): Promise<void> {
  if (course === undefined) return
  const staff = await aMember(db, course, 'instructor')
  const place = { personId, courseId: course.id, until: null, note: 'A walk' }
  await inWrite(db, (write) => suspend(write, staff.id, place))
}
