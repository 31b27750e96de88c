import type { Command } from 'commander'
import { rightsPage } from '../rights/page.ts'

export function addRights(program: Command): void {
  program
    .command('rights')
    .description('print who may do what, as a page of Markdown')
    .action(() => {
      process.stdout.write(rightsPage())
    })
}
