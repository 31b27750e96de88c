import type { MeasureKind } from '../../database/schema.ts'
import { type Browser, signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { forumOfSuites, type TestForum } from '../../testing/forum.ts'
import { caseOf, decided, measuresOf, reported } from './testing.ts'

/** The forum in which cases are tested. */
export const forumOfCases = forumOfSuites()

interface SceneOptions {
  readonly timeZone?: string
  /** The answer's author has this name. */
  readonly displayName?: string
  readonly isAnonymous?: boolean
}

/** A course with an answer that breaks its rules, and everyone who has to do with it, each with a browser. */
export async function aReportedScene(
  { app, db }: TestForum,
  { timeZone = 'UTC', isAnonymous = false, ...named }: SceneOptions = {},
) {
  const course = await aCourse(db, { timeZone })
  const assistant = await aMember(db, course, 'assistant')
  const instructor = await aMember(db, course, 'instructor')
  const author = await aMember(db, course, 'learner', await aPerson(db, named))
  const [reporter, other] = [await aMember(db, course), await aMember(db, course)]
  const question = await aQuestion(db, { course, title: 'Which tests count?' })
  // So long ago that an edit keeps what it replaces.
  const writtenAt = new Date(Date.now() - 3_600_000)
  const body = 'Just take mine: zyxsolution'
  const answer = await anAnswer(db, { question, author, body, isAnonymous, writtenAt })
  const subject = { about: 'answer', id: answer.id } as const
  /** Reports the answer and decides that. @returns numbers of the case and its first measure */
  const judged = async (kinds: readonly MeasureKind[], more: Parameters<typeof decided>[4] = {}) => {
    await reported(db, subject, reporter.id)
    const matter = await caseOf(db, subject)
    await decided(db, assistant.id, matter, kinds, more)
    return { id: matter.id, measureId: (await measuresOf(db, matter.id))[0]?.id ?? 0 }
  }
  const browsers: Record<'assistant' | 'instructor' | 'author' | 'reporter', Browser> = {
    assistant: await signedIn(app, assistant),
    instructor: await signedIn(app, instructor),
    author: await signedIn(app, author),
    reporter: await signedIn(app, reporter),
  }
  const people = { course, assistant, instructor, author, reporter, other }
  return { db, app, ...people, question, answer, subject, judged, browsers }
}
