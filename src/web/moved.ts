import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * 301 to a page's right address, with the query asked for. Browsers ask again each time: an address that is outdated today
 * may be the right one again tomorrow, and two redirects kept for good would send their reader in circles.
 */
export function movedTo(request: FastifyRequest, reply: FastifyReply, path: string) {
  const query = request.url.split('?')[1]
  const [page = '', section] = path.split('#')
  const asked = query === undefined ? page : `${page}?${query}`
  const to = section === undefined ? asked : `${asked}#${section}`
  return reply.header('cache-control', 'no-cache').redirect(to, 301)
}
