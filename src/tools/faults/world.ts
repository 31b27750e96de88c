import type { Database } from '../../database/schema.ts'
import type { StartedForum } from '../../operating/start/testing.ts'
import { aCourse, type MadeCourse } from '../../testing/courses.ts'
import { aPerson } from '../../testing/people.ts'
import { aQuestion } from '../../testing/posts.ts'
import { questionPath } from '../../web/paths.ts'
import { type SignedIn, signInPeople } from '../bench/speed/people.ts'
import { startForum } from '../bench/speed/processes.ts'
import type { FaultContext } from './fault.ts'

/** A running forum, started like an operator does, with signed-in people and a question to answer. */
export interface World {
  readonly db: Database
  readonly url: string
  readonly forum: StartedForum
  readonly course: MadeCourse
  readonly people: readonly SignedIn[]
  readonly question: { readonly id: number; readonly path: string }
}

export interface WorldOptions {
  readonly people?: number
  /** The database's URL for the forum, if a proxy is in between. */
  readonly databaseUrl?: string
  readonly database?: { readonly db: Database; readonly url: string }
  /** Additional environment of the forum. */
  readonly variables?: Readonly<Record<string, string>>
}

export async function aWorld(context: FaultContext, options: WorldOptions = {}): Promise<World> {
  const { db, url } = options.database ?? (await context.database())
  const forum = await startForum(context.end, options.databaseUrl ?? url, options.variables)
  return aWorldAt({ db, url, forum }, options.people ?? 20)
}

/**
 * The same at a running forum.
 * @param count number of people
 */
export async function aWorldAt(place: Pick<World, 'db' | 'url' | 'forum'>, count: number): Promise<World> {
  const { db, forum } = place
  const course = await aCourse(db)
  const made = await aQuestion(db, { course })
  await Promise.all(Array.from({ length: count }, () => aPerson(db)))
  const everybody = await signInPeople(db, forum.url, count + 1)
  // The asker may not vote for it.
  const people = everybody.filter(({ id }) => id !== made.authorId)
  return { ...place, course, people, question: { id: made.id, path: questionPath(made) } }
}
