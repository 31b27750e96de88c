import type { Database } from '../../database/schema.ts'
import { AGENT_SCOPES, type AgentScope } from './agent-access.ts'
import { type AgentPolicy, type App, findApp, isDocumentAddress, leadsTo, mayAsk } from './app.ts'
import { type ClientDocuments, NoDocument } from './client-document.ts'

/** What an app asks a person for, checked (OAuth 2.1, section 4.1.1; RFC 8707). */
export interface Asked {
  readonly app: App
  readonly redirectUri: string
  /** What the app gets back as it is; null: it sent none. */
  readonly state: string | null
  readonly scopes: readonly AgentScope[]
  readonly codeChallenge: string
  /** All of it, as a query. */
  readonly query: string
}

/** Bytes of a request. */
const MAX_QUERY_BYTES = 8192

/** Nobody is led anywhere, as it isn't known where to: a page says why. */
export class NoWayBack extends Error {
  readonly reason: 'long' | 'client' | 'policy' | 'redirect' | NoDocument['reason']

  constructor(reason: NoWayBack['reason']) {
    super(`an app can't ask: ${reason}`)
    this.reason = reason
  }
}

/** What is wrong is told to the app, at an address that is its own. */
export class SentBack extends Error {
  readonly address: string
  /** Somebody of the forum knows the app: a document is whoever's that wrote one, and who follows a link of ours chose no other site. */
  readonly isAtOnce: boolean

  constructor(address: string, isAtOnce: boolean) {
    super('an app asks for what there is not')
    this.address = address
    this.isAtOnce = isAtOnce
  }
}

/** What an app's request is compared with. */
export interface Asking {
  readonly db: Database
  readonly baseUrl: string
  readonly policy: AgentPolicy
  readonly documents: ClientDocuments
}

/** The one resource that access is given to. */
export const resourceOf = (baseUrl: string) => `${baseUrl}/mcp`

const ONCE = ['response_type', 'scope', 'state', 'code_challenge', 'code_challenge_method', 'resource']
/** SHA-256 in base64url. */
const CHALLENGE = /^[\w-]{43}$/

/** Reads and checks a request. @param sent the query @throws NoWayBack, SentBack */
export async function readAsked(sent: string, { baseUrl, ...asking }: Asking): Promise<Asked> {
  if (sent.length > MAX_QUERY_BYTES) throw new NoWayBack('long')
  const query = new URLSearchParams(sent)
  const one = (name: string) => {
    const [value = '', ...more] = query.getAll(name)
    return more.length === 0 ? value : ''
  }
  const app = await findAsking(one('client_id'), asking)
  const redirectUri = one('redirect_uri')
  if (!leadsTo(app, redirectUri)) throw new NoWayBack('redirect')
  const state = query.has('state') ? one('state') : null
  const back = { redirectUri, state }
  const sendBack = (error: string) => new SentBack(answerTo(back, baseUrl, { error }), app.isRegistered)
  if (ONCE.some((name) => query.getAll(name).length > 1)) throw sendBack('invalid_request')
  const type = one('response_type')
  if (type !== 'code') throw sendBack(type === '' ? 'invalid_request' : 'unsupported_response_type')
  const codeChallenge = one('code_challenge')
  if (!CHALLENGE.test(codeChallenge) || one('code_challenge_method') !== 'S256')
    throw sendBack('invalid_request')
  if (one('resource') !== resourceOf(baseUrl)) throw sendBack('invalid_target')
  const scopes = scopesIn(one('scope'))
  if (scopes === null) throw sendBack('invalid_scope')
  return { app, ...back, scopes, codeChallenge, query: query.toString() }
}

/** @throws NoWayBack */
async function findAsking(
  clientId: string,
  { db, policy, documents }: Omit<Asking, 'baseUrl'>,
): Promise<App> {
  const known = await findApp(db, clientId)
  const isDescribed = known?.isRegistered !== true
  if (isDescribed && !isDocumentAddress(clientId)) throw new NoWayBack('client')
  if (!mayAsk(policy, { clientId, isRegistered: !isDescribed })) throw new NoWayBack('policy')
  if (known?.isRegistered === true) return known
  try {
    return await documents.find(clientId)
  } catch (error) {
    throw error instanceof NoDocument ? new NoWayBack(error.reason) : error
  }
}

/** Those that are ours, with reading, which the others need; null: none is. Nothing asked for is reading. */
function scopesIn(text: string): readonly AgentScope[] | null {
  const asked = text.split(' ').filter((scope) => scope !== '')
  const ours = AGENT_SCOPES.filter((scope) => asked.includes(scope))
  if (asked.length > 0 && ours.length === 0) return null
  return AGENT_SCOPES.filter((scope) => scope === 'read' || ours.includes(scope))
}

/** The app's address with an answer, and who answers (RFC 9207). */
export function answerTo(
  { redirectUri, state }: Pick<Asked, 'redirectUri' | 'state'>,
  baseUrl: string,
  answer: Readonly<Record<string, string>>,
): string {
  const url = new URL(redirectUri)
  const all = { ...answer, ...(state !== null && { state }), iss: baseUrl }
  for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value)
  return url.href
}
