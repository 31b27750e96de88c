import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance } from 'fastify'
import type { Response } from 'light-my-request'
import type { Asked } from './asked.ts'
import { Shown } from './shown.ts'

/** What a page is being made of that is for many: nothing of any request but its address is in it. */
const rendering = new AsyncLocalStorage<Shown>()

/** Collects what the page shows that is being made here; null: what is made here is for one person. */
export function shownHere(): Shown | null {
  return rendering.getStore() ?? null
}

/** An answer, as far as a page is made of it. */
export type Answer = Pick<Response, 'statusCode' | 'headers' | 'payload' | 'rawPayload'>

/** An answer, and what it shows. */
export interface Rendered {
  readonly answer: Answer
  readonly shown: Shown
}

/** Has the forum answer a request that nobody made. @throws Error while it stops: `isStopping` */
export async function renderForMany(
  app: FastifyInstance,
  { url, language, reader }: Asked,
): Promise<Rendered> {
  const shown = new Shown(reader)
  // Awaited inside: the request begins only when somebody waits for it.
  const answer = await rendering.run(
    shown,
    async () => await app.inject({ method: 'GET', url, headers: { 'accept-language': language } }),
  )
  return { answer, shown }
}

/** While it stops, Fastify takes no request of our own making. */
export function isStopping(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'FST_ERR_REOPENED_CLOSE_SERVER'
}
