import type { FastifyInstance } from 'fastify'
import { LIMITS } from '../../kernel/limits.ts'
import { Problem } from '../../kernel/problem.ts'
import { MemoryCounter, networkOf } from './limits.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly renderLimit: RenderLimit
  }
}

/** Counts pages that this process renders for one account or network; those from the cache cost next to nothing. */
export class RenderLimit {
  private readonly counter = new MemoryCounter()

  /** @throws Problem 429 beyond the limit `pages` */
  count({ person, ip }: { readonly person: { readonly id: number } | null; readonly ip: string }): void {
    const { max, window } = person === null ? LIMITS.pages.address : LIMITS.pages.account
    const key = person === null ? networkOf(ip) : `person ${person.id}`
    const { count, ttl } = this.counter.count(key, window)
    if (count > max) throw new Problem('tooOften', Math.max(1, Math.ceil(ttl / 1000)))
  }
}

/** Limits pages rendered for one request, where others are cached. Register it after what answers from a cache. */
export function registerRenderLimit(app: FastifyInstance): void {
  app.decorate('renderLimit', new RenderLimit())
  app.addHook('preValidation', async (request) => {
    const { isPublic, isApi, limit } = request.routeOptions.config
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const isCounted =
      isRead && request.rendering === null && isPublic !== true && isApi !== true && limit === undefined
    if (isCounted && app.changes?.isLive === true && app.config.pageCache) app.renderLimit.count(request)
  })
}
