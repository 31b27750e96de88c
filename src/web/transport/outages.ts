import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify'
import { isUnconnected, whyUnwritable } from '../../database/failures.ts'
import type { Database } from '../../database/schema.ts'
import { writeEvent } from '../../kernel/audit/note.ts'

type Logging = Exclude<FastifyServerOptions['logger'], boolean | undefined>
type LogMethod = NonNullable<NonNullable<Logging['hooks']>['logMethod']>

/** How often a database that is away is asked whether it is back, in milliseconds. */
const LOOK_MS = 1000
/** pino's number of the level `error`. */
const ERROR = 50

/**
 * What pino asks with each line: a database that is away gives one line when it goes and one when it is back, whichever part of the
 * forum notices it. What only repeats that, a warning, is left out. What stays, such as a refused request, has the reason and no stack,
 * which would lead nowhere.
 */
export function outagesToldOnce(db: Database): LogMethod {
  const outage = new Outage(db)
  return function tellOnce(args, method, level) {
    const [line, says]: readonly unknown[] = args
    if (typeof line !== 'object' || line === null || !('err' in line) || !isUnconnected(line.err))
      return method.apply(this, args)
    const reason = reasonOf(line.err)
    const tell = () => method.apply(this, [{ ...line, err: undefined, reason }, String(says)])
    const isAway = outage.isNow(this)
    if (level >= ERROR) tell()
    // Sockets to other servers fail in the same way: while the database answers, it is told.
    else void isAway.then((is) => (is ? undefined : tell()))
  }
}

/** Whether the database is away, asked of itself. */
class Outage {
  private readonly db: Database
  private since: number | null = null
  private looking: Promise<boolean> | null = null

  constructor(db: Database) {
    this.db = db
  }

  isNow(log: FastifyBaseLogger): Promise<boolean> {
    if (this.since !== null) return Promise.resolve(true)
    this.looking ??= this.look(log).finally(() => {
      this.looking = null
    })
    return this.looking
  }

  private async look(log: FastifyBaseLogger): Promise<boolean> {
    const reason = await whyAway(this.db)
    if (reason === null) {
      if (this.since !== null) writeEvent(log, 'database-back', { seconds: secondsSince(this.since) })
      this.since = null
      return false
    }
    if (this.since === null) writeEvent(log, 'database-away', { reason })
    this.since ??= performance.now()
    setTimeout(() => void this.look(log), LOOK_MS).unref()
    return true
  }
}

/** Why the database takes nothing; null: it does, or the app has closed its connections. */
const whyAway = (db: Database) =>
  whyUnwritable(db).catch((error: unknown) => (isUnconnected(error) ? reasonOf(error) : null))

/** An AggregateError, of a name with several addresses, has no message of its own. */
function reasonOf(error: Error): string {
  return error.message || ('code' in error ? String(error.code) : error.name)
}

const secondsSince = (begun: number) => Math.round((performance.now() - begun) / 1000)
