import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { atEnd, type Ending } from '../../testing/at-end.ts'
import { createServer } from '../../web/transport/node-http.ts'

export const CLIENT = {
  clientId: 'forum',
  clientSecret: 'a secret of the client & more',
  label: 'Hanbit University',
}

/** A key of a provider, and the name that it publishes it under. */
export interface Key {
  readonly kid: string
  readonly pair: Awaited<ReturnType<typeof generateKeyPair>>
}

const keys = new Map<string, Promise<Key>>()

/** The same for the same name: to make one takes longer than most tests. */
export function aKey(kid: string): Promise<Key> {
  const made =
    keys.get(kid) ?? generateKeyPair('RS256', { extractable: true }).then((pair) => ({ kid, pair }))
  keys.set(kid, made)
  return made
}

/** Of a token; undefined: left out. */
export type Claims = Readonly<Record<string, unknown>>

/** The responses of a test's provider; each part may be replaced. */
export interface Answers {
  /** The published keys. */
  keys: readonly Key[]
  /** Discovery metadata to add or replace. */
  metadata: Readonly<Record<string, unknown>>
  /** The ID token for the claims of an honest one. */
  idToken(honest: Claims, provider: { readonly issuer: string; readonly key: Key }): Promise<string>
  /** Claims beside those of the protocol. */
  claims: Claims
  /** The whole answer of the token endpoint instead; null: as it should be. */
  token: { readonly status: number; readonly type: string; readonly body: string | null } | null
}

/** A provider whose answers a test crafts, on this machine. */
export async function aCraftedProvider(test: Ending) {
  const key = await aKey('first')
  const answers: Answers = { keys: [key], metadata: {}, idToken: honestly, claims: {}, token: null }
  const asked: { path: string; body: URLSearchParams; authorization: string | undefined }[] = []
  const nonces = new Map<string, string>()
  const server = createServer((request, reply) => {
    void respond(request).then(({ status, type, body }) => {
      if (body !== null) reply.writeHead(status, { 'content-type': type }).end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(test, async () => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function respond(request: IncomingMessage) {
    const path = new URL(request.url ?? '/', issuer).pathname
    const body = new URLSearchParams(await text(request))
    asked.push({ path, body, authorization: request.headers.authorization })
    if (path === '/.well-known/openid-configuration')
      return json({ ...metadataOf(issuer), ...answers.metadata })
    if (path === '/keys') return json({ keys: await Promise.all(answers.keys.map(published)) })
    if (path === '/token') return answers.token ?? json(await tokensFor(body.get('code') ?? ''))
    return { status: 404, type: 'text/plain', body: 'nothing here' }
  }

  async function tokensFor(code: string) {
    const now = Math.floor(Date.now() / 1000)
    const honest = {
      iss: issuer,
      aud: CLIENT.clientId,
      sub: 'mina',
      nonce: nonces.get(code) ?? '',
      iat: now,
      exp: now + 300,
      name: 'Mina Kim',
      email: 'mina@school.example',
      ...answers.claims,
    }
    const token = await answers.idToken(honest, { issuer, key: answers.keys[0] ?? key })
    return { access_token: 'an access token', token_type: 'Bearer', id_token: token }
  }

  return {
    issuer,
    key,
    answers,
    asked,
    config: { oidc: { issuer, ...CLIENT } },
    /** The way back that somebody gets who signs in there, having left by this address. */
    waysBack(address: string, more: Readonly<Record<string, string>> = {}): string {
      const { searchParams } = new URL(address)
      const code = `code-${nonces.size}`
      nonces.set(code, searchParams.get('nonce') ?? '')
      const query = new URLSearchParams({ code, state: searchParams.get('state') ?? '', ...more })
      return `${new URL(searchParams.get('redirect_uri') ?? '').pathname}?${query}`
    },
  }
}

export type CraftedProvider = Awaited<ReturnType<typeof aCraftedProvider>>

const honestly: Answers['idToken'] = (claims, { key }) => signed(claims, key)

/** A token signed by a key. */
export function signed(
  claims: Claims,
  key: Key,
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: key.kid, ...header })
    .sign(key.pair.privateKey)
}

async function published({ kid, pair }: Key) {
  return { ...(await exportJWK(pair.publicKey)), kid, use: 'sig', alg: 'RS256' }
}

function metadataOf(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    end_session_endpoint: `${issuer}/end`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
    code_challenge_methods_supported: ['S256'],
  }
}

function json(value: unknown) {
  return { status: 200, type: 'application/json', body: JSON.stringify(value) }
}
