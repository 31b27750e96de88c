import type { FastifyInstance, FastifyRequest } from 'fastify'
import { KeptApps, personOfApp } from '../../accounts/apps/access.ts'
import type { AgentAccess, AgentScope } from '../../accounts/apps/agent-access.ts'
import { personOfToken, type TokenAccess } from '../../accounts/tokens/access.ts'
import type { TokenScope, Write } from '../../database/schema.ts'
import type { Named } from '../../kernel/actor.ts'
import type { Person } from '../../kernel/rights/person.ts'
import { AgentProblem } from './problem.ts'

/** Who an agent acts for, and what it may do. */
export interface KnownAgent extends AgentAccess {
  /** null: a course's token, which acts for no one. */
  readonly actor: (Named & object) | null
}

/** Every kind of token that opens /mcp. What API tokens give is kept once, with the API. */
function kindsOf({ db, changes, apiTokens }: FastifyInstance) {
  return [
    kindOf(apiTokens, agentOfToken, personOfToken),
    kindOf(new KeptApps(db, changes), (access) => access, personOfApp),
  ]
}

/**
 * Tokens of one kind.
 * @param kept finds what a token gives; null: it is none of these, or has ended
 * @param agentOf the same as all kinds say it
 * @param personOf the person with the rights that it leaves them now, in the transaction of a write; null: it has ended
 */
function kindOf<Access>(
  kept: { accessOf(token: string): Promise<Access | null> },
  agentOf: (access: Access) => AgentAccess,
  personOf: (write: Write, access: Access, person: Person) => Promise<Person | null>,
) {
  return async (token: string): Promise<KnownAgent | null> => {
    const access = await kept.accessOf(token)
    if (access === null) return null
    const agent = agentOf(access)
    const { id } = agent.person
    const narrowed = async (write: Write, person: Person) =>
      (await personOf(write, access, person)) ?? ended()
    return { ...agent, actor: id === 0 ? null : { id, narrowed } }
  }
}

/** @returns finds who a request acts for; null: it has no token. It throws 401 for a token that is none of ours. */
export function agentsOf(app: FastifyInstance) {
  const kinds = kindsOf(app)
  return async ({ headers: { authorization } }: FastifyRequest): Promise<KnownAgent | null> => {
    if (authorization === undefined) return null
    const [, token = ''] = /^Bearer ([\x21-\x7e]{1,200})$/i.exec(authorization) ?? []
    for (const find of kinds) {
      const agent = await find(token)
      if (agent !== null) return agent
    }
    return ended()
  }
}

function ended(): never {
  throw new AgentProblem('unauthorized', { challenge: { error: 'invalid_token' } })
}

const SCOPES = { read: 'read', write: 'draft', staff: 'waiting' } as const satisfies Record<
  TokenScope,
  AgentScope
>

/** What the tokens give that people, and courses, make for their programs. */
function agentOfToken({ name: client, person, course, scopes }: TokenAccess): AgentAccess {
  const courseIds = course === null ? null : [course.id]
  return { scopes: scopes.map((scope) => SCOPES[scope]), person, courseIds, client }
}
