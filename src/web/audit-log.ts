import type { FastifyInstance } from 'fastify'
import { recordAudit } from '../kernel/audit/note.ts'

/** Writes what requests noted for the audit log before they are answered. */
export function registerAuditLog(app: FastifyInstance): void {
  app.decorateRequest('auditEntries', null)
  app.addHook('onSend', async (request) => {
    const entries = request.auditEntries
    if (entries === null) return
    request.auditEntries = null
    try {
      await recordAudit(request.server.db, entries)
    } catch (error) {
      // The act itself was done: the response says so, and the log line has it.
      request.log.error(
        { err: error, acts: entries.map(({ act }) => act) },
        'the audit log could not be written',
      )
    }
  })
}
