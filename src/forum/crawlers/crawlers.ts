import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../database/schema.ts'
import { notFound } from '../../kernel/problem.ts'
import { visibleTo } from '../../kernel/rights/visibility.ts'
import { idParam } from '../../web/params.ts'
import { questionPath } from '../../web/paths.ts'

/** Ids of questions per part: a sitemap has at most 50,000 URLs (sitemaps.org, "Sitemap index files"). */
const PART_SIZE = 50_000
/** How long the index is cached, in milliseconds: crawlers come daily, and counting reads every question. */
const CACHE_MS = 60 * 60_000

/** /sitemap.xml lists the parts, /sitemap/1.xml the public questions in one. */
export function registerSitemap(app: FastifyInstance): void {
  const fetchMethod = () => findParts(app.db)
  const cache = new LRUCache<'parts', Parts>({ max: 1, ttl: CACHE_MS, fetchMethod })
  const type = 'application/xml; charset=utf-8'

  app.get('/sitemap.xml', { config: { isPublic: true } }, async (_request, reply) => {
    const { baseUrl } = app.config
    const parts = (await cache.forceFetch('parts')).map(({ part, lastmod }) => ({
      url: `${baseUrl}/sitemap/${part}.xml`,
      lastmod: lastmod.toISOString(),
    }))
    return reply
      .header('cache-control', 'public, max-age=3600')
      .document('/crawlers/sitemap-index', { parts }, type)
  })

  app.get('/sitemap/:part.xml', { config: { isPublic: true } }, async (request, reply) => {
    const questions = await findQuestions(app.db, idParam(request, 'part'))
    if (questions.length === 0) throw notFound()
    const urls = questions.map((question) => ({
      url: `${app.config.baseUrl}${questionPath(question)}`,
      lastmod: question.active_at.toISOString(),
    }))
    return reply.header('cache-control', 'public, max-age=3600').document('/crawlers/sitemap', { urls }, type)
  })
}

type Parts = Awaited<ReturnType<typeof findParts>>

async function findParts(db: Database) {
  const { rows } = await sql<{ part: number; lastmod: Date }>`
    select (q.id - 1) / ${sql.lit(PART_SIZE)} + 1 as part, max(q.active_at) as lastmod
    from questions as q join courses as course on course.id = q.course_id
    where q.is_listed and ${visibleTo(null)} group by 1 order by 1`.execute(db)
  return rows
}

function findQuestions(db: Database, part: number) {
  return db
    .selectFrom('questions as q')
    .innerJoin('courses as course', 'course.id', 'q.course_id')
    .select(['q.id', 'q.title', 'q.active_at'])
    .where('q.id', '>', (part - 1) * PART_SIZE)
    .where('q.id', '<=', part * PART_SIZE)
    .where('q.is_listed', '=', true)
    .where(visibleTo(null))
    .orderBy('q.id')
    .execute()
}

/** Forms, private pages and endless lists, which search engines should skip (RFC 9309). */
const DISALLOWED = [
  '/search?',
  '/search/',
  '/sign-in?',
  '/sign-in/',
  '/sign-up',
  '/settings',
  '/appearance',
  '/set-up',
  '/questions/similar',
  '/questions/tags',
  '/mentions/',
  '/*/edit',
]

export function registerRobots(app: FastifyInstance): void {
  const text = [
    'User-agent: *',
    ...DISALLOWED.map((path) => `Disallow: ${path}`),
    '',
    `Sitemap: ${app.config.baseUrl}/sitemap.xml`,
    '',
  ].join('\n')
  app.get('/robots.txt', { config: { isPublic: true } }, async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=86400').type('text/plain; charset=utf-8').send(text),
  )
}
