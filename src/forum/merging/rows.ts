import { type RawBuilder, sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { everyTable, type OwnRows, type Table } from '../../database/table.ts'

/** Two accounts of one person: `fromId` is closed, `intoId` stays. */
export interface Pair {
  readonly fromId: number
  readonly intoId: number
}

/** Notes the rows of both accounts as they are, before or after the merge changed them. */
export async function noteRows(write: Write, mergeId: number, pair: Pair, isBefore: boolean): Promise<void> {
  for (const { name, columns } of ownTables())
    await sql`
      insert into account_merge_rows (merge_id, table_name, is_before, content)
      select ${mergeId}, ${name}, ${isBefore}, to_jsonb(kept) from ${sql.table(name)} as kept
      where ${sql.join(
        columns.map((column) => sql`kept.${sql.ref(column)} in (${pair.fromId}, ${pair.intoId})`),
        sql` or `,
      )}`.execute(write)
}

/** Forgets the noted rows that are the same before and after. */
export async function keepDifferences(write: Write, mergeId: number): Promise<void> {
  await sql`
    delete from account_merge_rows as noted using account_merge_rows as other
    where noted.merge_id = ${mergeId} and other.merge_id = ${mergeId} and noted.table_name = other.table_name
      and noted.column_name is null and other.column_name is null
      and noted.is_before <> other.is_before and noted.content = other.content`.execute(write)
}

/** Gives the rows of one table to the other account; of two about one thing one stays. */
export async function moveRows(write: Write, own: OwnTable, { fromId, intoId }: Pair): Promise<void> {
  const table = sql.table(own.name)
  const [owner = ''] = own.columns
  const person = sql.ref(owner)
  if (own.ends === true) {
    await sql`delete from ${table} where ${person} = ${fromId}`.execute(write)
    return
  }
  const isBoth = bothHave(own, owner)
  if (own.keepsBoth !== true) {
    const isPair = (mine: number, theirs: number) =>
      sql`mine.${person} = ${mine} and theirs.${person} = ${theirs} and ${isBoth}`
    if (own.wins !== undefined)
      await sql`delete from ${table} as theirs using ${table} as mine
        where ${isPair(fromId, intoId)} and ${sql.raw(own.wins)}`.execute(write)
    await sql`delete from ${table} as mine using ${table} as theirs where ${isPair(fromId, intoId)}`.execute(
      write,
    )
  }
  await sql`update ${table} as mine set ${person} = ${intoId} where mine.${person} = ${fromId}
    and not exists (select from ${table} as theirs where theirs.${person} = ${intoId} and ${isBoth})`.execute(
    write,
  )
  for (const column of own.columns.slice(1))
    await sql`update ${table} set ${sql.ref(column)} = ${intoId} where ${sql.ref(column)} = ${fromId}`.execute(
      write,
    )
}

/** Rows `mine` and `theirs` of two people about one thing. */
function bothHave(own: OwnTable, owner: string): RawBuilder<boolean> {
  return sql<boolean>`mine.${sql.ref(owner)} <> theirs.${sql.ref(owner)} and ${isOneThing(own)}`
}

/** Rows `mine` and `theirs` about one thing: alike in all columns of a list, of which one at least is not null. */
export function isOneThing({ things = [] }: OwnTable): RawBuilder<boolean> {
  const lists = things.map((columns) => {
    if (columns.length === 0) return sql`true`
    const alike = columns.map(
      (column) => sql`mine.${sql.ref(column)} is not distinct from theirs.${sql.ref(column)}`,
    )
    const named = columns.map((column) => sql`mine.${sql.ref(column)}`)
    return sql`(${sql.join(alike, sql` and `)} and num_nonnulls(${sql.join(named)}) > 0)`
  })
  return sql<boolean>`(${sql.join([sql`false`, ...lists], sql` or `)})`
}

/** Columns of a table that name the other account after a merge. */
export interface MovedColumns extends Pick<Table, 'name' | 'key' | 'question'> {
  readonly columns: readonly string[]
}

export function movedColumns(): readonly MovedColumns[] {
  return everyTable()
    .map(({ name, key, question, people }) => ({
      name,
      key,
      ...(question !== undefined && { question }),
      columns: Object.keys(people).filter((column) => people[column]?.merge === 'moves'),
    }))
    .filter(({ columns }) => columns.length > 0)
}

/** A table whose rows are people's own. */
export interface OwnTable extends OwnRows, Pick<Table, 'name' | 'key'> {
  readonly columns: readonly string[]
}

/** In the order in which rows are inserted; they are deleted in the reverse one. */
export function ownTables(): readonly OwnTable[] {
  return everyTable().flatMap(({ name, key, people, own }) =>
    own === undefined ? [] : [{ name, key, columns: Object.keys(people), ...own }],
  )
}
