import { LRUCache } from 'lru-cache'
import type { Database } from '../../database/schema.ts'
import type { ReadableCourses } from '../../kernel/rights/visibility.ts'
import { atMost } from '../../text/words/remembered.ts'
import { readGroups, type Synonyms, synonymsIn } from '../../text/words/synonyms.ts'

/** How long another process may still search without a change. */
const REMEMBERED_MS = 10_000
const MAX_COURSES = 500
const remembered = new WeakMap<Database, LRUCache<number, Promise<Synonyms | null>>>()

/**
 * What the instructor added to the words that mean the same: of the course that is searched.
 * @returns null: nothing was added, or several courses are searched
 */
export async function courseSynonyms(db: Database, { ids }: ReadableCourses): Promise<Synonyms | null> {
  const [id] = ids
  if (id === undefined || ids.length > 1) return null
  const known =
    remembered.get(db) ??
    new LRUCache<number, Promise<Synonyms | null>>({ ...atMost(MAX_COURSES), ttl: REMEMBERED_MS })
  remembered.set(db, known)
  const found = known.get(id)
  if (found !== undefined) return found
  const read = readSynonyms(db, id)
  known.set(id, read)
  read.catch(() => known.delete(id))
  return read
}

/** After the settings of a course were changed. */
export function forgetSynonyms(db: Database, courseId: number): void {
  remembered.get(db)?.delete(courseId)
}

async function readSynonyms(db: Database, courseId: number): Promise<Synonyms | null> {
  const row = await db.selectFrom('courses').select('synonyms').where('id', '=', courseId).executeTakeFirst()
  const groups = readGroups(row?.synonyms ?? '')
  return 'wrongLine' in groups || groups.length === 0 ? null : synonymsIn(groups)
}
