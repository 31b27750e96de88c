import type { TestContext } from 'node:test'
import pg from 'pg'

/** The text of each statement that this process sends to any database until the end of the test, in order. */
export function recordStatements(test: TestContext): string[] {
  return recordReads(test).statements
}

/** What this process sends to any database until the end of the test, and what it reads. */
export interface Reads {
  /** The text of each statement, in order. */
  readonly statements: string[]
  /** The rows of each result as JSON, in order of arrival. */
  readonly rows: string[]
}

export function recordReads(test: TestContext): Reads {
  const statements: string[] = []
  const rows: string[] = []
  const send = pg.Client.prototype.query as (...given: unknown[]) => unknown
  test.mock.method(pg.Client.prototype, 'query', function (this: pg.Client, ...given: unknown[]) {
    const [query] = given
    const text = typeof query === 'object' && query !== null && 'text' in query ? query.text : query
    if (typeof text === 'string' && text !== '') statements.push(text)
    const answer = send.apply(this, given)
    if (answer instanceof Promise)
      answer.then(
        (result: pg.QueryResult) => rows.push(JSON.stringify(result.rows)),
        () => undefined,
      )
    return answer
  })
  return { statements, rows }
}
