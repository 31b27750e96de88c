import { claimAccount } from '../../accounts/address/address.ts'
import { lockPeople } from '../../accounts/identity/lock.ts'
import type { Database, Language, NewRow, Write } from '../../database/schema.ts'
import { addMember, createCourse, setLectures } from '../../forum/courses/commands.ts'
import { forgetEvents } from '../../forum/events/event.ts'
import { renderedBody } from '../../forum/posts/text.ts'
import { indexNewQuestions } from '../../forum/search/index-question.ts'
import { setTags } from '../../forum/tags/tagging.ts'
import { followOwn } from '../../forum/telling/tell-posts.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { readSample, type SampleCourse, type SamplePost, type SampleQuestion } from './sample-file.ts'

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
  { language, admin }: { language: Language; admin: boolean } = { language: 'en', admin: false },
) {
  const sample = await readSample(language)
  await db.transaction().execute(async (write) => {
    const now = new Date()
    const course = await createCourse(write, sample)
    await setLectures(write, course.id, sample.lectures)
    const personIds = await addPeople(write, course.id, sample, now)
    if (admin) await addAdmin(write, sample.admin, now)
    const place = await placeOf(write, course.id, personIds, now)
    const ids: number[] = []
    for (const question of sample.questions) ids.push(await addSampleQuestion(write, place, question))
    await indexNewQuestions(write, ids)
    await forgetEvents(write, course.id)
  })
  return { title: sample.title, slug: sample.slug, questions: sample.questions.length }
}

/** The sample's instructor, one of its learners and its admin, in this order; none where the sample is not loaded. */
export async function sampleSignIns(db: Database, language: Language) {
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
  const times = { email_confirmed_at: now, joined_at: hoursBefore(now, oldest + BEFORE_FIRST) }
  const rows = sample.people.map(({ name, email }) => ({ display_name: name, email, ...times }))
  const people = await write
    .insertInto('people')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('email').doUpdateSet((set) => ({ email: set.ref('excluded.email') })),
    )
    .returning(['id', 'email'])
    .execute()
  const personIds = people.map(({ id }) => id)
  for (const person of await lockPeople(write, personIds))
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

/** The ids of a course by what the content file calls things; lectures by position. */
type Place = Awaited<ReturnType<typeof placeOf>>

/** @param now from which the content file counts hours back */
async function placeOf(write: Write, courseId: number, personIds: ReadonlyMap<string, number>, now: Date) {
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
  const lectureIds = new Map(lectures.map((lecture) => [lecture.position, lecture.id]))
  return { courseId, categoryId: category.id, lectureIds, personIds, now }
}

const HOUR = 3_600_000

function hoursBefore(now: Date, hours: number): Date {
  return new Date(now.getTime() - hours * HOUR)
}

/** Adds a question with its answers, replies and votes, as if they had been written then. @returns its id */
async function addSampleQuestion(write: Write, place: Place, question: SampleQuestion): Promise<number> {
  const posts = [
    question,
    ...question.replies,
    ...question.answers,
    ...question.answers.flatMap(({ replies }) => replies),
  ]
  const lastAt = hoursBefore(place.now, Math.min(...posts.map((post) => post.hoursAgo)))
  const { id } = await write
    .insertInto('questions')
    .values({
      course_id: place.courseId,
      category_id: place.categoryId,
      lecture_id: question.lecture === null ? null : idOf(place.lectureIds, question.lecture),
      title: question.title,
      views_count: question.views,
      votes_count: question.votes.length,
      active_at: lastAt,
      ...(await written(place, question)),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await setTags(write, { id, courseId: place.courseId }, question.tags)
  const votes = question.votes.map((key) => ({ question_id: id, person_id: idOf(place.personIds, key) }))
  if (votes.length > 0) await write.insertInto('question_votes').values(votes).execute()
  await addReplies(write, place, { question_id: id }, question.replies)
  await followOwn(write, id, idOf(place.personIds, question.author))
  const accepted = await addAnswers(write, place, id, question.answers)
  const status = question.isResolved ? 'resolved' : 'unresolved'
  await write
    .updateTable('questions')
    .set({ status, accepted_answer_id: accepted, resolved_at: question.isResolved ? lastAt : null })
    .where('id', '=', id)
    .execute()
  return id
}

/** @returns the id of the accepted one */
async function addAnswers(
  write: Write,
  place: Place,
  questionId: number,
  answers: SampleQuestion['answers'],
) {
  let accepted: number | null = null
  for (const answer of answers) {
    const { id } = await write
      .insertInto('answers')
      .values({
        question_id: questionId,
        votes_count: answer.votes.length,
        ...(await written(place, answer)),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const votes = answer.votes.map((key) => ({ answer_id: id, person_id: idOf(place.personIds, key) }))
    if (votes.length > 0) await write.insertInto('answer_votes').values(votes).execute()
    await addReplies(write, place, { question_id: questionId, answer_id: id }, answer.replies)
    if (answer.isAccepted) accepted = id
  }
  return accepted
}

async function addReplies(
  write: Write,
  place: Place,
  under: Pick<NewRow<'replies'>, 'question_id' | 'answer_id'>,
  replies: readonly SamplePost[],
): Promise<void> {
  for (const reply of replies)
    await write
      .insertInto('replies')
      .values({ ...under, ...(await written(place, reply)) })
      .execute()
}

async function written(place: Place, post: SamplePost) {
  const [body] = await prepareMarkdown([post.body])
  return {
    author_id: idOf(place.personIds, post.author),
    written_at: hoursBefore(place.now, post.hoursAgo),
    ...renderedBody(body),
  }
}

/** Reading the file has checked that people and lectures exist, so a missing one is a fault of ours. */
function idOf<Key>(ids: ReadonlyMap<Key, number>, key: Key): number {
  const id = ids.get(key)
  if (id === undefined) throw new Error(`the sample course has no ${key}`)
  return id
}
