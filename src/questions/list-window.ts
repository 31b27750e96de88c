import type { Cursor } from '../database/keyset.ts'
import { isBelow, isListed, placeOf, type Standing } from '../page-cache/concerns.ts'
import type { ShownList } from '../page-cache/shown.ts'
import { cursorOf, type ListPage, PAGE_SIZE, type QuestionFilter } from './list.ts'
import { statesOf } from './list-places.ts'

/** Where a question stands in a list, and what else of it a page depends on. */
export interface Place extends Cursor {
  readonly author: number
  readonly course: number
}

/** Which questions a page of a list shows, and the next one, which tells that there are more. */
export interface ListWindow extends ShownList {
  readonly places: readonly Place[]
}

export function windowOf(filter: QuestionFilter, { read, above, below }: ListPage): ListWindow {
  const places = read.map((question) => ({
    ...cursorOf(question, filter.sort),
    author: question.author_id,
    course: question.course_id,
  }))
  return { filter, states: statesOf(filter), above, below, places }
}

/**
 * The same page after a question changed.
 * @param standing where it stands now
 * @param isReadable whether whoever reads the page may read the question's course
 * @returns null: which question moved up to it, or what stands there instead of an empty page, only the database knows
 */
export function windowAfter(window: ListWindow, standing: Standing, isReadable: boolean): ListWindow | null {
  const { filter, above, below } = window
  const place = { ...placeOf(standing, filter.sort), author: standing.author, course: standing.course }
  const isWithin = (above === null || isBelow(place, above)) && (below === null || !isBelow(place, below))
  const others = window.places.filter(({ id }) => id !== place.id)
  const all = isReadable && isWithin && isListed(standing, window) ? inserted(others, place) : others
  const places = all.slice(0, PAGE_SIZE + 1)
  const next = places[PAGE_SIZE]
  if (places.length === 0 || (next === undefined && below !== null)) return null
  return { ...window, below: next === undefined ? null : { value: next.value, id: next.id }, places }
}

function inserted(places: readonly Place[], place: Place): Place[] {
  const index = places.findIndex((other) => isBelow(other, place))
  return index < 0 ? [...places, place] : places.toSpliced(index, 0, place)
}
