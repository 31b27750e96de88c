import { join } from 'node:path'
import view from '@fastify/view'
import { Eta } from 'eta'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Assets } from './assets.ts'
import type { ErrorPage } from './error-page.ts'
import { type PageHead, shellOf } from './shell.ts'

/**
 * The data of each page, by the name of its template. A feature adds its own:
 * `declare module '../web/views.ts' { interface Pages { 'tags/index': TagIndex } }`.
 */
export interface Pages {
  'errors/show': ErrorPage
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Renders a part of a page. */
    part(name: string, data: object): string
  }
  interface FastifyReply {
    /** Renders a template in the forum's layout. `data.title` is the page's name. */
    page<Name extends keyof Pages>(
      name: Name,
      data: Pages[Name] & { title: string },
      head?: PageHead,
    ): Promise<string>
    /** Renders a template that is no page: a feed, a sitemap. */
    document(name: string, data: object, type: string): FastifyReply
  }
}

export const VIEWS = join(import.meta.dirname, '../../views')

export async function registerViews(app: FastifyInstance, assets: Assets): Promise<void> {
  const isProduction = app.config.isProduction
  const eta = new Eta({
    views: VIEWS,
    cache: isProduction,
    // Known in every template: a partial of one icon would otherwise be handed it by all that include it.
    functionHeader: `const icons = ${JSON.stringify(assets.icons)}`,
  })
  await app.register(view, {
    engine: { eta },
    root: VIEWS,
    viewExt: 'eta',
    layout: 'layout',
    production: isProduction,
    charset: 'utf-8',
  })
  app.decorate('part', (name, data) => eta.render(name, data))
  app.decorateReply('document', function (this: FastifyReply, name: string, data: object, type: string) {
    return this.type(type).send(eta.render(name, data))
  })
  app.decorateReply(
    'page',
    async function (this: FastifyReply, name: string, data: object, head: PageHead = {}) {
      const request = this.request
      // A page for one person, or one that says something once, is nobody else's.
      const isPersonal =
        request.person !== null ||
        !['GET', 'HEAD'].includes(request.method) ||
        request.cookies.flash !== undefined
      if (!this.hasHeader('cache-control'))
        this.header('cache-control', isPersonal ? 'private, no-store' : 'no-cache')
      this.header('vary', 'accept-language, cookie')
      // Lists come while the finger is still on the link. Questions do not, as a page that was fetched so counts no view;
      // nor does anything for people, who would see their list as it was before they wrote.
      if (!isPersonal) this.header('speculation-rules', `"${assets.speculationRules}"`)
      if (head.status !== undefined) this.code(head.status)
      this.type('text/html; charset=utf-8')
      return this.viewAsync(name, { ...shellOf(request, this, assets, head), ...data })
    },
  )
}
