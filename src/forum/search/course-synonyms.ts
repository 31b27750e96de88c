import type { ReadableCourses } from '../../kernel/rights/visibility.ts'
import { readGroups, type Synonyms, synonymsIn } from '../../text/words/synonyms.ts'

/**
 * What the instructor added to the words that mean the same: of the course that is searched.
 * @returns null: nothing was added, or several courses are searched
 */
export function courseSynonyms({ synonyms }: ReadableCourses): Synonyms | null {
  const groups = readGroups(synonyms)
  return 'wrongLine' in groups || groups.length === 0 ? null : synonymsIn(groups)
}
