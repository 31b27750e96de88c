import type { LectureTitle } from '../courses/commands.ts'
import type { ReadLectures } from '../courses/lecture-file.ts'
import { placed } from './commands.ts'

/** What saving a list would do with a lecture. */
export type Effect = 'new' | 'renamed' | 'same' | 'deleted' | 'kept'

/** A line of what was read: a lecture as it would be, and what it is today. */
export interface Effected extends LectureTitle {
  readonly effect: Effect
  /** Today's title of one that is renamed. */
  readonly former: string | null
}

/**
 * What saving a list would make of the lectures of a course, by position. In `replace`, those that are not named are deleted,
 * but for those with questions.
 * @param there by position
 * @param asked positions of those with questions
 * @throws Refused
 */
export function effectsOf(
  read: ReadLectures,
  there: readonly LectureTitle[],
  asked: ReadonlySet<number>,
  mode: 'add' | 'replace',
): Effected[] {
  const named = mode === 'add' ? placed(read, there) : read.lectures
  const today = new Map(there.map((one) => [one.position, one]))
  const taken = new Set(named.map(({ position }) => position))
  const lines: Effected[] = named.map(({ position, title }) => {
    const former = today.get(position)?.title ?? null
    const isSame = former === title
    const effect = former === null ? 'new' : isSame ? 'same' : 'renamed'
    return { position, title, effect, former: effect === 'renamed' ? former : null }
  })
  if (mode === 'replace') {
    for (const { position, title } of there) {
      if (!taken.has(position))
        lines.push({ position, title, effect: asked.has(position) ? 'kept' : 'deleted', former: null })
    }
  }
  return lines.sort((one, other) => one.position - other.position)
}
