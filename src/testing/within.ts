import type { Database, Write } from '../database/schema.ts'

/** Does one command in a transaction of its own. */
export function within<Args extends readonly unknown[], Outcome>(
  db: Database,
  command: (write: Write, ...args: Args) => Promise<Outcome>,
  ...args: Args
): Promise<Outcome> {
  return db.transaction().execute((write) => command(write, ...args))
}
