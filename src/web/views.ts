import { join } from 'node:path'
import view from '@fastify/view'
import { Eta } from 'eta'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { spokenMoment } from '../messages/spoken-moment.ts'
import { escapeLiterally, escapeText } from '../text/escape.ts'
import { langAttribute } from '../text/language.ts'
import { WITHOUT_INDENT } from '../text/template-lines.ts'
import type { Assets } from './assets.ts'
import { describedPictures } from './described-pictures.ts'
import { type CourseBar, hereOf, type PageHead, type PolicyLink, shellOf } from './shell.ts'
import { CONTEXT, type Context, type Engine, type ViewName, type Views } from './view-context.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Renders a part of a page. */
    part<Name extends keyof Views>(name: Name, data: Views[Name] & Partial<Context>): string
    /** Pages about the forum that are not empty, and the rules of a course where it has some. Never rejects. @param course its slug */
    policyLinks(course: string | null): Promise<readonly PolicyLink[]>
    /** The bar of the course in the query of a page that is of no course, and its slug; null: there is none. */
    keptBar(request: FastifyRequest): Promise<{ readonly slug: string; readonly bar: CourseBar } | null>
  }
  interface FastifyReply {
    /**
     * Renders a template in the forum's layout. Its head names the function that makes the data, or that calls this.
     * `data.title` is the page's name; `lang` is the layout's: the reader's language.
     */
    page<Data extends object>(
      name: ViewName,
      data: Data & { title: string; lang?: never },
      head?: PageHead,
    ): Promise<Page<Data>>
    /** Renders a template that is no page: a feed, a sitemap. */
    document<Name extends keyof Views>(name: Name, data: Views[Name], type: string): FastifyReply
  }
}

/** A rendered page, of which the compiler knows what it shows. */
export type Page<Data> = string & { readonly shows?: Data }

export const VIEWS = join(import.meta.dirname, '../../views')

/** Posts and times are shown by components/_prose.eta and _time.eta. */
class Templates extends Eta implements Engine {
  readonly literally = escapeLiterally
  readonly describedPictures = describedPictures
  readonly spokenMoment = spokenMoment
  readonly langAttribute = langAttribute
}

const WITH_ALL = '{...it, ...(__eta_d ?? {})}'

/** A plugin of Eta, whose includes get all that their includer has: these get its context, and what they are handed. */
const OF_CONTEXT = {
  processFnString(code: string): string {
    if (!code.includes(WITH_ALL)) throw new Error(`Eta hands its includes another thing than ${WITH_ALL}`)
    return code.replace(WITH_ALL, '{...it.context, context: it.context, ...__eta_d}')
  },
}

/** The data of a page, or of a part that is rendered alone, and what of it its includes have, too. */
const withContext = (data: object) => ({
  ...data,
  context: Object.fromEntries(
    Object.entries(data).filter(([name]) => CONTEXT.some((known) => known === name)),
  ),
})

/** Resolves paths from the root once: Eta does so for each include, which takes longer than most of them. */
function rememberPaths(eta: Eta): void {
  const { resolvePath } = eta
  const paths = new Map<string, string>()
  eta.resolvePath = function (template, options) {
    // Others are relative to the template that includes them.
    const isFromRoot = template.startsWith('/') || options?.filepath === undefined
    const path =
      (isFromRoot ? paths.get(template) : undefined) ?? resolvePath?.call(this, template, options) ?? template
    if (isFromRoot) paths.set(template, path)
    return path
  }
}

const engines = new Map<string, Eta>()

/** Compiles each template once per process, however many apps there are in it. */
function engineFor({ icons, writing }: Assets): Eta {
  // Known in every template: a partial of one icon would otherwise be handed them by all that include it.
  const functionHeader = `const { icons, writing } = ${JSON.stringify({ icons, writing })}`
  const known = engines.get(functionHeader)
  if (known !== undefined) return known
  // `npm run dev` restarts the process when a template changes, so that the cache needs no exception.
  const eta = new Templates({
    views: VIEWS,
    cache: true,
    escapeFunction: escapeText,
    functionHeader,
    plugins: [OF_CONTEXT, WITHOUT_INDENT],
  })
  rememberPaths(eta)
  engines.set(functionHeader, eta)
  return eta
}

export async function registerViews(app: FastifyInstance, assets: Assets): Promise<void> {
  const eta = engineFor(assets)
  await app.register(view, {
    engine: { eta },
    root: VIEWS,
    viewExt: 'eta',
    layout: 'layout',
    production: true,
    charset: 'utf-8',
  })
  app.decorate('part', (name, data: object) => eta.render(name, withContext(data)))
  app.decorateReply('document', function (this: FastifyReply, name: string, data: object, type: string) {
    return this.type(type).send(eta.render(name, withContext(data)))
  })
  app.decorateReply(
    'page',
    async function (this: FastifyReply, name: string, data: { readonly title: string }, head: PageHead = {}) {
      const { rendering, person } = this.request
      setHeaders(this, assets)
      const status = this.statusCode
      const own = rendering !== null || person === null ? null : await app.ownParts(person.id)
      const kept = head.bar === undefined && head.course == null ? await app.keptBar(this.request) : null
      const shown = kept === null ? head : { ...head, course: kept.slug, bar: kept.bar }
      const policies = await app.policyLinks(shown.course ?? null)
      const here = await hereOf(this.request, status, shown)
      const shell = { pageName: name, policies, ...shellOf(this.request, this, assets, shown, { own, here }) }
      // What somebody sent has to be corrected: the title is what is read first of the page.
      const isRefused = status === 422 || status === 409
      const title = [data.title, head.about].filter(Boolean).join(' · ')
      const documentTitle = isRefused ? shell.t('layout.errorTitle', { title }) : title
      return this.viewAsync(name, withContext({ ...shell, ...data, documentTitle }))
    },
  )
}

function setHeaders(reply: FastifyReply, assets: Assets): void {
  const { person, method, cookies } = reply.request
  // A page for one person, or one that says something once, is nobody else's.
  const isPersonal = person !== null || !['GET', 'HEAD'].includes(method) || cookies.flash !== undefined
  if (!reply.hasHeader('cache-control'))
    reply.header('cache-control', isPersonal ? 'private, no-store' : 'no-cache')
  reply.header('vary', 'accept-language, cookie')
  // Browsers load lists while a link to them is being pressed. Not questions, as a prefetched page counts no view; nor anything
  // for people, who would see their list as it was before they wrote.
  if (!isPersonal) reply.header('speculation-rules', `"${assets.speculationRules}"`)
  reply.type('text/html; charset=utf-8')
}
