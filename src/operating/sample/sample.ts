import { join } from 'node:path'
import { claimAccount } from '../../accounts/address/claim.ts'
import { lockPeople } from '../../accounts/identity/lock.ts'
import type { Database, Write } from '../../database/schema.ts'
import { addMember, createCourse, setLectures } from '../../forum/courses/commands.ts'
import { indexQuestions } from '../../forum/search/index-question.ts'
import { readSample, type SampleCourse } from './sample-files.ts'
import { addSampleQuestion, hoursBefore } from './sample-posts.ts'

/** Somebody of the sample course whom a one-time link can sign in. */
export interface SampleSignIn {
  readonly role: 'instructor' | 'learner'
  readonly personId: number
  readonly displayName: string
}

const FOLDER = join(import.meta.dirname, '../../../db/sample')

/** Everybody of the sample was here this long, in hours, before the first question. */
const BEFORE_FIRST = 48

/**
 * Puts the sample course (db/sample) into the database, whole or not at all.
 * @returns what it is called, and the number of its questions
 * @throws SlugTaken when the course is there already; SampleError when the content files are wrong
 */
export async function loadSample(db: Database): Promise<{ title: string; slug: string; questions: number }> {
  const sample = await readSample(FOLDER)
  await db.transaction().execute(async (write) => {
    const now = new Date()
    const course = await createCourse(write, sample)
    await setLectures(write, course.id, sample.lectures)
    const personIds = await addPeople(write, course.id, sample, now)
    const place = { ...(await placesOf(write, course.id)), courseId: course.id, personIds, now }
    const ids: number[] = []
    for (const question of sample.questions) ids.push(await addSampleQuestion(write, place, question))
    await indexQuestions(write, ids)
  })
  return { title: sample.title, slug: sample.slug, questions: sample.questions.length }
}

/** The sample's instructor and one of its learners, in this order; none where the sample is not loaded. */
export async function sampleSignIns(db: Database): Promise<SampleSignIn[]> {
  const { slug, people } = await readSample(FOLDER)
  const roles = ['instructor', 'learner'] as const
  const chosen = roles.map((role) => people.find((person) => person.role === role)?.email ?? '')
  const rows = await db
    .selectFrom('course_members as member')
    .innerJoin('courses as course', 'course.id', 'member.course_id')
    .innerJoin('people as person', 'person.id', 'member.person_id')
    .select(['person.id', 'person.display_name', 'person.email'])
    .where('course.slug', '=', slug)
    .where('person.email', 'in', chosen)
    .execute()
  return roles.flatMap((role, index) => {
    const person = rows.find((row) => row.email === chosen[index])
    return person === undefined ? [] : [{ role, personId: person.id, displayName: person.display_name }]
  })
}

/**
 * Somebody may be there already, from a sample course that was removed. Another person who signed up with an address of the sample
 * loses the account: it gets a role.
 */
async function addPeople(
  write: Write,
  courseId: number,
  sample: SampleCourse,
  now: Date,
): Promise<Map<string, number>> {
  const oldest = Math.max(...sample.questions.map((question) => question.hoursAgo))
  const joinedAt = hoursBefore(now, oldest + BEFORE_FIRST)
  const rows = sample.people.map(({ name, email }) => ({
    display_name: name,
    email,
    email_confirmed_at: now,
    joined_at: joinedAt,
  }))
  const people = await write
    .insertInto('people')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('email').doUpdateSet((set) => ({ email: set.ref('excluded.email') })),
    )
    .returning(['id', 'email'])
    .execute()
  for (const person of await lockPeople(
    write,
    people.map(({ id }) => id),
  ))
    if (!person.isConfirmed && person.email !== null) await claimAccount(write, person, person.email)
  const ids = new Map(people.map((person) => [person.email, person.id]))
  const byKey = new Map<string, number>()
  for (const { key, email, role } of sample.people) {
    const id = ids.get(email)
    if (id === undefined) continue
    byKey.set(key, id)
    await addMember(write, courseId, id, role)
  }
  return byKey
}

async function placesOf(write: Write, courseId: number) {
  const category = await write
    .selectFrom('categories')
    .select('id')
    .where('course_id', '=', courseId)
    .orderBy('position')
    .executeTakeFirstOrThrow()
  const lectures = await write
    .selectFrom('lectures')
    .select(['id', 'position'])
    .where('course_id', '=', courseId)
    .execute()
  return {
    categoryId: category.id,
    lectureIds: new Map(lectures.map((lecture) => [lecture.position, lecture.id])),
  }
}
