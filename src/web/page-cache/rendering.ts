import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Response } from 'light-my-request'
import type { Language, Theme } from '../../database/schema.ts'
import { themeCookie } from '../appearance.ts'
import type { Scope } from '../change-feed/change.ts'
import type { Tally } from '../tally.ts'
import type { MainPart } from '../views.ts'
import type { Reader } from './reader.ts'

/** A request as far as those go who count readers. */
export interface Viewing {
  readonly method: string
  readonly headers: IncomingHttpHeaders
  /** The address it came from, as far as proxies are believed. */
  readonly ip: string
  /** null: a visitor. */
  readonly person: { readonly id: number } | null
}

export type OnSent = (viewing: Viewing) => void

/** Collects, while a shared page is rendered, what its being cached and sent goes by. */
export class Rendering {
  /** Whom the page is rendered for; null: visitors. */
  readonly reader: Reader | null
  readonly scopes = new Set<Scope>()
  /** false: something on the page is missing that the next rendering may have. */
  isCacheable = true
  /** Called each time the page is sent, for what counts its readers. */
  onSent: OnSent | null = null
  /** Counts the answers of the page's route; null: nothing is measured. */
  tally: Tally | null = null
  /** People who have something of their own on the page, so that each gets a page rendered for them alone. */
  personalFor: ReadonlySet<number> = new Set()
  /** The page without the layout around it; null: it is complete. */
  main: MainPart | null = null

  constructor(reader: Reader | null) {
    this.reader = reader
  }

  /** Names what the page shows: it is dropped from the cache when a change touches one of these scopes. */
  dependsOn(...scopes: readonly Scope[]): void {
    for (const scope of scopes) this.scopes.add(scope)
  }
}

const current = new AsyncLocalStorage<Rendering>()

/** The shared page that is being rendered here; null: what is rendered here is for one person. */
export function currentRendering(): Rendering | null {
  return current.getStore() ?? null
}

/** What a shared page is rendered from: nothing else reaches it. */
export interface PageSource {
  readonly url: string
  readonly language: Language
  readonly theme: Theme
  readonly reader: Reader | null
}

export type Answer = Pick<Response, 'statusCode' | 'headers' | 'payload' | 'rawPayload'>

/** Answers a request that holds only an address, a language and a theme. @throws Error while the app closes: `isClosing` */
export async function renderShared(app: FastifyInstance, { url, language, theme, reader }: PageSource) {
  const rendering = new Rendering(reader)
  // Awaited inside: `inject` sends the request only when its promise is awaited.
  const { statusCode, headers, payload, rawPayload } = await current.run(
    rendering,
    async () =>
      await app.inject({
        method: 'GET',
        url,
        headers: { 'accept-language': language, cookie: themeCookie(theme) },
      }),
  )
  const answer: Answer = { statusCode, headers, payload, rawPayload }
  return { answer, rendering }
}

/** While Fastify closes, it takes no injected requests. */
export function isClosing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'FST_ERR_REOPENED_CLOSE_SERVER'
}
