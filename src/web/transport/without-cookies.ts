import type { FastifyInstance } from 'fastify'
import { isApiAddress } from './addresses.ts'

/** Takes cookies from programs' requests, so that no page of another site can act in somebody's name. */
export function registerWithoutCookies(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ routeOptions, url, raw }) => {
    // By the route that answers, which has many spellings (`/%61pi/v1`); what has no route there is told by its address.
    if (routeOptions.config.isApi === true || isApiAddress(url)) delete raw.headers.cookie
  })
}
