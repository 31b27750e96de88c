import { inspect } from 'node:util'

/** What a process that runs test files reports to its parent. */
export type TestReport = TestEnd | { readonly kind: 'finished' }

/** The end of one test. */
export interface TestEnd {
  readonly kind: 'passed' | 'skipped' | 'failed'
  readonly file: string | undefined
  readonly line: number | undefined
  readonly name: string
  readonly ms: number
  /** Of a failure. */
  readonly text: string
}

/** An assertion's message is complete; other errors need their stack and cause. */
export function causeText(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  if (cause.name !== 'AssertionError') return inspect(cause)
  const place = /\(?(file:\/\/\/\S+\.test\.ts:\d+)/.exec(cause.stack ?? '')?.[1] ?? ''
  return `${cause.message}\n${place}`
}
