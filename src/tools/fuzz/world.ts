import { hashPassword } from '../../accounts/identity/passwords.ts'
import { beginSession } from '../../accounts/sessions/sessions.ts'
import type { Database } from '../../database/schema.ts'
import { caseOf, reported } from '../../forum/cases/testing.ts'
import {
  aCourse,
  aMember,
  anAnswer,
  aPerson,
  aQuestion,
  aReply,
  type MadeCourse,
} from '../../testing/builders.ts'

/** All roles that rights.ts distinguishes. */
export const ROLES = ['visitor', 'learner', 'assistant', 'instructor', 'admin'] as const
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
    await reported(db, { about: 'answer', id: answer.id }, author.id)
    const matter = await caseOf(db, { about: 'answer', id: answer.id })
    const [page, desk] = [`/questions/${question.id}/x`, `/courses/${course.slug}/desk`]
    posts.push(page, page, `/questions/${question.id}/edit`, `/answers/${answer.id}/edit`)
    posts.push(
      `/questions/${secret.id}/private`,
      `${desk}?question=${secret.id}`,
      `${desk}?question=${question.id}`,
      `/questions/${question.id}/history`,
      `/cases/${matter.id}`,
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

/** Pages that are rarely or never linked. */
export const BEGINS = [
  '/',
  '/questions?sort=votes',
  '/questions/new',
  '/questions/new?course=rest',
  '/courses',
  '/courses/new',
  '/admin',
  '/admin/people',
  '/admin/courses?q=rest',
  '/courses/rest/settings',
  '/courses/rest/members',
  '/courses/rest/announcements',
  '/courses/rest/announcements/new',
  '/courses/rest/faq',
  '/desk',
  '/courses/rest/desk',
  '/courses/closed/desk',
  '/courses/rest/desk?view=mine',
  '/courses/rest/desk?view=classmates',
  '/courses/rest/desk?view=snoozed',
  '/courses/rest/desk?view=private&lecture=1',
  '/courses/rest/desk?view=all',
  '/courses/rest/desk/next',
  '/courses/rest/desk/live',
  '/moderation',
  '/courses/rest/moderation',
  '/courses/closed/moderation?view=objections',
  '/courses/rest/moderation?view=decided',
  '/settings/standing',
  '/courses/rest/desk/saved',
  '/courses/rest/figures',
  '/courses/rest/figures.csv',
  '/drafts',
  '/following',
  '/notifications',
  '/live/notifications',
  '/uploads/x.png',
  '/settings/notifications',
  '/settings/site',
  '/courses/rest/members?show=invited',
  '/join/x',
  '/courses/rest/lectures',
  '/courses/rest/lectures/1',
  '/courses/rest/categories',
  '/tags',
  '/people/1/x',
  '/search?q=token',
  '/search/suggestions?q=to',
  '/questions/similar?title=token',
  '/questions/tags?course=rest&q=j',
  '/mentions/courses/rest?q=m',
  '/mentions/questions/1?q=',
  '/settings',
  '/settings/account',
  '/settings/sessions',
  '/settings/second-factor',
  '/settings/passkeys',
  '/mail',
  '/sign-in',
  '/sign-up',
  '/sign-in/code',
  '/sign-in/link?token=x',
  '/forgotten-password',
  '/new-password?token=x',
  '/confirm-email?token=x',
  '/undo-email-change?token=x',
  '/set-up?token=x',
  '/feed.atom',
  '/courses/rest/feed.atom',
  '/sitemap.xml',
  '/robots.txt',
  '/readyz',
]

/**
 * Creates a session for a new person with this role.
 * @returns its cookie; null for a visitor
 */
export async function enter(db: Database, world: World, role: FuzzRole): Promise<string | null> {
  if (role === 'visitor') return null
  const passwordHash = await hashPassword('four plain words here')
  const person = await aPerson(db, { isAdmin: role === 'admin', passwordHash })
  if (role !== 'admin') for (const course of world.courses) await aMember(db, course, role, person)
  return beginSession(db, person.id, 'a walk')
}
