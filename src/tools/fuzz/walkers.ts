import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { Client } from './client.ts'
import type { PageParts } from './page-parts.ts'
import { enter, type FuzzRole, ROLES, renewPosts, type World } from './world.ts'

/** A simulated person, and their current page. */
export interface Walker {
  readonly role: FuzzRole
  readonly client: Client
  page: PageParts
  /** For programs; null: none. */
  token: string | null
}

export const NOTHING: PageParts = { links: [], forms: [], intruders: [] }

/** One of each role, not signed in yet. */
export function makeWalkers(url: string): Walker[] {
  return ROLES.map((role) => ({ role, client: new Client(url), page: NOTHING, token: null }))
}

/** Every walker becomes a new person, and rate limits are reset, which would end the walk at 429. */
export async function renew(db: Database, world: World, walkers: readonly Walker[]): Promise<void> {
  await sql`delete from tries`.execute(db)
  await renewPosts(db, world)
  for (const walker of walkers) await enterAs(db, world, walker)
}

/** Signing out, deleting the account and ending sessions are part of the walk, which continues as a new person. */
export async function stayIn(db: Database, world: World, walker: Walker, isInDoubt: boolean): Promise<void> {
  if (walker.role === 'visitor') return
  const isOut = !walker.client.cookies.has('session')
  if (!isOut && !isInDoubt) return
  const { status } = await walker.client.send({ method: 'GET', path: '/settings' })
  if (status !== 200) await enterAs(db, world, walker)
}

async function enterAs(db: Database, world: World, walker: Walker): Promise<void> {
  const pass = await enter(db, world, walker.role)
  walker.client.cookies.clear()
  if (pass !== null) walker.client.cookies.set('session', pass.session)
  walker.token = pass?.token ?? null
  walker.page = NOTHING
}
