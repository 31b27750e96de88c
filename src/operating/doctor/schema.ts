import { isReadOnly, isRefused } from '../../database/failures.ts'
import { appliedMigrations } from '../../database/migrations/applied.ts'
import { differencesFromFresh } from '../../database/migrations/fresh-schema.ts'
import { repairOf, type SchemaDifference, toldDifference } from '../../database/migrations/schema-objects.ts'
import type { Database } from '../../database/schema.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** How many differences are named. */
const NAMED = 5

/** Compares tables, functions, triggers, indexes and constraints with those of a new database. */
export async function checkSchema(db: Database): Promise<Finding> {
  const differences = await differencesFromFresh(db, await appliedMigrations(db)).catch(unlessForbidden)
  if (differences instanceof Error)
    return warning(
      'schema',
      `not compared: no schema can be created beside it: ${differences.message}`,
      'use the database’s owner, on the primary',
    )
  if (differences.length === 0) return ok('schema', 'as db/schema and its migrations create it')
  const wrong = differences.filter(({ wanted }) => wanted !== null)
  const told = wrong.length === 0 ? differences : wrong
  const named = told.map(toldDifference)
  const says =
    named.slice(0, NAMED).join(', ') + (named.length > NAMED ? ` and ${named.length - NAMED} more` : '')
  if (wrong.length === 0)
    return warning('schema', says, `unless they are yours, ${run(inOrder(differences).toReversed())}`)
  return problem(
    'schema',
    says,
    wrong.some((difference) => repairOf(difference) === null)
      ? 'take a backup, and restore it into an empty database, whose tables are as they should be'
      : run(inOrder(wrong)),
  )
}

/** Triggers call functions, and foreign keys need unique indexes. */
function inOrder(differences: readonly SchemaDifference[]): SchemaDifference[] {
  const kinds = ['function', 'index', 'constraint', 'trigger']
  const place = ({ wanted, found }: SchemaDifference) => kinds.indexOf((wanted ?? found)?.kind ?? '')
  return differences.toSorted((one, other) => place(one) - place(other))
}

const run = (differences: readonly SchemaDifference[]) =>
  ['run as the owner of the database:', ...differences.map(repairOf)].join('\n')

function unlessForbidden(error: unknown): Error {
  if (error instanceof Error && (isReadOnly(error) || isRefused(error))) return error
  throw error
}
