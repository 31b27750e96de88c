import { sql } from 'kysely'
import type { Database, Write } from '../src/database/schema.ts'
import { lockQuestion } from '../src/forum/posts/lock.ts'
import { writeAnswer, writeReply } from '../src/forum/posts/text.ts'
import { writeQuestion } from '../src/forum/questions/commands.ts'
import { aCourse, aPerson, aQuestion } from '../src/testing/builders.ts'
import { aText } from '../src/testing/posts.ts'

/** Of a title, in characters. */
const MIN_LENGTH = 3

/** Where one string is shown by itself. */
export interface Shown {
  readonly text: string
  readonly personId: number
  /** Under its title. */
  readonly questionId: number
}

/**
 * Writes each string as a name, and that person's question, tag, answer and reply: past the forms, cut to what the
 * database holds. What forms make of the strings is tried by src/web/hostile-forms.test.ts.
 * @returns the course of their questions, and the one question with their answers and replies
 */
export async function writeEverywhere(db: Database, texts: readonly string[]) {
  const course = await aCourse(db)
  const target = await aQuestion(db, { course })
  const shown = await db.transaction().execute(async (write) => {
    // As of an import: nobody waits for these rows, and thousands of them are searched by their indexes.
    await sql`set local synchronous_commit = off`.execute(write)
    const all: Shown[] = []
    for (const text of texts) all.push(await writeOne(write, course, target.id, text))
    return all
  })
  return { course, target, shown }
}

async function writeOne(
  write: Write,
  course: { readonly id: number; readonly categoryId: number },
  target: number,
  text: string,
): Promise<Shown> {
  const author = await aPerson(write, { displayName: storable(text, 50) })
  const by = { authorId: author.id, isAnonymous: false }
  const questionId = await writeQuestion(write, {
    ...by,
    courseId: course.id,
    categoryId: course.categoryId,
    lectureId: null,
    title: storable(text, 150),
    body: await aText(storable(text, 30_000)),
    tags: [storable(text, 32)],
  })
  const body = await aText(storable(text, 5000))
  const question = await lockQuestion(write, target)
  const answerId = await writeAnswer(write, question, { ...by, body })
  await writeReply(write, question, { ...by, answerId, body })
  return { text, personId: author.id, questionId }
}

/** As much of a string as a column holds, in characters; what PostgreSQL cannot store is left out, what is too short filled up. */
function storable(text: string, max: number): string {
  const characters = [...text.replaceAll('\0', '').toWellFormed()].slice(0, max)
  while (characters.length < MIN_LENGTH) characters.push('.')
  return characters.join('')
}
