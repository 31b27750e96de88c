import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import type { Database } from '../database/schema.ts'
import { testApp, testAppThatHears } from './app.ts'
import { atEnd, type Ending } from './at-end.ts'
import { type Browser, signedIn } from './browser.ts'
import { addressOf, plannedOnce, testDatabase, testDatabaseWithUrl } from './database.ts'

/** A database and the forum on it. */
export interface TestForum {
  readonly app: FastifyInstance
  readonly db: Database
  /** Of the database. */
  readonly url: string
}

/** For a single test. */
export async function aForum(test: Ending, overrides: Partial<Config> = {}): Promise<TestForum> {
  const { db, url } = await testDatabaseWithUrl(test)
  return { app: await testApp(test, db, overrides), db, url }
}

/** For a single test, one that hears of changes and so caches pages, as in production. */
export async function aHearingForum(test: Ending) {
  const db = await testDatabase(test)
  return { db, ...(await testAppThatHears(test, db)) }
}

/**
 * Shared by all tests of a suite, which must not depend on each other's data: call it first in the suite, and read its
 * properties inside the tests.
 */
export function sharedForum(overrides: Partial<Config> = {}): TestForum {
  return forumOfSuites(overrides)()
}

/**
 * One forum for suites of several files about one subject, in each process that runs some of them.
 * @returns shares it with a suite, as sharedForum does
 */
export function forumOfSuites(overrides: Partial<Config> = {}): () => TestForum {
  return sharedBySuites((ending) => aForum(ending, overrides))
}

/** The same with what a process has that receives changes: pages and sessions are cached, and open pages hear what is new. */
export function sharedForumThatHears() {
  return sharedBySuites(async (ending) => {
    const { db, url } = await testDatabaseWithUrl(ending)
    return { db, url, ...(await testAppThatHears(ending, db)) }
  })()
}

function sharedBySuites<Forum extends object>(make: (ending: Ending) => Promise<Forum>): () => Forum {
  const ends: (() => Promise<void>)[] = []
  let forum: Forum | null = null
  let suites = 0
  const made = () => forum ?? assert.fail('The shared forum is there inside of tests only')
  return () => {
    suites += 1
    before(async () => {
      forum ??= await make({ after: (work) => ends.push(work) })
    })
    after(async () => {
      suites -= 1
      if (suites > 0) return
      forum = null
      for (const end of ends.splice(0)) await end()
    })
    return new Proxy<Forum>({} as Forum, { get: (_, name) => Reflect.get(made(), name) })
  }
}

/** A forum for tests that only read. */
export interface ReadForum<World> extends TestForum {
  readonly world: World
}

/** A forum while it is filled. */
export interface FillingForum {
  readonly db: Database
  /** Whoever reads signed in signs in here: that writes. */
  signIn(person: { readonly id: number }): Promise<Browser>
}

/**
 * A forum that all tests of a suite read, and none changes: its connection can't write, so that no test depends on another one.
 * Call it first in the suite, and read its properties inside the tests.
 */
export function readForum<World>(
  fill: (forum: FillingForum) => Promise<World>,
  overrides: Partial<Config> = {},
): ReadForum<World> {
  return sharedBySuites(async (ending) => {
    const { db: written, url } = await testDatabaseWithUrl(ending)
    const db = plannedOnce(addressOf(written), {}, { default_transaction_read_only: 'on' })
    atEnd(ending, () => db.destroy())
    const app = await testApp(ending, db, overrides)
    const signIn = (person: { readonly id: number }) => signedIn(app, person, [], written)
    return { app, db, url, world: await fill({ db: written, signIn }) }
  })()
}
