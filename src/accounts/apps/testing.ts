import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import type { Config } from '../../config.ts'
import type { Database } from '../../database/schema.ts'
import { changeSiteSettings } from '../../kernel/rights/site-settings.ts'
import type { Browser, Fields } from '../../testing/browser.ts'
import { valueIn } from '../../testing/page.ts'
import { newToken } from '../../web/tokens.ts'
import type { AgentScope } from './agent-access.ts'
import { type AgentPolicy, type App, findApp } from './app.ts'
import { grantAccess, lockPresented, renewAccess } from './grants.ts'

export const VERIFIER = 'a-verifier-that-is-at-least-forty-three-characters-long'
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')
export const CALLBACK = 'https://assistant.example/callback'

/** An app that only describes itself, at its client id. */
export const DESCRIBED: App = {
  ...{ clientId: 'https://assistant.example/client.json', name: 'Assistant' },
  ...{ redirectUris: [CALLBACK], isRegistered: false },
}

/** Lets agents in, any but where said. */
export async function agentsOn(db: Database, policy: Partial<AgentPolicy> = {}): Promise<void> {
  await changeSiteSettings(db, { agents: 'any', agentDomains: [], ...policy })
}

/** An app that an admin registered. @param made beside its name */
export async function aRegisteredApp(db: Database, made: Partial<App> = {}): Promise<App> {
  const { clientId = newToken(), name = 'Assistant', redirectUris = [CALLBACK] } = made
  await db
    .insertInto('apps')
    .values({ client_id: clientId, name, redirect_uris: [...redirectUris], is_registered: true })
    .execute()
  return (await findApp(db, clientId)) ?? assert.fail()
}

/** Where an app asks a person for access. @param changed parameters; null: left out */
export function askingPath(
  { config }: { readonly config: Pick<Config, 'baseUrl'> },
  { clientId, redirectUris: [redirectUri = ''] }: App,
  changed: Readonly<Record<string, string | null>> = {},
): string {
  const all: Readonly<Record<string, string | null>> = {
    ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri },
    ...{ scope: 'read draft waiting', state: 'kept as it is', resource: `${config.baseUrl}/mcp` },
    ...{ code_challenge: CHALLENGE, code_challenge_method: 'S256' },
    ...changed,
  }
  const query = Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [[name, value]]))
  return `/oauth/authorize?${new URLSearchParams(query)}`
}

/** Reads which version of what an app asks the page shows, as its form says it back. */
export async function versionShown(browser: Browser, path: string): Promise<string> {
  const { body, statusCode } = await browser.get(path)
  assert.equal(statusCode, 200, body)
  return valueIn(body, 'version') ?? ''
}

/** Presses a button of the page that asks. */
export async function decide(
  browser: Browser,
  path: string,
  decision: 'allow' | 'deny' = 'allow',
  fields: Fields = {},
): Promise<LightMyRequestResponse> {
  return browser.post(path, { version: await versionShown(browser, path), decision, ...fields })
}

/** What an answer leads back to: an app's address, with parameters. */
export function backIn(answer: LightMyRequestResponse): URLSearchParams {
  assert.equal(answer.statusCode, 303, answer.body)
  return new URL(String(answer.headers.location)).searchParams
}

/** Sends what apps send, as they do: without cookies. */
export async function sendAsApp(app: FastifyInstance, path: string, fields: Fields) {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, String(one)]),
  )
  const answer = await app.inject({
    method: 'POST',
    url: path,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(pairs).toString(),
  })
  return { answer, status: answer.statusCode, body: answer.json<Readonly<Record<string, string>>>() }
}

/** A refresh token that comes twice: all that somebody let the app do ends. */
export async function replay({ app, db, person }: Replayed): Promise<void> {
  await agentsOn(db)
  const { app: client, refresh } = await anAppToken(db, person)
  const fields = { grant_type: 'refresh_token', client_id: client.clientId, refresh_token: refresh }
  for (const status of [200, 400]) assert.equal((await sendAsApp(app, '/oauth/token', fields)).status, status)
}

interface Replayed {
  readonly app: FastifyInstance
  readonly db: Database
  readonly person: { readonly id: number }
}

/** What somebody let an app do, with its tokens. */
export async function anAppToken(
  db: Database,
  person: { readonly id: number },
  { scopes = ['read'], courseIds = null, app }: Given = {},
) {
  const client = app ?? (await aRegisteredApp(db))
  return db.transaction().execute(async (write) => {
    const allowed = { app: client, scopes, courseIds, redirectUri: CALLBACK, codeChallenge: CHALLENGE }
    const code = (await grantAccess(write, person.id, allowed)) ?? assert.fail()
    const { grant, token } = (await lockPresented(write, 'code', code)) ?? assert.fail()
    const tokens = await renewAccess(write, grant.id, token.hash)
    return { app: client, grantId: grant.id, access: tokens.access_token, refresh: tokens.refresh_token }
  })
}

interface Given {
  readonly scopes?: readonly AgentScope[]
  readonly courseIds?: readonly number[] | null
  readonly app?: App
}
