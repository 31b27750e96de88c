import type { Command } from 'commander'
import { eventsPage } from '../events/page.ts'

export function addEvents(program: Command): void {
  program
    .command('events')
    .description('print what the log tells, as a page of Markdown')
    .action(() => {
      process.stdout.write(eventsPage())
    })
}
