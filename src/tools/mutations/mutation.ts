/** A rule, and how a change of one place in the code breaks it. */
export interface Mutation {
  /** What would no longer hold. It names the mutation in the table, also after its code has moved. */
  readonly rule: string
  readonly file: string
  /** What stands once in the file. */
  readonly from: string
  readonly to: string
}

/** @throws Error where the code is not, or not only once, in its file: the mutation has to be carried over */
export function mutated(text: string, { rule, file, from, to }: Mutation): string {
  const parts = text.split(from)
  if (parts.length !== 2) throw new Error(`"${rule}": found ${parts.length - 1} times in ${file}: ${from}`)
  return parts.join(to)
}
