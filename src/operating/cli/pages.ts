import type { Command } from 'commander'
import { eventsPage } from '../../audit-log/page.ts'
import { rightsPage } from '../../rights/page.ts'
import { limitsPage } from '../../web/limits/page.ts'

const PAGES = [
  { name: 'events', about: 'what the log tells', page: eventsPage },
  { name: 'limits', about: 'how often, and how much', page: limitsPage },
  { name: 'rights', about: 'who may do what', page: rightsPage },
] as const

/** A command for each page of docs/ that is generated from a table in the code. */
export function addPages(program: Command): void {
  for (const { name, about, page } of PAGES) {
    program
      .command(name)
      .description(`print ${about}, as a page of Markdown`)
      .action(() => {
        process.stdout.write(page())
      })
  }
}
