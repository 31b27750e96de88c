import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { everyTable, personColumns } from '../../database/table.ts'
import { endKeys } from '../sessions/endings.ts'

/**
 * Removes what is a person's alone, as the facts of the tables say, with what emails had beside their posts. What refers to people by a
 * cascade goes by hand: the row of `people` itself stays.
 */
export async function forgetPersonal(write: Write, personId: number): Promise<void> {
  await endKeys(write, 'leaving', { personId })
  for (const { name, goesWith } of everyTable())
    if (goesWith !== undefined)
      await sql`delete from ${sql.table(name)} where ${goesWith(personId)}`.execute(write)
  for (const { table, column, leaving } of personColumns()) {
    const isTheirs = sql`${sql.ref(column)} = ${personId}`
    if (leaving === 'row') await sql`delete from ${sql.table(table)} where ${isTheirs}`.execute(write)
    else if (leaving === 'empty')
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = null where ${isTheirs}`.execute(write)
  }
}

/**
 * Removes an account's mails, and why any of them could not be sent: servers answer with the address. Farewells of accounts that
 * claimed the same address stay until they are sent: they are counted.
 */
export async function forgetMails(write: Write, personId: number): Promise<void> {
  await sql`
    with gone as (delete from mails where person_id = ${personId} returning id)
    delete from jobs using gone where jobs.kind = 'mail' and jobs.key = gone.id::text`.execute(write)
}
