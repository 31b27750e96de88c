import type { Command } from 'commander'
import { countStaleDocuments, indexStaleQuestions } from '../../forum/search/index-question.ts'
import { refreshStatistics } from '../../forum/search/statistics.ts'
import { progress } from './progress.ts'
import { withDatabase } from './run.ts'

export function addReindex(program: Command): void {
  program
    .command('reindex')
    .description('update search documents that are missing or outdated')
    .action(() =>
      withDatabase(async ({ db }) => {
        const total = await countStaleDocuments(db)
        if (total > 0) {
          const shown = progress('Indexing questions', total)
          try {
            await indexStaleQuestions(db, (questions) => shown.advance(questions))
          } finally {
            shown.done()
          }
        }
        await refreshStatistics(db)
        console.log(
          total === 0
            ? 'every question is up to date, terms recounted'
            : `indexed ${total} questions, terms recounted`,
        )
      }),
    )
}
