import { basename } from 'node:path'
import type { Command } from 'commander'
import { cleanLine } from '../../operating/imports/clean-text.ts'
import { DumpError } from '../../operating/imports/dump.ts'
import { ImportRuns, importStackExchange, OtherOrigin } from '../../operating/imports/stackexchange.ts'
import { lengthOf } from '../../text/characters.ts'
import { slugOf } from '../../text/slug.ts'
import { fromHere } from './from-here.ts'
import { importTable } from './import-table.ts'
import { stepwiseProgress } from './progress.ts'
import { CommandError, withDatabase } from './run.ts'

/** As in the constraint courses_title_length. */
const MAX_TITLE_LENGTH = 150

interface Options {
  readonly course?: string
  readonly title?: string
  readonly origin?: string
}

export function addImport(program: Command): void {
  program
    .command('import')
    .description('import questions from elsewhere')
    .command('stackexchange')
    .description(
      'import a Stack Exchange dump: the folder with Posts.xml, Users.xml, Comments.xml, PostHistory.xml',
    )
    .argument('<folder>', 'the folder of the unpacked dump')
    .option(
      '--course <slug>',
      'the course to import into; created if there is none (default: named after the folder)',
    )
    .option('--title <title>', 'the title of a created course (default: its slug)')
    .option(
      '--origin <name>',
      'the site it comes from, if it was imported before (default: the folder’s name)',
    )
    .action(importDump)
}

async function importDump(given: string, { course: said, title, origin }: Options): Promise<void> {
  const folder = fromHere(given)
  const slug = said ?? slugOf(basename(folder), 'imported')
  const course = { slug: checkedSlug(slug), title: checkedTitle(title ?? slug) }
  const started = performance.now()
  const shown = stepwiseProgress()
  try {
    const tally = await withDatabase(({ db }) =>
      importStackExchange(db, { folder, course, ...(origin !== undefined && { origin }), onProgress: shown }),
    )
    shown.done()
    console.log(`${importTable(tally)}\n\nimported into the course "${slug}" in ${secondsSince(started)} s`)
  } catch (error) {
    shown.done()
    if (error instanceof DumpError || error instanceof ImportRuns || error instanceof OtherOrigin)
      throw new CommandError(error.message, { cause: error })
    throw error
  }
}

function checkedSlug(slug: string): string {
  if (slug === slugOf(slug, '')) return slug
  throw new CommandError(
    `--course "${slug}" can’t be part of an address: try --course ${slugOf(slug, 'my-course')}`,
  )
}

function checkedTitle(title: string): string {
  const line = cleanLine(title)
  if (line !== '' && lengthOf(line) <= MAX_TITLE_LENGTH) return line
  throw new CommandError(`--title must have 1 to ${MAX_TITLE_LENGTH} characters`)
}

function secondsSince(started: number): string {
  return ((performance.now() - started) / 1000).toFixed(1)
}
