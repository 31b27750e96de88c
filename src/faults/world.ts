import { type SignedIn, signInPeople } from '../bench/speed/people.ts'
import { startForum } from '../bench/speed/processes.ts'
import type { Database } from '../database/schema.ts'
import type { StartedForum } from '../start/testing.ts'
import { aCourse, type MadeCourse } from '../testing/courses.ts'
import { aPerson } from '../testing/people.ts'
import { aQuestion } from '../testing/posts.ts'
import { questionPath } from '../web/paths.ts'
import type { Ground } from './fault.ts'

/** A forum that runs, as an operator starts it, with people signed in and a question to answer. */
export interface World {
  readonly db: Database
  readonly url: string
  readonly forum: StartedForum
  readonly course: MadeCourse
  readonly people: readonly SignedIn[]
  readonly question: { readonly id: number; readonly path: string }
}

export interface WorldWishes {
  readonly people?: number
  /** Where the forum finds the database, if not at the database itself: a proxy before it. */
  readonly databaseUrl?: string
  readonly database?: { readonly db: Database; readonly url: string }
  /** The forum's environment, beside what it always needs. */
  readonly variables?: Readonly<Record<string, string>>
}

export async function aWorld(ground: Ground, wishes: WorldWishes = {}): Promise<World> {
  const { db, url } = wishes.database ?? (await ground.database())
  const forum = await startForum(ground.end, wishes.databaseUrl ?? url, wishes.variables)
  return aWorldAt({ db, url, forum }, wishes.people ?? 20)
}

/** The same at a forum that runs. @param count people */
export async function aWorldAt(place: Pick<World, 'db' | 'url' | 'forum'>, count: number): Promise<World> {
  const { db, forum } = place
  const course = await aCourse(db)
  const made = await aQuestion(db, { course })
  await Promise.all(Array.from({ length: count }, () => aPerson(db)))
  const everybody = await signInPeople(db, forum.url, count + 1)
  // Who asked may not vote for it.
  const people = everybody.filter(({ id }) => id !== made.authorId)
  return { ...place, course, people, question: { id: made.id, path: questionPath(made) } }
}
