import { isReservedName } from '../../accounts/identity/fields.ts'
import { isBlank } from '../../text/characters.ts'
import { cleanLine, cut } from './clean-text.ts'

/** As in the constraint people_display_name_length. */
const MAX_NAME_LENGTH = 50
/** Of an id behind a name. */
const MAX_ID_LENGTH = 20

/** A name that no account has: one that shows nothing, or that is taken for someone else's. */
export const isReserved = (name: string): boolean =>
  isBlank(cleanLine(name)) || isReservedName(cleanLine(name))

/** A name of elsewhere in 1 to 50 characters. One that an account may not have gets its id behind it: "Anonymous 1 (user12)". */
export function importedName(name: string, id: string): string {
  const line = cleanLine(name)
  const user = `user${cut(id, MAX_ID_LENGTH)}`
  if (isBlank(line)) return user
  const short = cut(line, MAX_NAME_LENGTH)
  const suffix = ` (${user})`
  return isReserved(short) ? `${cut(line, MAX_NAME_LENGTH - suffix.length)}${suffix}` : short
}
