import type { FastifyInstance } from 'fastify'
import { hashPassword } from '../accounts/identity/passwords.ts'
import { PASSWORD } from '../accounts/testing.ts'
import type { Database } from '../database/schema.ts'
import { addMember } from '../forum/courses/commands.ts'
import { signedIn } from './browser.ts'
import { aCourse, anAnswer, aPerson, aQuestion, aReply } from './builders.ts'
import { anAnnouncement } from './posts.ts'

/**
 * A small forum with something of everything, and who writes in it: each with PASSWORD, in a session in which they showed just now who
 * they are.
 */
export async function aSmallForum(db: Database, app: FastifyInstance) {
  const passwordHash = await hashPassword(PASSWORD)
  const someone = (displayName: string) => aPerson(db, { displayName, passwordHash })
  const course = await aCourse(db, { slug: 'rest', title: 'REST', lectures: ['Verbs', 'Status codes'] })
  const other = await aCourse(db, { slug: 'git', title: 'Git' })
  const [asker, helper, staff] = [await someone('Mina'), await someone('Jun'), await someone('Kim')]
  const admin = await aPerson(db, { isAdmin: true, passwordHash })
  await db.transaction().execute((write) => addMember(write, course.id, staff.id, 'instructor'))
  const question = await aQuestion(db, {
    course,
    author: asker,
    title: 'Which status code says that a resource was created?',
    tags: ['http', 'status'],
    lectureId: course.lectureIds[1] ?? 0,
    views: 3,
  })
  const answer = await anAnswer(db, { question, author: helper })
  const reply = await aReply(db, { answer, author: asker })
  const second = await aQuestion(db, {
    course,
    author: helper,
    title: 'What does 201 mean for a resource?',
    tags: ['http'],
  })
  const foreign = await aQuestion(db, { course: other, title: 'How do I undo a commit?', tags: ['git'] })
  return {
    app,
    db,
    course,
    asker,
    helper,
    staff,
    admin,
    question,
    answer,
    reply,
    second,
    foreign,
    bystander: await aPerson(db),
    newcomer: await aPerson(db, { displayName: 'Noor' }),
    announcementId: await anAnnouncement(db, {
      courseId: course.id,
      authorId: staff.id,
      title: 'The room',
      body: 'Is another one.',
    }),
    as: {
      asker: await signedIn(app, asker, ['link']),
      helper: await signedIn(app, helper, ['link']),
      staff: await signedIn(app, staff, ['link']),
      admin: await signedIn(app, admin, ['link']),
    },
  }
}

export type SmallForum = Awaited<ReturnType<typeof aSmallForum>>
