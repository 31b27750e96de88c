/** One answer of a site, with what a scanner learns beside it. */
export interface Scanned {
  /** Where it was asked for. */
  readonly url: string
  readonly headers: Readonly<Record<string, number | string | readonly string[] | undefined>>
  readonly body: string
  /** Where plain http leads, address by address, the one asked for included; null: nobody answers there. */
  readonly fromHttp: readonly string[] | null
}

/** What a rule says of an answer. */
export interface Verdict {
  /** As MDN's table names it, e.g. `hsts-not-implemented`. */
  readonly result: string
  /** Points. */
  readonly modifier: number
}

/** All values of a header, in their order; none when it is not there. */
export function valuesOf({ headers }: Scanned, name: string): readonly string[] {
  const value = headers[name]
  if (value === undefined) return []
  return typeof value === 'object' ? value : [String(value)]
}

/** Its first value, without blanks around it and in small letters; null: it is not there. */
export function firstOf(scanned: Scanned, name: string): string | null {
  return valuesOf(scanned, name)[0]?.trim().toLowerCase() ?? null
}
