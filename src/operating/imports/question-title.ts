import { TITLE } from '../../forum/posts/form.ts'
import { isBlank, lengthOf } from '../../text/characters.ts'
import { cleanLine, cut } from './clean-text.ts'

/**
 * A title within the forum's limits. A longer one is truncated and also given in full; a shorter one gets the
 * question's number.
 */
export function questionTitle(title: string, sourceId: number): { title: string; fullTitle: string | null } {
  const full = cleanLine(title)
  if (lengthOf(full) > TITLE.max) return { title: cut(full, TITLE.max), fullTitle: full }
  if (isBlank(full)) return { title: `Question ${sourceId}`, fullTitle: null }
  return { title: lengthOf(full) < TITLE.min ? `${full} (question ${sourceId})` : full, fullTitle: null }
}
