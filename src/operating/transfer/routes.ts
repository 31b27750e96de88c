import type { FastifyInstance } from 'fastify'
import { registerExports } from './export-page.ts'

/** What goes out of a course, and what comes in, by its instructors. */
export function registerTransfer(app: FastifyInstance): void {
  registerExports(app)
}
