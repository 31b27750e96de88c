import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { Random } from '../../generate/random.ts'
import { Zipf } from '../../generate/zipf.ts'
import { SORTS, STATUS_FILTERS } from '../../questions/list.ts'
import { coursePath, pathWith, questionPath, tagPath } from '../../web/paths.ts'
import type { PageRequest } from './load.ts'

/** Addresses that are asked for, the most wanted first. */
export interface Traffic {
  readonly lists: readonly string[]
  readonly questions: readonly string[]
}

const LISTS = 300
const QUESTIONS = 3000
/** So many, before they begin again. */
const DRAWS = 32_000

/** As Chromium asks for a page somebody opens. */
export const BROWSER_HEADERS = {
  'user-agent':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'accept-encoding': 'gzip, deflate, br, zstd',
  'accept-language': 'en-US,en;q=0.9',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'same-origin',
  'sec-fetch-user': '?1',
  'upgrade-insecure-requests': '1',
}

/** The lists and the most viewed questions of a forum. */
export async function trafficOf(db: Database): Promise<Traffic> {
  return { lists: await listPaths(db), questions: await questionPaths(db, QUESTIONS) }
}

/** Draws what is asked for by Zipf's law; the same in every run. @param cookies of those who ask in turn; none: visitors */
export function requestsFor(paths: readonly string[], cookies: readonly string[] = []): PageRequest[] {
  const zipf = new Zipf(paths.length)
  const random = new Random(4)
  return Array.from({ length: DRAWS }, (_, number) => {
    const path = paths[zipf.draw(random)] ?? '/'
    const cookie = cookies[number % cookies.length]
    return cookie === undefined ? { path } : { path, cookie }
  })
}

/** Front page, filters and sorts of all and of each course, then tags, the commonest first. */
async function listPaths(db: Database): Promise<string[]> {
  const courses = await db
    .selectFrom('courses')
    .select('slug')
    .where('is_public', '=', true)
    .limit(5)
    .execute()
  const tags = await sql<{ name: string }>`
    select name from course_tags join tags on tags.id = tag_id where questions_count > 0
    group by name order by sum(questions_count) desc, name limit ${LISTS}`.execute(db)
  const places = ['/questions', ...courses.map(({ slug }) => coursePath(slug))]
  const filtered = [null, ...STATUS_FILTERS].flatMap((status) =>
    [null, ...SORTS.slice(1)].flatMap((sort) => places.map((place) => pathWith(place, { status, sort }))),
  )
  return ['/', ...filtered, ...tags.rows.map(({ name }) => tagPath(name))].slice(0, LISTS)
}

/** So many of the most viewed questions. */
export async function questionPaths(db: Database, count: number): Promise<string[]> {
  const questions = await db
    .selectFrom('questions')
    .select(['id', 'title'])
    .where('deleted_at', 'is', null)
    .orderBy('views_count', 'desc')
    .orderBy('id')
    .limit(count)
    .execute()
  return questions.map(questionPath)
}
