import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type SampleCourse, SampleError } from './sample-course.ts'
import { checkIntegrity } from './sample-integrity.ts'
import { readYaml, textOf } from './sample-parts.ts'
import { parseQuestionFile } from './sample-question-file.ts'

export type {
  SampleAnswer,
  SampleCourse,
  SampleLecture,
  SamplePerson,
  SamplePost,
  SampleQuestion,
} from './sample-course.ts'
export { SampleError } from './sample-course.ts'

const COURSE_FILE = 'course.yaml'

const account = z.strictObject({ name: textOf(50), email: z.email().lowercase() })

/** Limits as the database has them. Lectures and people are mappings: position to title, key to person. */
const courseFields = z.strictObject({
  slug: z
    .string()
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    .max(80),
  title: textOf(150),
  field: textOf(50),
  language: z.enum(['en', 'ko']),
  time_zone: z.string().refine(isKnownTimeZone, 'must be a time zone such as Asia/Seoul'),
  description: textOf(2000),
  lectures: z.record(z.string().regex(/^[1-9]\d{0,3}$/, 'must be a position, 1 or more'), textOf(150)),
  people: z.record(
    z.string().regex(/^[a-z]+$/, 'must be a key of lower-case letters'),
    account.extend({
      role: z.enum(['instructor', 'assistant', 'learner']),
    }),
  ),
  admin: account,
})

/**
 * Reads a sample course from its content files: `course.yaml` and `questions/*.md`. Touches no database.
 * @param folder e.g. db/sample/en
 * @throws SampleError in one line when a file is missing, breaks a limit of the forum, or contradicts another
 */
export async function readSample(folder: string): Promise<SampleCourse> {
  const { lectures, people, time_zone, ...fields } = readYaml(
    await contentOf(folder, COURSE_FILE),
    courseFields,
    COURSE_FILE,
  )
  const course: SampleCourse = {
    ...fields,
    timeZone: time_zone,
    lectures: Object.entries(lectures).map(([position, title]) => ({ position: Number(position), title })),
    people: Object.entries(people).map(([key, person]) => ({ key, ...person })),
    questions: await readQuestions(folder),
  }
  checkIntegrity(course, COURSE_FILE)
  return course
}

async function readQuestions(folder: string) {
  const names = await orSampleError('questions', readdir(join(folder, 'questions')))
  const files = names.filter((name) => name.endsWith('.md')).map((name) => `questions/${name}`)
  const questions = await Promise.all(
    files.sort().map(async (file) => parseQuestionFile(await contentOf(folder, file), file)),
  )
  return questions.sort((one, other) => other.hoursAgo - one.hoursAgo)
}

function contentOf(folder: string, file: string): Promise<string> {
  return orSampleError(file, readFile(join(folder, file), 'utf8'))
}

async function orSampleError<Result>(file: string, reading: Promise<Result>): Promise<Result> {
  try {
    return await reading
  } catch (error) {
    throw new SampleError(`${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function isKnownTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
