import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { Database, Language } from '../database/schema.ts'
import type { Person } from '../kernel/rights/person.ts'
import { type Translate, translatorOf } from '../messages/catalogue.ts'
import { languageOfRequest } from './appearance.ts'
import { formFieldsIn } from './form-fields.ts'
import { type OwnText, ownTextOf } from './own-parts.ts'
import { isRead, type PageHead } from './shell.ts'
import { pageOfForm } from './sign-in-first.ts'
import type { ViewName } from './view-context.ts'
import type { Page } from './views.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The zone of the times on a page of no course. */
    timeZoneFor(request: Pick<FastifyRequest, 'person' | 'query'>): Promise<string>
  }
}

/** What a page is loaded with: of the request only what a page may depend on. */
export interface PageContext {
  readonly server: FastifyInstance
  readonly db: Database
  readonly config: Config
  readonly t: Translate
  readonly lang: Language
  /** The controls of a form, in that language. */
  readonly formFields: ReturnType<typeof formFieldsIn>
  /** Who reads it; null: a visitor. */
  readonly viewer: Person | null
  /** The viewer's session, as its cookie carries it. */
  readonly sessionToken: string | null
  readonly now: Date
  /** There is a mail server. */
  readonly isSending: boolean
  /** What a page that many share goes by; null: it is one person's. */
  readonly rendering: FastifyRequest['rendering']
  /** Of the address: readers are in params.ts and list.ts. */
  readonly query: unknown
  readonly params: unknown
  /** Who reads it. @throws NeedsSignIn for a visitor */
  person(): Person
  /** The zone of the page's times: the viewer's, else that of what it is about. */
  timeZone(): Promise<string>
  /** What the viewer has of their own on a page that many see. */
  own(): Promise<OwnText>
  /** Says what failed beside what was asked for. */
  readonly log: FastifyRequest['log']
  /** The path of the page, without a query: of a form's answer that of the page with the form. */
  path(): Promise<string>
}

export function contextOf(request: FastifyRequest): PageContext {
  const { server, url } = request
  const lang = languageOfRequest(request)
  return {
    server,
    db: server.db,
    config: server.config,
    t: translatorOf(lang),
    lang,
    formFields: formFieldsIn(translatorOf(lang)),
    viewer: request.person,
    sessionToken: request.sessionToken,
    now: new Date(),
    isSending: server.config.smtpUrl !== null,
    rendering: request.rendering,
    query: request.query,
    params: request.params,
    log: request.log,
    person: () => request.requirePerson(),
    timeZone: () => server.timeZoneFor(request),
    own: () => ownTextOf(request),
    path: async () => (isRead(request) ? url : await pageOfForm(request)).split('?')[0] ?? '/',
  }
}

/** What a loader returns: the data of its template, and what only this once belongs to the head. */
export interface Loaded {
  readonly title: string
  readonly head?: PageHead
}

/** Shows a page; its status is the reply's. */
export type ShowPage<Given extends unknown[], Data> = (
  request: FastifyRequest,
  reply: FastifyReply,
  ...given: Given
) => Promise<Page<Omit<Data, 'head'>>>

/**
 * A page: what it loads, and the template that shows it.
 * @param head what holds whatever is loaded
 */
export function page<Given extends unknown[], Data extends Loaded>(
  view: ViewName,
  head: PageHead,
  load: (context: PageContext, ...given: Given) => Data | Promise<Data>,
): ShowPage<Given, Data> {
  return async (request, reply, ...given) =>
    showLoaded(reply, view, head, await load(contextOf(request), ...given))
}

export function showLoaded<Data extends Loaded>(
  reply: FastifyReply,
  view: ViewName,
  head: PageHead,
  { head: own, ...data }: Data,
): Promise<Page<Omit<Data, 'head'>>> {
  return reply.page(view, data, { ...head, ...own })
}
