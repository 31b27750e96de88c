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
