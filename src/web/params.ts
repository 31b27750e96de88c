import { notFound } from '../kernel/problem.ts'

/** Of a request, or of a page's context. */
export interface Address {
  readonly params: unknown
  readonly query: unknown
}

/**
 * The number in a path such as /questions/12.
 * @throws Problem 404 for whatever cannot be an id: nothing has such a name
 */
export function idParam(address: Pick<Address, 'params'>, name: string): number {
  const value = textParam(address, name)
  if (!/^[1-9]\d{0,14}$/.test(value)) throw notFound()
  return Number(value)
}

/** The text in a path such as /tags/java. */
export function textParam({ params }: Pick<Address, 'params'>, name: string): string {
  const value = (params as Record<string, string | undefined>)[name]
  return value ?? ''
}

/** What is behind the first question mark of an address: a query may have more of them. */
export const queryOf = (url: string): string => /\?(.*)$/.exec(url)?.[1] ?? ''

/** One parameter of the query string; repeated, empty or unstorable ones count as absent. */
export function queryParam({ query }: Pick<Address, 'query'>, name: string): string | null {
  const value = (query as Record<string, unknown>)[name]
  if (typeof value !== 'string' || value === '' || value.includes('\0') || !value.isWellFormed()) return null
  return value.normalize('NFC')
}

/** One parameter of the query string that must be one of a list, else `fallback`. */
export function choiceParam<const Values extends readonly string[], Fallback>(
  address: Pick<Address, 'query'>,
  name: string,
  values: Values,
  fallback: Fallback,
): Values[number] | Fallback {
  const value = queryParam(address, name)
  return values.find((candidate) => candidate === value) ?? fallback
}
