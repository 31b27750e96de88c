import { type Fields, signedIn } from '../../testing/browser.ts'
import { aCourse, aPerson } from '../../testing/builders.ts'
import type { TestForum } from '../../testing/forum.ts'

/** Somebody with the ask form of a course of their own open: two lectures, and a category beside the default one. */
export async function anAsker({ app, db }: TestForum) {
  const course = await aCourse(db, { lectures: ['One', 'Two'], categories: ['Organisation'] })
  const person = await aPerson(db)
  const browser = await signedIn(app, person)
  const token = await browser.token()
  const good = { course: course.slug, title: 'A good title', body: 'A body.', tags: '' }
  /** Sends the form; what is not given is filled in well. */
  const ask = (fields: Fields) => browser.post('/questions', { ...good, ...fields }, { token })
  return { course, person, browser, ask }
}
