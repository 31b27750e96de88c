import { LRUCache } from 'lru-cache'
import type { Database } from '../../database/schema.ts'
import { type Change, touchesEverything } from '../../web/change-feed/change.ts'
import type { ChangeFeed } from '../../web/change-feed/change-feed.ts'
import {
  type AskedWords,
  askedQuestions,
  askedWords,
  type Subject,
  staffOf,
  weeksOfQuestions,
} from './queries.ts'
import { type Week, weekOf } from './week.ts'

/** Weeks of a course, counted when they are first asked for. */
interface Kept {
  readonly courseId: number
  readonly weeks: Map<string, Week>
  readonly words: Map<string, readonly AskedWords[]>
  /** Questions that changed since the weeks were last brought up to date. */
  changed: Set<number>
  /** One at a time brings them up to date: what it read cannot replace what is newer. */
  turn: Promise<unknown>
}

export interface FoundWeeks {
  /** In the order of the Mondays. */
  readonly weeks: readonly Week[]
  /** Of the newest weeks whose words are asked for, until they have MAX_WORDS questions. */
  readonly words: readonly AskedWords[]
}

/** Which weeks' words are asked for, as Mondays in ascending order. */
type ChosenWeeks = (weeks: readonly Week[]) => readonly string[]

interface Asked {
  readonly course: Subject
  readonly staff: readonly number[]
  readonly mondays: readonly string[]
  readonly withWords: ChosenWeeks
}

/** In questions, of all courses: about 150 bytes each. */
const MAX_SIZE = 200_000
/** So many questions that changed are not looked up one by one. */
const MAX_CHANGED = 2000
/** The weeks of many years in one statement would exceed its time limit. */
const WEEKS_AT_ONCE = 52
/** More questions than this hardly change which words set a lecture apart. */
const MAX_WORDS = 1500

/**
 * What each week adds to a course's figures. A change of a question makes its own week stale and no other, so that the figures
 * of years are up to date after counting one week.
 */
export class CachedWeeks {
  private readonly db: Database
  private readonly feed: ChangeFeed | null
  private readonly courses = new LRUCache<string, Kept>({
    maxSize: MAX_SIZE,
    sizeCalculation: ({ weeks }) => 1 + [...weeks.values()].reduce((sum, { ids }) => sum + ids.length, 0),
  })

  constructor(db: Database, feed: ChangeFeed | null) {
    this.db = db
    this.feed = feed
    feed?.listen({ changed: (change) => this.note(change), lost: () => this.courses.clear() })
  }

  /** @param mondays of the weeks, ascending */
  async find(course: Subject, mondays: readonly string[], withWords: ChosenWeeks): Promise<FoundWeeks> {
    const staff = await staffOf(this.db, course.id)
    const key = `${course.id} ${course.timeZone} ${staff.join(' ')}`
    const kept = this.courses.get(key) ?? fresh(course.id)
    const asked = { course, staff, mondays, withWords }
    if (this.feed?.isLive !== true) return this.bringUpToDate(fresh(course.id), asked)
    if (!this.courses.has(key)) this.courses.set(key, kept)
    const found = kept.turn.then(() => this.bringUpToDate(kept, asked))
    // Which weeks are stale is not known any more.
    kept.turn = found.catch(() => forget(kept))
    const result = await found
    // Its size is another now; what was dropped meanwhile stays dropped.
    if (this.courses.get(key) === kept) {
      this.courses.delete(key)
      this.courses.set(key, kept)
    }
    return result
  }

  private async bringUpToDate(kept: Kept, { course, staff, mondays, withWords }: Asked): Promise<FoundWeeks> {
    await this.dropChanged(kept, course)
    const missing = mondays.filter((monday) => kept.weeks.get(monday)?.isSettled !== true)
    for (let first = 0; first < missing.length; first += WEEKS_AT_ONCE) {
      const some = missing.slice(first, first + WEEKS_AT_ONCE)
      const asked = Map.groupBy(await askedQuestions(this.db, course, staff, some), ({ monday }) => monday)
      for (const monday of some) kept.weeks.set(monday, weekOf(monday, asked.get(monday) ?? []))
    }
    const weeks = mondays.map((monday) => kept.weeks.get(monday) ?? weekOf(monday, []))
    return { weeks, words: await this.words(kept, course, withWords(weeks)) }
  }

  private async dropChanged(kept: Kept, course: Subject): Promise<void> {
    const { changed } = kept
    kept.changed = new Set()
    if (changed.size > MAX_CHANGED) return forget(kept)
    const former = [...kept.weeks].filter(([, { ids }]) => ids.some((id) => changed.has(id)))
    const stale = await weeksOfQuestions(this.db, course, [...changed])
    for (const monday of [...stale, ...former.map(([week]) => week)]) {
      kept.weeks.delete(monday)
      kept.words.delete(monday)
    }
  }

  private async words(kept: Kept, course: Subject, mondays: readonly string[]): Promise<AskedWords[]> {
    const newest = newestWeeks(kept, mondays)
    const missing = newest.filter((monday) => !kept.words.has(monday))
    const read = Map.groupBy(await askedWords(this.db, course, missing), ({ monday }) => monday)
    for (const monday of missing) kept.words.set(monday, read.get(monday) ?? [])
    return newest.flatMap((monday) => kept.words.get(monday) ?? [])
  }

  private note(change: Change): void {
    if (touchesEverything(change)) this.courses.clear()
    const { question, course, scopes } = change
    if (question === undefined || !scopes.includes(`course:${course}`)) return
    for (const kept of this.courses.values()) if (kept.courseId === course) kept.changed.add(question)
  }
}

function fresh(courseId: number): Kept {
  return { courseId, weeks: new Map(), words: new Map(), changed: new Set(), turn: Promise.resolve() }
}

function forget({ weeks, words }: Kept): void {
  weeks.clear()
  words.clear()
}

/** The newest of these weeks that have questions about lectures, until these are MAX_WORDS; ascending. */
function newestWeeks({ weeks }: Kept, mondays: readonly string[]): string[] {
  const newest: string[] = []
  let count = 0
  for (const monday of mondays.toReversed()) {
    const week = weeks.get(monday)
    if (week === undefined || week.lectures.size === 0) continue
    newest.push(monday)
    for (const questions of week.lectures.values()) count += questions
    if (count >= MAX_WORDS) break
  }
  return newest.toReversed()
}
