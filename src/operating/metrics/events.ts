import { Counter, type Registry } from 'prom-client'
import { eventCounts } from '../../audit-log/note.ts'

/** Events that alerts are about: they have a zero before they first happen, so that their first one is a change. */
const ALWAYS = [
  ...['sign-in-refused', 'sign-in-limited', 'limited', 'backup-failed', 'backup-incomplete', 'mail-dropped'],
  'database-away',
] as const

const MAILS: Readonly<Record<string, (event: string, about: string) => boolean>> = {
  sent: (event) => event === 'mail-sent',
  delayed: (event, about) => event === 'job-failed' && about === 'mail',
  refused: (event, about) => event === 'job-failed' && about === 'mail given up',
  returned: (event, about) => event === 'mail-received' && about === 'returned',
}

/** Events of the log (docs/events.md), and what became of mails. */
export function registerEventFigures(registry: Registry): void {
  const events = new Counter({
    name: 'handup_events_total',
    help: 'Events of the log by name: sign-in-refused, limited (answered with 429), backup-failed, …',
    labelNames: ['event'],
    registers: [registry],
    collect() {
      events.reset()
      for (const event of ALWAYS) events.inc({ event }, 0)
      for (const { event, count } of eventCounts.values()) events.inc({ event }, count)
    },
  })
  const mails = new Counter({
    name: 'handup_mails_total',
    help: 'Emails: sent (taken by the mail server), delayed (tried again), refused for good, returned later',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      mails.reset()
      for (const [outcome, isIt] of Object.entries(MAILS)) {
        const counted = [...eventCounts.values()].filter(({ event, about }) => isIt(event, about))
        mails.inc(
          { outcome },
          counted.reduce((sum, { count }) => sum + count, 0),
        )
      }
    },
  })
}
