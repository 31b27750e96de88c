import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Language, Theme } from '../../database/schema.ts'
import type { Person } from '../../kernel/rights/person.ts'
import { themeCookie } from '../appearance.ts'
import type { Scope } from '../scoped-cache/scope-clock.ts'
import type { Tally } from '../tally.ts'
import type { Encoding } from '../transport/compression.ts'

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
  readonly encoding: Encoding | 'identity'
  /** Media type of an answer for programs; '': a page. */
  readonly type: string
  readonly reader: Reader | null
}

/** Answers a request that holds nothing but its source: the answer is a stream, as its text would be as long again. */
export async function renderShared(app: FastifyInstance, { url, reader, ...source }: PageSource) {
  const rendering = new Rendering(reader)
  const headers = {
    'accept-language': source.language,
    'accept-encoding': source.encoding,
    cookie: themeCookie(source.theme),
    ...(source.type !== '' && { accept: source.type }),
  }
  // Awaited inside: `inject` sends the request only when its promise is awaited.
  const answer = await current.run(
    rendering,
    async () => await app.inject({ url, headers, payloadAsStream: true }),
  )
  const payload = Buffer.concat(await answer.stream().toArray())
  return { answer, payload, rendering }
}

/** Whom a page for members is rendered for: somebody's rights, language and time zone, and nobody's name. */
interface Reader extends Person {
  readonly id: 0
  readonly displayName: ''
  readonly email: null
  readonly newUntil: null
  readonly theme: 'system'
}

/**
 * A reader with the rights, language and time zone of a person. Pages are cached by all of its fields:
 * whatever a person is known by later can only divide them further.
 * @param isPublic whether everybody may read a course: to be a learner there gives no right
 */
export function readerLike({ session, ...person }: Person, isPublic: (courseId: number) => boolean): Reader {
  const roles = Object.fromEntries(
    Object.entries(person.roles).filter(([id, role]) => role !== 'learner' || !isPublic(Number(id))),
  )
  return { ...person, id: 0, displayName: '', email: null, newUntil: null, theme: 'system', roles }
}
