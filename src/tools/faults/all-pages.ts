import type { Database } from '../../database/schema.ts'
import { withoutAges, withoutRequestId } from '../../testing/page.ts'
import { coursePath, personPath, questionPath, tagPath } from '../../web/paths.ts'
import { getPageAs } from './client.ts'

/** Each page by its path: status and body, without what differs between instances and moments. */
export type Pages = ReadonlyMap<string, string>

/** A crawler, whose views are not counted. */
const CRAWLER = { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' }

/** @param slug of a course: only its pages; null: all public pages */
export async function pathsOf(db: Database, slug: string | null): Promise<string[]> {
  const courses = await db
    .selectFrom('courses')
    .select(['id', 'slug'])
    .$if(slug !== null, (query) => query.where('slug', '=', slug ?? ''))
    .execute()
  const ids = courses.map(({ id }) => id)
  const questions = await db
    .selectFrom('questions')
    .select(['id', 'title'])
    .where('course_id', 'in', ids)
    .execute()
  const lists = courses.flatMap(({ slug: course }) =>
    ['', '?sort=active', '?sort=votes', '?status=resolved', '/feed.atom'].map(
      (rest) => coursePath(course) + rest,
    ),
  )
  const pages = [
    ...lists,
    ...questions.flatMap((question) => [questionPath(question), `/questions/${question.id}/feed.atom`]),
  ]
  return slug === null ? [...pages, ...(await pathsOfAll(db))] : pages
}

/** The pages, as a visitor gets them, with limited concurrency. */
export async function readPages(url: string, paths: readonly string[]): Promise<Pages> {
  const pages = new Map<string, string>()
  const waiting = paths.values()
  const readNext = async () => {
    for (const path of waiting) {
      const { status, body } = await getPageAs(url, path, CRAWLER)
      const text = withoutAges(withoutRequestId(body)).replaceAll(new URL(url).host, 'forum')
      pages.set(path, `${status} ${text}`)
    }
  }
  await Promise.all([1, 2, 3, 4].map(readNext))
  return pages
}

async function pathsOfAll(db: Database): Promise<string[]> {
  const people = await db.selectFrom('people').select(['id', 'display_name']).execute()
  const tags = await db.selectFrom('tags').select('name').execute()
  return [
    ...['/', '/courses', '/tags', '/feed.atom', '/sitemap.xml', '/questions?sort=votes', '/search?q=filter'],
    ...people.map(({ id, display_name }) => personPath({ id, displayName: display_name })),
    ...tags.map(({ name }) => tagPath(name)),
  ]
}
