import { basename } from 'node:path'
import type { Command } from 'commander'
import { pictureStore } from '../../forum/pictures/picture-store.ts'
import { importExchange, tryExchange } from '../../operating/exchange/course-import.ts'
import { ExchangeError } from '../../operating/exchange/exchange-error.ts'
import { ImportRuns } from '../../operating/exchange/import-run.ts'
import { cleanLine } from '../../operating/foreign/clean-text.ts'
import { DumpError } from '../../operating/imports/dump.ts'
import { importStackExchange, OtherOrigin } from '../../operating/imports/stackexchange.ts'
import { lengthOf } from '../../text/characters.ts'
import { slugOf } from '../../text/slug.ts'
import { fromHere } from './from-here.ts'
import { importTable } from './import-table.ts'
import { printRedirects, undoImport } from './import-undo.ts'
import { stepwiseProgress } from './progress.ts'
import { CommandError, withDatabase } from './run.ts'
import { wholeNumber } from './whole-number.ts'

/** As in the constraint courses_title_length. */
const MAX_TITLE_LENGTH = 150

interface Options {
  readonly course?: string
  readonly title?: string
  readonly origin?: string
}

export function addImport(program: Command): void {
  const from = program
    .command('import')
    .description('import questions from elsewhere')
    .option(
      '--undo <run>',
      'remove what an import brought, as it broke off or for a week after it was shown',
      wholeNumber(1, Number.MAX_SAFE_INTEGER),
    )
    .option(
      '--with-answers',
      'with --undo: also the posts that people here have added to, with what they added',
    )
    .option(
      '--redirects <run>',
      'print where links to the old forum lead, as CSV for its proxy',
      wholeNumber(1, Number.MAX_SAFE_INTEGER),
    )
    .action(undoOrPrint)
  from
    .command('handup')
    .description('import a course in the exchange format: a folder, or a file that ends in .tar.zst')
    .argument('<path>', 'the folder or file')
    .requiredOption('--course <slug>', 'the course to import into; created if there is none')
    .option('--title <title>', 'the title of a created course (default: its title there)')
    .option('--origin <name>', 'the site and course it comes from (default: what the export says)')
    .option('--dry-run', 'only check it, and show what would come')
    .action(importExport)
  from
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

interface ExportOptions extends Options {
  readonly course: string
  readonly dryRun?: boolean
}

async function importExport(given: string, { course: said, title, origin, dryRun = false }: ExportOptions) {
  const path = fromHere(given)
  const slug = checkedSlug(said)
  const started = performance.now()
  const shown = importProgress()
  try {
    if (dryRun) return console.log(`${importTable(await tryExchange(path))}\n\nnothing was imported`)
    const { tally } = await withDatabase(({ db, config }) =>
      importExchange(db, pictureStore(config), {
        ...{
          path,
          course: { slug, ...(title !== undefined && { title: checkedTitle(title) }) },
          onProgress: shown,
        },
        ...(origin !== undefined && { origin }),
      }),
    )
    shown.done()
    console.log(`${importTable(tally)}\n\nimported into the course "${slug}" in ${secondsSince(started)} s`)
  } catch (error) {
    shown.done()
    throw explained(error)
  }
}

interface Acts {
  readonly undo?: number
  readonly withAnswers?: boolean
  readonly redirects?: number
}

async function undoOrPrint({ undo, withAnswers = false, redirects }: Acts, command: Command): Promise<void> {
  if (undo === undefined && redirects === undefined) return command.help()
  await withDatabase(async (tools) => {
    if (redirects !== undefined) return printRedirects(tools, redirects)
    if (undo !== undefined) await undoImport(tools, undo, withAnswers)
  }).catch((error: unknown) => {
    throw explained(error)
  })
}

/** How far an import is, and once that it waits for another. */
function importProgress() {
  const shown = stepwiseProgress()
  let waits = false
  return {
    ...shown,
    wait() {
      if (!waits) shown.say('waits for another import into this course')
      waits = true
    },
  }
}

/** What the operator can do something about, as one line. */
function explained(error: unknown): unknown {
  const isTold = [DumpError, ExchangeError, ImportRuns, OtherOrigin].some((kind) => error instanceof kind)
  return isTold && error instanceof Error ? new CommandError(error.message, { cause: error }) : error
}

async function importDump(given: string, { course: said, title, origin }: Options): Promise<void> {
  const folder = fromHere(given)
  const slug = said ?? slugOf(basename(folder), 'imported')
  const course = { slug: checkedSlug(slug), title: checkedTitle(title ?? slug) }
  const started = performance.now()
  const shown = importProgress()
  try {
    const tally = await withDatabase(({ db }) =>
      importStackExchange(db, { folder, course, ...(origin !== undefined && { origin }), onProgress: shown }),
    )
    shown.done()
    console.log(`${importTable(tally)}\n\nimported into the course "${slug}" in ${secondsSince(started)} s`)
  } catch (error) {
    shown.done()
    throw explained(error)
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
