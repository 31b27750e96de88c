import type { Ending } from '../../../testing/at-end.ts'
import { startChild } from './child.ts'
import { ownHeaders, type RawPage } from './pages.ts'
import type { Server } from './processes.ts'

/** A page as the reference sends it. */
export interface SentPage {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** A bare Fastify that serves the same bytes with the same headers and paths from memory. */
export function startReference(end: Ending, pages: readonly RawPage[]): Promise<Server> {
  const sent: SentPage[] = pages.map((page) => ({
    path: page.path,
    headers: ownHeaders(page),
    body: page.body,
  }))
  return startChild(end, 'reference-server.ts', sent)
}
