import type { Database } from '../../database/schema.ts'
import type { ReadableCourses } from '../../kernel/rights/visibility.ts'
import { readGroups, type Synonyms, synonymsIn } from '../../text/words/synonyms.ts'

/**
 * What the instructor added to the words that mean the same: of the course that is searched.
 * @returns null: nothing was added, or several courses are searched
 */
export async function courseSynonyms(db: Database, { ids }: ReadableCourses): Promise<Synonyms | null> {
  const [id] = ids
  if (id === undefined || ids.length > 1) return null
  const row = await db.selectFrom('courses').select('synonyms').where('id', '=', id).executeTakeFirst()
  const groups = readGroups(row?.synonyms ?? '')
  return 'wrongLine' in groups || groups.length === 0 ? null : synonymsIn(groups)
}
