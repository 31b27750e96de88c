import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { plain } from '../../kernel/fields.ts'
import { forum, operation } from '../../kernel/operation.ts'
import { Problem, Refused } from '../../kernel/problem.ts'
import { logProblem, problemOf, statusOf } from '../../web/errors.ts'
import { sentFields } from '../../web/form.ts'
import { type FormDoor, openForm } from '../../web/forms/door.ts'
import { hashToken } from '../../web/tokens.ts'
import { keepHeadersOfFile } from '../../web/transport/headers.ts'
import { AGENT_SCOPES } from './agent-access.ts'
import { findApp, hashOf, mayAsk, requireAgents } from './app.ts'
import { resourceOf } from './authorization-request.ts'
import { NoDocument } from './client-document.ts'
import { ACCESS_SECONDS, endGrant, lockPresented, renewAccess } from './grants.ts'

const [TOKEN, REVOKE] = ['/oauth/token', '/oauth/revoke'] as const

/** What an app is refused, by the names of RFC 6749 (5.2) and RFC 8707 (2). */
type OauthError =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_target'
  | 'unauthorized_client'
  | 'unsupported_grant_type'

const refused = (error: OauthError) => ({ error })

/** Where apps learn what there is, change codes for tokens, renew them and give them back. They bring no cookie and no `_csrf`. */
export async function registerTokenDoors(app: FastifyInstance): Promise<void> {
  const { baseUrl } = app.config
  const described = { isPublic: true } as const
  app.get('/.well-known/oauth-protected-resource/mcp', { config: described }, async (_request, reply) => {
    await requireAgents(app.db)
    return sendJson(reply, {
      resource: resourceOf(baseUrl),
      authorization_servers: [baseUrl],
      scopes_supported: AGENT_SCOPES,
      bearer_methods_supported: ['header'],
    })
  })
  app.get('/.well-known/oauth-authorization-server', { config: described }, async (_request, reply) => {
    const { agents } = await requireAgents(app.db)
    return sendJson(reply, {
      issuer: baseUrl,
      authorization_endpoint: `${baseUrl}/oauth/authorize`,
      token_endpoint: baseUrl + TOKEN,
      revocation_endpoint: baseUrl + REVOKE,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      scopes_supported: AGENT_SCOPES,
      client_id_metadata_document_supported: agents !== 'registered',
      authorization_response_iss_parameter_supported: true,
    })
  })
  await app.register(async (scope) => {
    scope.setErrorHandler(async (error, request, reply) => sendFailure(request, reply, error))
    openForm(scope, TOKEN, accessTaking, {
      ...ofPrograms,
      input: async (request) => ({
        ...sentFields(request.body),
        described: await describedNow(request),
      }),
    })
    openForm(scope, REVOKE, accessReturning, ofPrograms)
  })
}

/** Answers a form that a program sends. */
const ofPrograms = {
  isFromAnywhere: true,
  actor: () => null,
  key: () => null,
  async instead({ server, body }: FastifyRequest) {
    await requireAgents(server.db)
    // RFC 6749, section 3.2: nothing is sent twice.
    if (Object.values(sentFields(body)).some(Array.isArray)) throw new Problem('badRequest')
    return null
  },
  done: () => '/',
  shown: (_: FastifyRequest, reply: FastifyReply, outcome: object) => sendOutcome(reply, outcome),
} satisfies FormDoor<null, object>

function sendOutcome(reply: FastifyReply, outcome: object) {
  if (!('error' in outcome)) return sendJson(reply, outcome)
  return sendJson(reply.code(outcome.error === 'invalid_client' ? 401 : 400), outcome)
}

function sendFailure(request: FastifyRequest, reply: FastifyReply, error: unknown) {
  const problem = error instanceof Refused ? new Problem('badRequest') : problemOf(error)
  const status = statusOf(problem)
  logProblem(request, { status, key: problem.key }, error)
  if (problem.retryAfter !== null) reply.header('retry-after', String(problem.retryAfter))
  const isOurs = status >= 500 || status === 429
  reply.code(isOurs || status === 404 ? status : 400)
  return sendJson(reply, { error: isOurs ? 'temporarily_unavailable' : 'invalid_request' })
}

function sendJson(reply: FastifyReply, answer: object) {
  keepHeadersOfFile(reply)
  return reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(answer)
}

/**
 * How the app that renews its access is described now: by its document, which may take seconds, so before the transaction. null: nobody knows,
 * or it is described by an admin.
 */
