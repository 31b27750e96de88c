import { TITLE } from '../../forum/posts/form.ts'
import { isBlank, lengthOf } from '../../text/characters.ts'
import { cleanLine, cut } from './clean-text.ts'

/**
 * A title within the forum's limits. A longer one is truncated and also given in full; a shorter one gets the
 * question's id there.
 */
export function questionTitle(title: string, id: string): { title: string; fullTitle: string | null } {
  const full = cleanLine(title)
  if (lengthOf(full) > TITLE.max) return { title: cut(full, TITLE.max), fullTitle: full }
  if (isBlank(full)) return { title: `Question ${id}`, fullTitle: null }
  return { title: lengthOf(full) < TITLE.min ? `${full} (question ${id})` : full, fullTitle: null }
}
