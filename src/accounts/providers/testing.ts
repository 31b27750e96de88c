import assert from 'node:assert/strict'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import type { Config } from '../../config.ts'
import type { Database } from '../../database/schema.ts'
import { act } from '../../testing/act.ts'
import type { Ending } from '../../testing/at-end.ts'
import { type Browser, visitor } from '../../testing/browser.ts'
import { rowOf, setRows } from '../../testing/rows.ts'
import { aForum } from '../testing.ts'
import { Arriving, providerArrival } from './arrival.ts'
import { accountTold } from './claims.ts'
import {
  aCraftedProvider,
  CLIENT,
  type Claims,
  type CraftedProvider,
  type Key,
  signed,
} from './crafted-provider-testing.ts'
import { readProvider } from './provider.ts'
import { addProviderRow } from './row-testing.ts'
import type { Making } from './trust.ts'

/** A forum that a crafted provider signs in to, under the name of the environment, and one person with a password. */
export async function aForumWithProvider(test: Ending, overrides: Partial<Config> = {}) {
  const provider = await aCraftedProvider(test)
  const forum = await aForum(test, { ...provider.config, ...overrides })
  return { ...forum, provider }
}

/** Options of the environment's provider. */
export function setOptions(app: FastifyInstance, options: Readonly<Record<string, unknown>>) {
  return setRows(app.db, 'identity_providers', { name: 'oidc' }, options)
}

let made = 0

/**
 * A provider that nobody leaves for: people come back from it with claims that were checked.
 * @param options columns of its row
 */
export async function aProvider(db: Database, options: Readonly<Record<string, unknown>> = {}) {
  made += 1
  const id = await addProviderRow(db, `github-${made}`)
  const set = (to: Readonly<Record<string, unknown>>) => setRows(db, 'identity_providers', id, to)
  await set({ role_claim: 'groups', ...options })
  const mina = { sub: `mina-${id}`, name: 'Mina Kim', email: `mina-${id}@school.example` }

  /** Comes back from it as Mina, but for what the claims say. @returns what became of it, and whose account it is */
  async function arrive(claims: Claims = {}, making: Partial<Making> = {}) {
    const provider = readProvider(await rowOf(db, 'identity_providers', id), null, () => null)
    const account = accountTold(provider, { issuer: 'https://github.com', claims: { ...mina, ...claims } })
    const usual = { path: '/', fallbackName: 'New member', isChosen: false, hasShownFactor: false }
    const arriving = new Arriving(provider, account, { ...usual, ...making })
    const arrival = await act({ db }, providerArrival, { actor: null, key: null, input: { arriving } })
    return { ...arrival, id: arrival.outcome === 'unlinked' ? 0 : arrival.access.personId }
  }
  return { id, set, email: mina.email, arrive }
}

/** Leaves for the provider. @returns where it sends */
export async function leave(browser: Browser, query = ''): Promise<string> {
  const left = await browser.get(`/sign-in/with/oidc${query}`)
  assert.equal(left.statusCode, 303, left.body)
  return String(left.headers.location)
}

/** Leaves and comes back, signed in there. */
export async function signInBy(
  browser: Browser,
  provider: CraftedProvider,
  query = '',
): Promise<LightMyRequestResponse> {
  return browser.get(provider.waysBack(await leave(browser, query)))
}

/** Where an account waits that came back: the page of its tab, and the field that its forms have. */
export function waitingAt({ headers }: LightMyRequestResponse) {
  const path = String(headers.location)
  const [, state = ''] = /^\/sign-in\/with\/oidc\/link\?state=([\w-]{43})$/.exec(path) ?? []
  assert.ok(state !== '', path)
  return { path, state }
}

/** The person whose session a browser has; null: none. */
export async function personIn(browser: Browser): Promise<string | null> {
  const page = await browser.get('/settings')
  if (page.statusCode !== 200) return null
  return /name="display_name"[^>]*value="([^"]*)"/.exec(page.body)?.[1] ?? ''
}

/** A new browser that signed in by the provider. */
export async function comeBy(app: FastifyInstance, provider: CraftedProvider): Promise<Browser> {
  const browser = visitor(app)
  const back = await signInBy(browser, provider)
  assert.equal(back.statusCode, 303, back.body)
  return browser
}

const LOGOUT_EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} }

/** Posts a logout token as a provider does: without a cookie, a token of ours or an origin. */
export function sendLogout(app: FastifyInstance, logout_token: string) {
  return app.inject({
    method: 'POST',
    url: '/sign-in/with/oidc/logout',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ logout_token }).toString(),
  })
}

/** A logout token as it should be, but for what is said. */
export function logoutToken(
  { issuer, key }: CraftedProvider,
  more: Claims = {},
  by: Key = key,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const honest = {
    ...{ iss: issuer, aud: CLIENT.clientId, iat: now, exp: now + 120 },
    ...{ jti: crypto.randomUUID(), events: LOGOUT_EVENTS },
  }
  return signed({ ...honest, sub: 'mina', ...more }, by, { typ: 'logout+jwt' })
}
