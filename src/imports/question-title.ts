import { TITLE } from '../questions/form.ts'
import { isBlank, lengthOf } from '../text/characters.ts'
import { cleanLine, cut } from './clean-text.ts'

/**
 * A title of the forum's length. One that is too long is cut and given whole as well, one that is too short gets the
 * question's number.
 */
export function questionTitle(title: string, sourceId: number): { title: string; fullTitle: string | null } {
  const full = cleanLine(title)
  if (lengthOf(full) > TITLE.max) return { title: cut(full, TITLE.max), fullTitle: full }
  if (isBlank(full)) return { title: `Question ${sourceId}`, fullTitle: null }
  return { title: lengthOf(full) < TITLE.min ? `${full} (question ${sourceId})` : full, fullTitle: null }
}
