import { type Browser, signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { forumOfSuites, type TestForum } from '../../testing/forum.ts'

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
  const [assistant, instructor] = [
    await aMember(db, course, 'assistant'),
    await aMember(db, course, 'instructor'),
  ]
  const author = await aMember(db, course, 'learner', await aPerson(db, named))
  const [reporter, other] = [await aMember(db, course), await aMember(db, course)]
  const question = await aQuestion(db, { course, title: 'Which tests count?' })
  // So long ago that an edit keeps what it replaces.
  const writtenAt = new Date(Date.now() - 3_600_000)
  const answer = await anAnswer(db, {
    ...{ question, author, body: 'Just take mine: zyxsolution', isAnonymous, writtenAt },
  })
  const subject = { about: 'answer', id: answer.id } as const
  const browsers: Record<'assistant' | 'instructor' | 'author' | 'reporter', Browser> = {
    assistant: await signedIn(app, assistant),
    instructor: await signedIn(app, instructor),
    author: await signedIn(app, author),
    reporter: await signedIn(app, reporter),
  }
  const people = { course, assistant, instructor, author, reporter, other }
  return { db, app, ...people, question, answer, subject, browsers }
}
