import { type Command, Option } from 'commander'
import { SlugTaken } from '../../forum/courses/commands.ts'
import { LANGUAGES, type Language } from '../../messages/language.ts'
import { loadSample } from '../../operating/sample/sample.ts'
import { CommandError, withDatabase } from './run.ts'

export function addSeed(program: Command): void {
  program
    .command('seed')
    .description('load the sample course')
    .addOption(new Option('--language <language>', 'of the course').choices(LANGUAGES).default('en'))
    .action(async ({ language }: { language: Language }) => {
      await withDatabase(async ({ db }) => {
        try {
          const { title, slug, questions } = await loadSample(db, { language, admin: false })
          console.log(`loaded "${title}" with ${questions} questions: /courses/${slug}`)
        } catch (error) {
          if (error instanceof SlugTaken)
            throw new CommandError(`the sample course is loaded already: ${error.message}`)
          throw error
        }
      })
    })
}
