import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Database } from '../database/schema.ts'
import { aCourse, aMember, anAnswer, aQuestion, type MadeCourse, type MadePerson } from './builders.ts'

/** In Seoul, where a week begins on Sunday at 15:00 UTC. */
export const ASKED_TIME_ZONE = 'Asia/Seoul'
/** The weeks that there is something in; the first two are busy, the third is nearly empty. */
export const ASKED_WEEKS = { from: '2026-09-07', to: '2026-10-04' } as const

const MONDAY = Date.UTC(2026, 8, 6, 15)
const HOUR_MS = 3_600_000

interface AskedCourse {
  readonly course: MadeCourse
  readonly instructor: MadePerson
  readonly learners: readonly MadePerson[]
}

/**
 * Three weeks of a course with twelve learners: a lecture that many ask about, one that few do, answers by staff and
 * classmates after minutes to days, resolutions; a third week in which three people ask.
 */
export async function anAskedCourse(db: Database, person?: MadePerson): Promise<AskedCourse> {
  const course = await aCourse(db, {
    timeZone: ASKED_TIME_ZONE,
    lectures: ['Verbs', '=Hypermedia', 'Errors'],
  })
  const instructor = await aMember(db, course, 'instructor', person)
  const learners: MadePerson[] = []
  for (let count = 0; count < 12; count += 1) learners.push(await aMember(db, course))
  for (let number = 0; number < 44; number += 1)
    await anAskedQuestion(db, { course, instructor, learners }, number)
  return { course, instructor, learners }
}

/** Week, hour, lecture, asker, answers and resolution all follow from the number. */
async function anAskedQuestion(db: Database, { course, instructor, learners }: AskedCourse, number: number) {
  const week = number < 20 ? 0 : number < 40 ? 1 : 2
  const author = learners[week === 2 ? number % 3 : number % 12]
  const lecture = number % 11 === 0 ? 2 : number % 2
  const at = MONDAY + (week * 168 + ((number * 37) % 168 > 100 ? 116 : (number * 5) % 24)) * HOUR_MS
  assert.ok(author !== undefined)
  const question = await aQuestion(db, {
    course,
    author,
    title:
      lecture === 1 ? `What are hypermedia links for, ${number}?` : `Which verb replaces a book, ${number}?`,
    ...(number % 13 !== 0 && { lectureId: course.lectureIds[lecture] ?? 0 }),
    writtenAt: new Date(at),
  })
  const answers = number % 4
  for (let count = 0; count < answers; count += 1) {
    const isStaff = count === 1
    const other = learners[(number * 5 + count + 1) % 12]
    const writtenAt = new Date(at + (count + 1) * (number + 1) * 0.9 * HOUR_MS)
    if (other !== undefined) await anAnswer(db, { question, author: isStaff ? instructor : other, writtenAt })
  }
  if (number % 5 < 2) await resolveAfter(db, question.id, (number + 2) * HOUR_MS)
}

async function resolveAfter(db: Database, id: number, milliseconds: number): Promise<void> {
  await sql`update questions set status = 'resolved', resolved_at = written_at + ${milliseconds / 1000} * interval '1 second'
    where id = ${id}`.execute(db)
}
