import type { LightMyRequestResponse } from 'fastify'
import { type Browser, type Fields, signedIn } from '../../testing/browser.ts'
import { aCourse, aPerson, type MadeCourse, type MadePerson } from '../../testing/builders.ts'
import type { TestForum } from '../../testing/forum.ts'

/** Somebody with the ask form of a course of their own open: two lectures, and a category beside the default one. */
export interface Asker {
  readonly course: MadeCourse
  readonly person: MadePerson
  readonly browser: Browser
  /** Sends the form; what is not given is filled in well. */
  ask(fields: Fields): Promise<LightMyRequestResponse>
}

export async function anAsker({ app, db }: TestForum): Promise<Asker> {
  const course = await aCourse(db, { lectures: ['One', 'Two'], categories: ['Organisation'] })
  const person = await aPerson(db)
  const browser = await signedIn(app, person)
  const token = await browser.token()
  const good = { course: course.slug, title: 'A good title', body: 'A body.', tags: '' }
  return {
    ...{ course, person, browser },
    ask: (fields) => browser.post('/questions', { ...good, ...fields }, { token }),
  }
}
