import type { FastifyInstance } from 'fastify'

/** Pages that are forms, one person's, or endless: nothing for a search engine (RFC 9309). */
const CLOSED = [
  '/search?',
  '/search/',
  '/sign-in',
  '/sign-up',
  '/settings',
  '/set-up',
  '/questions/similar',
  '/*/edit',
]

/** /robots.txt */
export function registerRobots(app: FastifyInstance): void {
  const text = [
    'User-agent: *',
    ...CLOSED.map((path) => `Disallow: ${path}`),
    '',
    `Sitemap: ${app.config.baseUrl}/sitemap.xml`,
    '',
  ].join('\n')
  app.get('/robots.txt', { config: { isPublic: true } }, async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=86400').type('text/plain; charset=utf-8').send(text),
  )
}