async function describedNow({ server, body }: FastifyRequest): Promise<Buffer | null> {
  const { grant_type: type, client_id: clientId } = sentFields(body)
  if (type !== 'refresh_token' || typeof clientId !== 'string') return null
  const app = await findApp(server.db, clientId)
  if (app === null || app.isRegistered) return null
  try {
    return hashOf(await server.clientDocuments.find(clientId))
  } catch (error) {
    // People allowed what it was: that its host is down ends nothing.
    if (error instanceof NoDocument) return null
    throw error
  }
}

const given = plain.optional()

/** Gives an app its tokens, for a code or a refresh token. What comes a second time was stolen, or stolen from: all of it ends. */
const accessTaking = operation({
  name: 'take-app-access',
  right: 'visit',
  isForSuspended: true,
  find: forum,
  limit: 'apps',
  input: {
    ...{ grant_type: plain, client_id: plain, resource: given },
    ...{ code: given, redirect_uri: given, code_verifier: given, refresh_token: given },
    described: z.instanceof(Buffer).or(z.literal('').transform(() => null)),
  },
  events: ['app-replayed'],
  async run({ write, input, baseUrl, note }) {
    const kind = kindOf(input.grant_type)
    if (kind === null) return refused(input.grant_type === '' ? 'invalid_request' : 'unsupported_grant_type')
    const secret = kind === 'code' ? input.code : input.refresh_token
    if (!secret || input.client_id === '') return refused('invalid_request')
    const app = await findApp(write, input.client_id)
    if (app === null) return refused('invalid_client')
    if (!mayAsk(await requireAgents(write), app)) return refused('unauthorized_client')
    const presented = await lockPresented(write, kind, secret)
    if (presented === null || presented.grant.clientId !== app.clientId) return refused('invalid_grant')
    const { grant, token } = presented
    if (token.isUsed) {
      await endGrant(write, grant.id, grant.personId)
      note('app-replayed', { personId: grant.personId, kind })
      return refused('invalid_grant')
    }
    const isProven = kind === 'refresh' || isProof(token, input)
    const isSame = input.described === null || kind === 'code' || input.described.equals(grant.describedHash)
    if (token.hasEnded || !isProven || !isSame) return refused('invalid_grant')
    if ((input.resource ?? resourceOf(baseUrl)) !== resourceOf(baseUrl)) return refused('invalid_target')
    return {
      ...(await renewAccess(write, grant.id, token.hash)),
      token_type: 'Bearer',
      expires_in: ACCESS_SECONDS,
      scope: grant.scopes.join(' '),
    }
  },
})

function kindOf(grantType: string): 'code' | 'refresh' | null {
  if (grantType === 'authorization_code') return 'code'
  return grantType === 'refresh_token' ? 'refresh' : null
}

/** Whether who brings a code is who asked for it, and got it at the same address (RFC 7636, section 4.6). */
function isProof(
  {
    redirectUri,
    codeChallenge,
  }: { readonly redirectUri: string | null; readonly codeChallenge: string | null },
  sent: { readonly redirect_uri?: string | undefined; readonly code_verifier?: string | undefined },
): boolean {
  const { redirect_uri: address, code_verifier: verifier = '' } = sent
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  return address === redirectUri && /^[\w.~-]{43,128}$/.test(verifier) && challenge === codeChallenge
}

/** Ends what an app may do, by any token of it (RFC 7009). One that is unknown has ended already. */
const accessReturning = operation({
  name: 'return-app-access',
  right: 'visit',
  isForSuspended: true,
  find: forum,
  limit: 'apps',
  input: { token: plain, client_id: given },
  events: ['app-ended'],
  async run({ write, input, note }) {
    if (input.token === '') return refused('invalid_request')
    const grant = await write
      .selectFrom('app_tokens as token')
      .innerJoin('app_grants as its', 'its.id', 'token.grant_id')
      .innerJoin('apps as app', 'app.id', 'its.app_id')
      .select(['its.id', 'its.person_id as personId', 'app.client_id as clientId'])
      .where('token.token_hash', '=', hashToken(input.token))
      .where('token.kind', '<>', 'code')
      .executeTakeFirst()
    if (grant === undefined) return {}
    if ((input.client_id ?? grant.clientId) !== grant.clientId) return refused('invalid_client')
    await endGrant(write, grant.id, grant.personId)
    note('app-ended', { personId: grant.personId })
    return {}
  },
})
