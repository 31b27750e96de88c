import type { Change, QuestionChange } from '../changes/change.ts'
import type { Cursor } from '../database/keyset.ts'
import type { Shown, ShownList, Subject } from './shown.ts'

/** The subjects that a change concerns; null: all there are. */
export function subjectsOf(change: Change): Subject[] | null {
  if ('all' in change) return null
  if ('tag' in change) return ['tags', `tag:${change.tag}`]
  if ('course' in change && !('question' in change)) {
    const { course: id } = change
    const figures: Subject[] = ['all-figures', `figures:${id}`]
    return change.change === 'counts' ? figures : [...figures, 'courses', `course:${id}`]
  }
  if ('person' in change) {
    const { person: id } = change
    return { name: [`name:${id}`], asked: [`asked:${id}`], access: [`profile:${id}`] }[
      change.change
    ] as Subject[]
  }
  const shown: Subject[] = [`question:${change.question}`]
  if (change.change === 'figures') return shown
  return [...shown, ...change.writers.map((id): Subject => `profile:${id}`)]
}

/** Whether a page shows something else after a change. */
export function concerns(change: Change, shown: Shown): boolean {
  const subjects = subjectsOf(change)
  if (subjects === null || subjects.some((subject) => shown.subjects.has(subject))) return true
  return 'question' in change && shown.lists.some((list) => enters(change, list))
}

/**
 * Those of the changes after which a page shows something else. The question of one is a subject of the page from then on:
 * it may have come to it, and the next change may take it away again.
 */
export function noteMissed(shown: Shown, changes: readonly Change[]): Change[] {
  return changes.filter((change) => {
    const isMissed = concerns(change, shown)
    if (isMissed && 'question' in change) shown.add(`question:${change.question}`)
    return isMissed
  })
}

/**
 * Whether pages that many ask for may be sent without this change for a moment: questions' posts and figures change often. What
 * takes a whole question from readers, or a course, or somebody's name, does not.
 */
export function mayBeLate(change: Change): boolean {
  return 'question' in change && !change.isDeleted
}

/** Whether a question's place is within a page of a list now. One that was there and left is a subject of the page. */
export function enters(change: QuestionChange, list: ShownList): boolean {
  const { filter, above, below } = list
  // Votes and views move nothing in a list by time.
  if (change.change === 'figures' && (filter.sort === 'newest' || filter.sort === 'active')) return false
  if (!isListed(change, list)) return false
  const place = placeOf(change, filter.sort)
  return (above === null || isBelow(place, above)) && (below === null || isBelow(below, place))
}

/** Where a question stands, as a change tells it. */
export type Standing = Omit<QuestionChange, 'change' | 'answers' | 'writers'>

/** Whether a question is in a list, on whichever of its pages. */
export function isListed(
  standing: Standing,
  { filter, states }: Pick<ShownList, 'filter' | 'states'>,
): boolean {
  if (standing.isDeleted || (states !== null && !states.includes(standing.state))) return false
  if (filter.courseId !== null && filter.courseId !== standing.course) return false
  if (filter.lectureId !== null && filter.lectureId !== standing.lecture) return false
  if (filter.authorId !== null && filter.authorId !== standing.author) return false
  return filter.tagId === null || standing.tags.includes(filter.tagId)
}

/** Its place in lists sorted so. */
export function placeOf(standing: Standing, sort: ShownList['filter']['sort']): Cursor {
  const value = {
    newest: standing.writtenAt,
    active: standing.activeAt,
    votes: standing.votes,
    views: standing.views,
  }[sort]
  return { value, id: standing.question }
}

/** Lists run from large places to small ones. */
export function isBelow(one: Cursor, other: Cursor): boolean {
  return one.value < other.value || (one.value === other.value && one.id < other.id)
}
