import assert from 'node:assert/strict'
import type { Database } from '../database/schema.ts'
import { OPERATOR } from '../kernel/actor.ts'
import type { EventName } from '../kernel/audit/kinds.ts'
import type { Careful, Operation } from '../kernel/operation.ts'
import { perform } from '../kernel/perform.ts'
import { EditedMeanwhile, NeedsSignIn, Problem, Refused } from '../kernel/problem.ts'

/** Who does something, to what. */
interface Act<Key> {
  /** null: a visitor. */
  readonly actor: { readonly id: number } | typeof OPERATOR | null
  readonly key: Key
  /** As a form has it, or a program; left out: nothing. */
  readonly input?: Readonly<Record<string, unknown>>
  /** Gets the names of what is noted in the log, once it is done. */
  readonly noted?: EventName[]
  /** Left out: strangers' posts are looked at as all others. */
  readonly careful?: Careful
}

/**
 * Performs an operation without a door: no session, no form, no page. What a door adds (its token, limits, once, drafts) isn't there.
 * @throws what it is refused with: see `refusalOf`
 */
export function act<Key, Outcome>(
  { db }: { readonly db: Database },
  operation: Operation<Key, Outcome>,
  { actor, key, input = {}, noted = [], careful = null }: Act<Key>,
): Promise<Outcome> {
  const named = actor === null || actor === OPERATOR ? actor : { id: actor.id }
  return perform(
    db,
    operation,
    { actor: named, key, input },
    { baseUrl: 'http://localhost:3000', careful, language: 'en', log: (name) => void noted.push(name) },
  )
}

/**
 * Why an operation isn't done, in words that compare: `forbidden` of a problem, `body: forms.tooLong` of a field (several with commas),
 * `sign-in` of a visitor, `edited-meanwhile`; or `done`.
 */
export async function refusalOf<Key>(
  forum: { readonly db: Database },
  operation: Operation<Key, unknown>,
  doing: Act<Key>,
): Promise<string> {
  try {
    await act(forum, operation, doing)
    return 'done'
  } catch (error) {
    if (error instanceof Problem) return error.key
    if (error instanceof NeedsSignIn) return 'sign-in'
    if (error instanceof EditedMeanwhile) return 'edited-meanwhile'
    if (error instanceof Refused) return error.message
    throw error
  }
}

/** Asserts that each input is refused with what stands beside it, as `refusalOf` says it: all of them, before one fails. */
export async function refuses<Key>(
  forum: { readonly db: Database },
  operation: Operation<Key, unknown>,
  by: Omit<Act<Key>, 'input' | 'noted'>,
  table: readonly (readonly [input: Readonly<Record<string, unknown>>, refusal: string])[],
): Promise<void> {
  const found: [unknown, string][] = []
  for (const [input] of table) found.push([input, await refusalOf(forum, operation, { ...by, input })])
  assert.deepEqual(found, table)
}
