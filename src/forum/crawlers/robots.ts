import type { FastifyInstance } from 'fastify'

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

/** /robots.txt */
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
