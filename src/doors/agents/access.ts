import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AgentAccess, AgentScope } from '../../accounts/apps/agent-access.ts'
import { KeptTokens, personOfToken } from '../../accounts/tokens/access.ts'
import type { TokenScope, Write } from '../../database/schema.ts'
import type { Named } from '../../kernel/actor.ts'
import type { Person } from '../../kernel/rights/person.ts'
import { AgentProblem } from './problem.ts'

/** Tokens of one kind that agents come with. */
export interface AgentTokens {
  /** null: no token of this kind, or one that has ended. */
  accessOf(token: string): Promise<AgentAccess | null>
  /** The person with the rights that the token leaves them now, in the transaction of a write; null: it has ended. */
  personOf(write: Write, token: string, person: Person): Promise<Person | null>
}

/** Who an agent acts for, and by which token. */
export interface KnownAgent extends AgentAccess {
  /** null: a course's token, which acts for no one. */
  readonly actor: (Named & object) | null
}

/** Every kind of token that opens /mcp. */
function kindsOf({ db, changes }: FastifyInstance): readonly AgentTokens[] {
  return [ownTokens(new KeptTokens(db, changes))]
}

/** @returns finds who a request acts for; null: it has no token. It throws 401 for a token that is none of ours. */
export function agentsOf(app: FastifyInstance) {
  const kinds = kindsOf(app)
  return async ({ headers: { authorization } }: FastifyRequest): Promise<KnownAgent | null> => {
    if (authorization === undefined) return null
    const [, token = ''] = /^Bearer ([\x21-\x7e]{1,200})$/i.exec(authorization) ?? []
    for (const kind of kinds) {
      const access = await kind.accessOf(token)
      if (access !== null) return { ...access, actor: actorOf(kind, token, access.person.id) }
    }
    throw new AgentProblem('unauthorized', { challenge: { error: 'invalid_token' } })
  }
}

/** With the rights at the time of the write: a token that has ended writes nothing. */
function actorOf(kind: AgentTokens, token: string, id: number): KnownAgent['actor'] {
  if (id === 0) return null
  return {
    id,
    async narrowed(write, person) {
      const now = await kind.personOf(write, token, person)
      if (now === null) throw new AgentProblem('unauthorized', { challenge: { error: 'invalid_token' } })
      return now
    },
  }
}

const SCOPES = { read: 'read', write: 'draft', staff: 'waiting' } as const satisfies Record<
  TokenScope,
  AgentScope
>

/** The tokens that people, and courses, make for their programs. */
function ownTokens(kept: KeptTokens): AgentTokens {
  return {
    async accessOf(token) {
      const access = await kept.accessOf(token)
      if (access === null) return null
      const { name: client, person, course, scopes } = access
      const courseIds = course === null ? null : [course.id]
      return { scopes: scopes.map((scope) => SCOPES[scope]), person, courseIds, client }
    },
    async personOf(write, token, person) {
      const access = await kept.accessOf(token)
      return access === null ? null : personOfToken(write, access, person)
    },
  }
}
