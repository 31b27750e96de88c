import { createHash } from 'node:crypto'
import type { Database, Write } from '../../database/schema.ts'
import { notFound } from '../../kernel/problem.ts'
import { findSiteSettings, type SiteSettings } from '../../kernel/rights/site-settings.ts'

/** A program that asks people for access: an OAuth client, which keeps no secret. */
export interface App {
  /** The name that we gave it, or the address of the document that describes it. */
  readonly clientId: string
  readonly name: string
  /** Where codes may go. */
  readonly redirectUris: readonly string[]
  /** By an admin; otherwise its document describes it. */
  readonly isRegistered: boolean
}

export const MAX_NAME_LENGTH = 100
export const MAX_REDIRECT_URIS = 20
const MAX_ADDRESS_LENGTH = 500

/** What a person was shown of an app, as bytes: what changed since is asked again. */
export function hashOf({ clientId, name, redirectUris }: App): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([clientId, name, redirectUris]))
    .digest()
}

/** RFC 8252, section 7.3: programs on one's own machine, which take any port. */
const LOOPBACK_HOSTS = ['127.0.0.1', '[::1]', 'localhost']

/** Whether codes may go there: https, or a program on the person's own machine, without a fragment or credentials. */
export function isRedirectAddress(text: string): boolean {
  if (text.length > MAX_ADDRESS_LENGTH || /[^\x21-\x7e]|[#\\]/.test(text) || !URL.canParse(text)) return false
  const { protocol, username, password, hostname } = new URL(text)
  // The host becomes a part of a policy, where `*` and `;` would mean something.
  const isPlain = username === '' && password === '' && /^(?:[\w.-]+|\[[\da-f:.]+\])$/.test(hostname)
  return isPlain && (protocol === 'https:' || isLoopback(text)) && /^https?:\/\/[^/]/.test(text)
}

export function isLoopback(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'http:' && LOOPBACK_HOSTS.includes(hostname)
}

/** Whether an address is one of an app's: exactly, but for the port of a program on the person's own machine. */
export function leadsTo({ redirectUris }: App, address: string): boolean {
  if (!isRedirectAddress(address)) return false
  if (redirectUris.includes(address)) return true
  return (
    isLoopback(address) &&
    redirectUris.some((own) => isLoopback(own) && withoutPort(own) === withoutPort(address))
  )
}

/** As it is written: another way to write the same address isn't the address that the app gave. */
const withoutPort = (address: string) => address.replace(/^(http:\/\/[^/?]+?):\d*(?=[/?]|$)/, '$1')

/** Which apps may ask. */
export type AgentPolicy = Pick<SiteSettings, 'agents' | 'agentDomains'>

/** @throws Problem 404 where agents are off */
export async function requireAgents(db: Database | Write): Promise<AgentPolicy> {
  const policy = await findSiteSettings(db)
  if (policy.agents === 'off') throw notFound()
  return policy
}

/** Whether an app may ask people, and use what they gave it. */
export function mayAsk(
  { agents, agentDomains }: AgentPolicy,
  { clientId, isRegistered }: Pick<App, 'clientId' | 'isRegistered'>,
): boolean {
  if (agents === 'off') return false
  if (isRegistered || agents === 'any') return true
  if (agents === 'registered') return false
  const { hostname } = new URL(clientId)
  return agentDomains.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`))
}

/** Whether an app names itself by a document: an https address with a path, written as browsers write it. */
export function isDocumentAddress(clientId: string): boolean {
  if (clientId.length > MAX_ADDRESS_LENGTH || !URL.canParse(clientId)) return false
  const { protocol, username, password, pathname, hash, href } = new URL(clientId)
  const isPlain = username === '' && password === '' && hash === '' && !clientId.includes('#')
  return protocol === 'https:' && isPlain && pathname !== '/' && href === clientId
}

/** An app that admins registered, or that someone let in; null: neither. */
export async function findApp(db: Database | Write, clientId: string): Promise<App | null> {
  const row = await db
    .selectFrom('apps')
    .select(['client_id as clientId', 'name', 'redirect_uris as redirectUris'])
    .select('is_registered as isRegistered')
    .where('client_id', '=', clientId)
    .executeTakeFirst()
  return row ?? null
}
