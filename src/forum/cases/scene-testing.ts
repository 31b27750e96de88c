import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aQuestion } from '../../testing/builders.ts'
import { forumOfSuites, type TestForum } from '../../testing/forum.ts'

/** The forum in which pages about cases are tested. */
export const forumOfCases = forumOfSuites()

/** A course with an answer that breaks its rules, and everyone who has to do with it, each with a browser. */
export async function aReportedScene({ app, db }: TestForum, timeZone = 'UTC') {
  const course = await aCourse(db, { timeZone })
  const [assistant, instructor] = [
    await aMember(db, course, 'assistant'),
    await aMember(db, course, 'instructor'),
  ]
  const [author, reporter] = [await aMember(db, course), await aMember(db, course)]
  const question = await aQuestion(db, { course, title: 'Which tests count?' })
  const answer = await anAnswer(db, { question, author, body: 'Just take mine: zyxsolution' })
  const subject = { about: 'answer', id: answer.id } as const
  const browsers = {
    assistant: await signedIn(app, assistant),
    instructor: await signedIn(app, instructor),
    author: await signedIn(app, author),
    reporter: await signedIn(app, reporter),
  }
  return { db, app, course, assistant, instructor, author, reporter, question, answer, subject, browsers }
}
