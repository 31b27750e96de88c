import { claimAccount } from '../../accounts/address/address.ts'
import { lockPeople } from '../../accounts/identity/lock.ts'
import type { Database, Language, Write } from '../../database/schema.ts'
import { addMember, createCourse, setLectures } from '../../forum/courses/commands.ts'
import { indexNewQuestions } from '../../forum/search/index-question.ts'
import { readSample, type SampleCourse } from './sample-file.ts'
import { addSampleQuestion, hoursBefore } from './sample-posts.ts'

export interface SampleSignIn {
  readonly role: 'instructor' | 'learner' | 'admin'
  readonly personId: number
  readonly displayName: string
}

export interface SampleChoice {
  readonly language: Language
  readonly admin: boolean
}

/** Everybody of the sample was here this long, in hours, before the first question. */
const BEFORE_FIRST = 48

/**
 * Puts the sample course (db/sample) into the database, whole or not at all. Its admin is left out where a forum in
 * production would have an account that nobody owns.
 * @returns what it is called, and the number of its questions
 * @throws SlugTaken when the course is there already; Error when the content file is wrong
 */
export async function loadSample(
  db: Database,
  { language, admin }: SampleChoice = { language: 'en', admin: false },
): Promise<{ title: string; slug: string; questions: number }> {
  const sample = await readSample(language)
  await db.transaction().execute(async (write) => {
    const now = new Date()
    const course = await createCourse(write, sample)
    await setLectures(write, course.id, sample.lectures)
    const personIds = await addPeople(write, course.id, sample, now)
    if (admin) await addAdmin(write, sample.admin, now)
    const place = { ...(await placesOf(write, course.id)), courseId: course.id, personIds, now }
    const ids: number[] = []
    for (const question of sample.questions) ids.push(await addSampleQuestion(write, place, question))
    await indexNewQuestions(write, ids)
  })
  return { title: sample.title, slug: sample.slug, questions: sample.questions.length }
}

/** The sample's instructor, one of its learners and its admin, in this order; none where the sample is not loaded. */
export async function sampleSignIns(db: Database, language: Language): Promise<SampleSignIn[]> {
  const { slug, people, admin } = await readSample(language)
  const isLoaded = await db.selectFrom('courses').select('id').where('slug', '=', slug).executeTakeFirst()
  if (isLoaded === undefined) return []
  const emails = {
    instructor: people.find(({ role }) => role === 'instructor')?.email ?? '',
    learner: people.find(({ role }) => role === 'learner')?.email ?? '',
    admin: admin.email,
  }
  const rows = await db
    .selectFrom('people as person')
    .leftJoin('course_members as member', 'member.person_id', 'person.id')
    .leftJoin('courses as course', 'course.id', 'member.course_id')
    .select(['person.id', 'person.display_name', 'person.email'])
    .where('person.email', 'in', Object.values(emails))
    .where((is) => is.or([is('course.slug', '=', slug), is('person.is_admin', '=', true)]))
    .execute()
  return (['instructor', 'learner', 'admin'] as const).flatMap((role) => {
    const person = rows.find((row) => row.email === emails[role])
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

/** An account with this address is someone's own and is left as it is. */
async function addAdmin(write: Write, { name, email }: SampleCourse['admin'], now: Date): Promise<void> {
  await write
    .insertInto('people')
    .values({ display_name: name, email, email_confirmed_at: now, is_admin: true })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .execute()
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
