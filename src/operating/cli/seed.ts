import type { Command } from 'commander'
import { SlugTaken } from '../../forum/courses/commands.ts'
import { loadSample } from '../sample/sample.ts'
import { CommandError, withDatabase } from './run.ts'

export function addSeed(program: Command): void {
  program
    .command('seed')
    .description('load the sample course')
    .action(async () => {
      await withDatabase(async ({ db }) => {
        try {
          const { title, slug, questions } = await loadSample(db)
          console.log(`loaded "${title}" with ${questions} questions: /courses/${slug}`)
        } catch (error) {
          if (error instanceof SlugTaken)
            throw new CommandError(`the sample course is loaded already: ${error.message}`)
          throw error
        }
      })
    })
}
