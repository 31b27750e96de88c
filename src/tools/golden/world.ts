import { aWorld as aWorldOfPages } from '../../../e2e/world.ts'
import { beginSession } from '../../accounts/sessions/sessions.ts'
import type { Database } from '../../database/schema.ts'
import { saveDraft } from '../../forum/drafts/commands.ts'
import { aBackup } from '../../operating/backup/testing.ts'
import { loadSample } from '../../operating/sample/sample.ts'
import { aWorld as aWorldOfRights, ROLES } from '../../rights/world-testing.ts'
import type { Ending } from '../../testing/at-end.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'

/**
 * Backs up a forum with the sample, the world that journeys look at, and the one in which every right is tried: posts in
 * every state, cases, measures, objections, tokens, invitations. The readers are people of the latter, named after their roles.
 */
export async function backUpWorld(ending: Ending, path: string): Promise<void> {
  const { db, url } = await testDatabaseWithUrl(ending)
  await loadSample(db, { language: 'en', admin: true })
  await aWorldOfPages(db)
  const { actors } = await aWorldOfRights(db)
  for (const role of ROLES) {
    const personId = actors[role].id
    await db
      .updateTable('people')
      .set({ display_name: nameOf(role) })
      .where('id', '=', personId)
      .execute()
    await saveDraft(db, { personId, place: '/questions', fields: { body: 'A draft.' }, version: 0 })
  }
  await aBackup({ db, url, dataDir: `${path}.pictures` }, path)
}

export type Readers = Awaited<ReturnType<typeof readersOf>>

/** A restored forum's readers, each with a new session's cookie: a backup keeps none. A visitor comes first. */
export async function readersOf(db: Database) {
  const readers = [{ name: 'visitor', id: 0, cookie: '' }]
  for (const name of ROLES.filter((role) => role !== 'instructor elsewhere')) {
    const people = db.selectFrom('people').select('id').where('display_name', '=', nameOf(name))
    const { id } = await people.executeTakeFirstOrThrow()
    readers.push({ name, id, cookie: await beginSession(db, id, 'golden') })
  }
  return readers
}

const nameOf = (role: string) => `Golden ${role}`
