import type { Command } from 'commander'
import { eventsPage } from '../../kernel/audit/page.ts'
import { rightsPage } from '../../kernel/rights/page.ts'
import { exchangePage } from '../../operating/exchange/page.ts'
import { limitsPage } from '../../web/limits/page.ts'

const PAGES = [
  { name: 'events', about: 'the log’s events', page: eventsPage },
  { name: 'exchange', about: 'the exchange format', page: exchangePage },
  { name: 'limits', about: 'the limits', page: limitsPage },
  { name: 'rights', about: 'who can do what', page: rightsPage },
] as const

/** A command for each page of docs/ that is generated from a table in the code. */
export function addPages(program: Command): void {
  for (const { name, about, page } of PAGES) {
    program
      .command(name)
      .description(`print ${about} as Markdown`)
      .action(async () => {
        const { allOperations } = await import('../../rooms.ts')
        process.stdout.write(page(allOperations()))
      })
  }
}
