import type { Command } from 'commander'
import { limitsPage } from '../limits/page.ts'

export function addLimits(program: Command): void {
  program
    .command('limits')
    .description('print how often, and how much, as a page of Markdown')
    .action(() => {
      process.stdout.write(limitsPage())
    })
}
