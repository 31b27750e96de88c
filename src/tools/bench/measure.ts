/** A visitor's query, with other words and ids each time. */
export interface Measure {
  readonly name: string
  readonly kind: 'page' | 'search'
  run(number: number): Promise<unknown>
}
