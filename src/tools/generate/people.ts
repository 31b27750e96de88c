import { copyText, timeText } from './copy-text.ts'
import { GIVEN_NAMES } from './english-words.ts'
import { inventedWord } from './invented-words.ts'
import * as korean from './korean-words.ts'
import { FIRST_POST_MS } from './plan.ts'
import { Random } from './random.ts'
import { listOf } from './words.ts'

const DAY_MS = 24 * 60 * 60_000
/** The random stream of people: no chunk of questions has this number. */
const STREAM = -1

export const PEOPLE_COLUMNS = 'id, display_name, joined_at'

/** Rows of people, a third with Korean names. Like imported people they have no e-mail address and cannot sign in. */
export function peopleText(first: number, count: number, seed: number): string {
  const random = new Random(seed, STREAM)
  const given = listOf(GIVEN_NAMES)
  const [koreanFamily, koreanGiven] = [listOf(korean.FAMILY_NAMES), listOf(korean.GIVEN_NAMES)]
  const rows = Array.from({ length: count }, (_, index) => {
    const name = random.chance(1 / 3)
      ? random.pick(koreanFamily) + random.pick(koreanGiven)
      : `${random.pick(given)} ${inventedWord(random.below(5000))}`
    return [first + index, name, timeText(FIRST_POST_MS - random.below(365) * DAY_MS)]
  })
  return copyText(rows)
}
