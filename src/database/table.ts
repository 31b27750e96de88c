import { type RawBuilder, sql } from 'kysely'

export interface NamesPerson {
  readonly as: 'author' | 'actor' | 'subject' | 'owner'
  /**
   * What happens when the account is deleted: its row goes, the column is emptied, or it goes on naming the
   * account, a former member then. What goes `apart` has a function of its own, such as endings of sessions.
   */
  readonly leaving: 'row' | 'empty' | 'stays' | 'apart'
  /** The account becomes another one: the column names that one, the rows are its `own`, or it stays. */
  readonly merge: 'moves' | 'own' | 'stays'
  /** Somebody would miss an account that it names, though nobody confirmed its address. */
  readonly isMissed: boolean
}

/** Rows that belong to people, with at most one for each person and thing. */
export interface OwnRows {
  /** Each list: what both accounts may have one row about. */
  readonly things?: readonly (readonly string[])[]
  /** The tables that the rows refer to, by column: a row of them may be gone when they are restored. */
  readonly parents?: Readonly<Record<string, string>>
  /**
   * SQL that decides between two rows about one thing: when the closed account's (`mine`) replaces the other
   * (`theirs`). Left out: never.
   */
  readonly wins?: string
  /** Both of two rows about one thing stay as they are. */
  readonly keepsBoth?: true
  /** The rows don't move: they end, and return when the merge is undone. */
  readonly ends?: true
  /** A row that was changed after the merge isn't taken away again. */
  readonly keepsChanges?: true
  /** Roles are given back by forum/merging/undo.ts, which looks at what was decided about them since. */
  readonly isRole?: true
}

export interface Table {
  readonly name: string
  /** Of rows that are people's own the first one is whose they are. */
  readonly people: Readonly<Record<string, NamesPerson>>
  /** What identifies a row. */
  readonly key: readonly string[]
  /** Where anonymous posts are: the column of their question. */
  readonly question?: string
  readonly own?: OwnRows
  /** Which rows are over: the hourly sweep deletes them. */
  readonly expired?: RawBuilder<unknown>
  /** Rows that go with an account though no column names it. */
  readonly goesWith?: (personId: number) => RawBuilder<boolean>
}

/** Declares a table of a room. `tables.ts` lists all of them, a test compares them with the catalogue. */
export function table(
  name: string,
  people: Table['people'],
  more: Partial<Omit<Table, 'name' | 'people'>> = {},
): Table {
  return { name, people, key: ['id'], ...more }
}

export const author: NamesPerson = { as: 'author', leaving: 'stays', merge: 'moves', isMissed: true }
export const actor: NamesPerson = { ...author, as: 'actor' }
export const subject: NamesPerson = { ...author, as: 'subject' }
/** Whose row it is: it goes with the account. */
export const owner: NamesPerson = { as: 'owner', leaving: 'row', merge: 'own', isMissed: false }
/** Whose row it is, as long as they are signed in, or have this way in. */
export const holder: NamesPerson = { ...owner, merge: 'stays' }

/** The same where nobody would miss the account. */
export const unmissed = (column: NamesPerson): NamesPerson => ({ ...column, isMissed: false })
/** The same where somebody would. */
export const missed = (column: NamesPerson): NamesPerson => ({ ...column, isMissed: true })
/** The same where an account that is deleted has a function of its own for it. */
export const apart = (column: NamesPerson): NamesPerson => ({ ...column, leaving: 'apart' })

/** What somebody follows, voted for or read: one row for each person and `thing`, a row of `parent`. */
export function ownOf(
  name: string,
  thing: string,
  parent: string,
  {
    column = owner,
    expired,
    ...own
  }: OwnRows & Pick<Partial<Table>, 'expired'> & { readonly column?: NamesPerson } = {},
): Table {
  return table(
    name,
    { person_id: column },
    {
      key: [thing, 'person_id'],
      own: { things: [[thing]], parents: { [thing]: parent }, ...own },
      ...(expired !== undefined && { expired }),
    },
  )
}

/** The tables of all rooms, in the order in which rows that return after a merge are inserted. */
export const { declare: declareTables, all: everyTable } = declared<Table>('the tables')

export function personColumns() {
  return everyTable().flatMap(({ name, people }) =>
    Object.entries(people).map(([column, named]) => ({ table: name, column, ...named })),
  )
}

/** Whether anything names an account, a row of this alias: of the columns that count, which are those by which it would be missed. */
export function isNamed(
  person: string,
  counts: (column: ReturnType<typeof personColumns>[number]) => boolean = ({ isMissed }) => isMissed,
): RawBuilder<boolean> {
  const places = personColumns()
    .filter(counts)
    .map(
      ({ table, column }) =>
        sql`exists (select from ${sql.table(table)} as own where own.${sql.ref(column)} = ${sql.ref(`${person}.id`)})`,
    )
  return sql<boolean>`(${sql.join(places, sql` or `)})`
}

/**
 * What rooms declare and src/tables.ts hands in: lower layers walk it without knowing the rooms.
 * @param what is declared, for the error
 */
export function declared<Value>(what: string) {
  let values: readonly Value[] | null = null
  return {
    declare(all: readonly Value[]): void {
      values = all
    },
    /** @throws Error where src/tables.ts was not imported: nobody walks half of it */
    all(): readonly Value[] {
      if (values === null) throw new Error(`import src/tables.ts: nobody has declared ${what}`)
      return values
    },
  }
}
