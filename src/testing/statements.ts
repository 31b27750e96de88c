import type { TestContext } from 'node:test'
import pg from 'pg'

/** The text of each statement that this process sends to any database from now to the end of the test, in their order. */
export function recordStatements(test: TestContext): string[] {
  const statements: string[] = []
  const send = pg.Client.prototype.query as (...given: unknown[]) => unknown
  test.mock.method(pg.Client.prototype, 'query', function (this: pg.Client, ...given: unknown[]) {
    const [query] = given
    const text = typeof query === 'object' && query !== null && 'text' in query ? query.text : query
    if (typeof text === 'string' && text !== '') statements.push(text)
    return send.apply(this, given)
  })
  return statements
}
