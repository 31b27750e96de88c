import { sql } from 'kysely'
import { z } from 'zod'
import { operation } from '../../operations/operation.ts'
import { notFound } from '../../operations/problem.ts'

/** Empties what an entry is about, for data that should not be there; when, who and what stay, and that it was emptied is an entry. */
export const redactEntry = operation({
  name: 'redact-audit-entry',
  right: 'redact-audit',
  find: async () => null,
  input: { entry: z.string().transform((id) => (/^[1-9]\d{0,14}$/.test(id) ? Number(id) : 0)) },
  events: ['audit-redacted'],
  async run({ write, input: { entry }, note }) {
    const { rows } = await sql<{ done: boolean }>`select redact_audit(${entry}) as done`.execute(write)
    if (rows[0]?.done !== true) throw notFound()
    note('audit-redacted', { entryId: entry })
  },
})
