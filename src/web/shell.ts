import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Language, Theme } from '../database/schema.ts'
import { type Translate, translatorOf } from '../messages/catalogue.ts'
import { SLOTS } from '../page-cache/reader.ts'
import type { Assets } from './assets.ts'
import { takeFlash } from './flash.ts'
import { languageOfRequest } from './language.ts'
import { pathWith, personPath, signInPath } from './paths.ts'

/** What every template has beside its own data. Plain data and three functions; nothing of HTTP or the database. */
export interface Shell {
  readonly t: Translate
  readonly lang: Language
  readonly theme: Theme
  readonly viewer: { readonly displayName: string; readonly path: string } | null
  /** The hidden `_csrf` of this page's forms; calling it sets the cookie it belongs to. */
  readonly csrf: () => string
  readonly flash: string | null
  /** Staff who have to set up a second factor before they have staff rights. */
  readonly owesSecondFactor: boolean
  readonly assets: Assets
  /** Address of a module that this page needs beside the one of all pages. */
  readonly script: string | null
  readonly requestId: string
  readonly canonical: string
  readonly robots: 'noindex' | null
  /** Path of the Atom feed that goes with the page. */
  readonly feed: string | null
  /** JSON-LD, safe to stand in a script element. */
  readonly structuredData: string | null
  readonly askPath: string
  readonly signInPath: string
}

export interface PageHead {
  readonly status?: number
  /** The page's one address, as a path; default: the path asked for, without its query. */
  readonly canonical?: string
  /** 'noindex' for pages that search engines had better not list. */
  readonly robots?: 'noindex'
  readonly feed?: string
  readonly structuredData?: string
  /** Slug of the course the page belongs to: where Ask leads. */
  readonly course?: string | null
  /** A module that only few pages need. */
  readonly script?: 'passkeys'
}

export function shellOf(request: FastifyRequest, reply: FastifyReply, assets: Assets, head: PageHead): Shell {
  const lang = languageOfRequest(request)
  const t = translatorOf(lang)
  const flash = takeFlash(request, reply)
  const person = request.person
  const path = request.url.split('?')[0] ?? '/'
  let token: string | null = null
  return {
    t,
    lang,
    theme: person?.theme ?? 'system',
    viewer: viewerOf(request),
    csrf: () => {
      if (request.shown !== null) return SLOTS.token
      token ??= reply.csrfToken()
      // The page is one browser's from here on: its token is worth something only there.
      reply.header('cache-control', 'private, no-store')
      return token
    },
    flash: flash === null ? null : t(flash.key),
    owesSecondFactor: person?.owesSecondFactor ?? false,
    assets,
    script: head.script === undefined ? null : assets[head.script],
    requestId: request.id,
    canonical: `${request.server.config.baseUrl}${head.canonical ?? path}`,
    robots: head.robots ?? null,
    feed: head.feed ?? null,
    structuredData: head.structuredData ?? null,
    askPath: pathWith('/questions/new', { course: head.course ?? null }),
    signInPath: signInPath(request.method === 'GET' ? request.url : '/'),
  }
}

/** Who is signed in; in a page for many, what each of them fills in. */
function viewerOf({ person, shown }: FastifyRequest): Shell['viewer'] {
  if (person === null) return null
  if (shown !== null) return { displayName: SLOTS.name, path: SLOTS.path }
  return { displayName: person.displayName, path: personPath(person) }
}
