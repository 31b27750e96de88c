import type { FastifyInstance } from 'fastify'
import { isApiAddress } from './addresses.ts'

/**
 * Takes cookies away from requests of programs before anything reads them: what a browser sends by itself gives no right there, so that
 * no page of another site can do anything in somebody's name.
 */
export function registerWithoutCookies(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ url, raw }) => {
    if (isApiAddress(url)) delete raw.headers.cookie
  })
}
