import { sql } from 'kysely'
import type { Database } from '../../../database/schema.ts'
import { SORTS, STATUS_FILTERS } from '../../../forum/reading/list.ts'
import { coursePath, pathWith, questionPath, tagPath } from '../../../web/paths.ts'
import { Random } from '../../generate/random.ts'
import { Zipf } from '../../generate/zipf.ts'
import type { PageRequest } from './page-requests.ts'

/** Paths, most popular first. */
export interface Traffic {
  readonly lists: readonly string[]
  readonly questions: readonly string[]
}

const MAX_LISTS = 300
const MAX_QUESTIONS = 3000
/** Number of draws before the sequence repeats. */
const DRAWS_COUNT = 32_000

/** The lists and the most viewed questions of a forum. */
export async function trafficOf(db: Database): Promise<Traffic> {
  return { lists: await listPaths(db), questions: await questionPaths(db, MAX_QUESTIONS) }
}

/**
 * Draws requests by Zipf's law; the same in every run.
 * @param cookies of the readers in turn; none: visitors
 */
export function requestsFor(paths: readonly string[], cookies: readonly string[] = []): PageRequest[] {
  const zipf = new Zipf(paths.length)
  const random = new Random(4)
  return Array.from({ length: DRAWS_COUNT }, (_, number) => {
    const path = paths[zipf.draw(random)] ?? '/'
    const cookie = cookies[number % cookies.length]
    return cookie === undefined ? { path } : { path, cookie }
  })
}

/** Front page, filters and sorts of all and of each course, then tags, most used first. */
async function listPaths(db: Database): Promise<string[]> {
  const courses = await db
    .selectFrom('courses')
    .select('slug')
    .where('is_public', '=', true)
    .limit(5)
    .execute()
  const tags = await sql<{ name: string }>`
    select name from course_tags join tags on tags.id = tag_id where questions_count > 0
    group by name order by sum(questions_count) desc, name limit ${MAX_LISTS}`.execute(db)
  const places = ['/questions', ...courses.map(({ slug }) => coursePath(slug))]
  const filtered = [null, ...STATUS_FILTERS].flatMap((status) =>
    [null, ...SORTS.slice(1)].flatMap((sort) => places.map((place) => pathWith(place, { status, sort }))),
  )
  return ['/', ...filtered, ...tags.rows.map(({ name }) => tagPath(name))].slice(0, MAX_LISTS)
}

/** The most viewed questions, this many. */
export async function questionPaths(db: Database, count: number): Promise<string[]> {
  const questions = await db
    .selectFrom('questions')
    .select(['id', 'title'])
    .where('is_shown', '=', true)
    .orderBy('views_count', 'desc')
    .orderBy('id')
    .limit(count)
    .execute()
  return questions.map(questionPath)
}
