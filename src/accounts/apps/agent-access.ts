import type { Person } from '../../kernel/rights/person.ts'

/** What a person can let an agent do: read, leave a draft of an answer, and, as staff, see what waits. */
export const AGENT_SCOPES = ['read', 'draft', 'waiting'] as const
export type AgentScope = (typeof AGENT_SCOPES)[number]

/** What a token gives an agent, and the person it acts for. */
export interface AgentAccess {
  readonly scopes: readonly AgentScope[]
  /** Somebody with no more rights than the token gives: in its courses alone, and without names behind stand-ins. */
  readonly person: Person
  /** Its only courses; null: all that the person may read. */
  readonly courseIds: readonly number[] | null
  /** The name of the program, as its owner or its document gives it. */
  readonly client: string
}
