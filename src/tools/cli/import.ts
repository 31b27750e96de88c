import { basename } from 'node:path'
import { type Command, Option } from 'commander'
import { pictureStore } from '../../forum/pictures/picture-store.ts'
import { importExchange, tryExchange } from '../../operating/exchange/course-import.ts'
import { ExchangeError } from '../../operating/exchange/exchange-error.ts'
import { ImportRuns } from '../../operating/exchange/import-run.ts'
import type { ImportTally } from '../../operating/exchange/import-tally.ts'
import { cleanLine } from '../../operating/foreign/clean-text.ts'
import { importSource, trySource } from '../../operating/imports/foreign-import.ts'
import { CAREFUL, type Choices, type Converted, type Source } from '../../operating/imports/source.ts'
import { SOURCES } from '../../operating/imports/sources.ts'
import { noteCommand } from '../../operating/transfer/brought-import.ts'
import { toldOf } from '../../operating/transfer/import-job.ts'
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
  readonly dryRun?: boolean
  readonly anonymous?: Choices['anonymous']
  readonly groups?: Choices['groups']
  readonly pictures?: boolean
  readonly to?: string
}

/** What each source is called, and the file that it gives. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  moodle: 'the forums of a course backup of Moodle (.mbz), those of moodleoverflow too',
  piazza: 'a course from Piazza: its zip with class_content.json or class_content_flat.json, and users.json',
  stackexchange: 'a Stack Exchange dump: the folder with Posts.xml, Users.xml, Comments.xml, PostHistory.xml',
  ed: 'Ed Discussion: threads.json, or threads as its API answers',
  canvas: 'discussions of Canvas: a file a topic, with what its API answers',
  csv: 'a table of posts with the columns of the usual export tool for Canvas',
  discourse: 'a category of Discourse: the JSON file that its export:categories writes',
  stackoverflow: 'the zip of Stack Overflow for Teams, with posts.json and users.json',
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
  for (const source of SOURCES)
    from
      .command(source.name)
      .description(`import ${DESCRIPTIONS[source.name] ?? source.name}`)
      .argument('<path>', 'the folder or file')
      .option(
        '--course <slug>',
        'the course to import into; created if there is none (default: named after the file)',
      )
      .option('--title <title>', 'the title of a created course (default: its slug)')
      .option('--origin <name>', 'the site and course it comes from (default: what the files say)')
      .addOption(
        new Option('--anonymous <who>', 'who knows who wrote anonymously, where the files don’t say')
          .choices(['keep', 'drop'])
          .default(CAREFUL.anonymous),
      )
      .addOption(
        new Option('--groups <how>', 'topics that perhaps only a group read: held for staff, or shown')
          .choices(['hold', 'show'])
          .default(CAREFUL.groups),
      )
      .option('--pictures', 'fetch pictures of other sites that texts show (default: they are links)')
      .option('--dry-run', 'only show what would come')
      .option('--to <folder>', 'only write it to a folder, in the exchange format')
      .action((path: string, options: Options) => importForeign(source, path, options))
}

async function importExport(given: string, { course: said = '', title, origin, dryRun = false }: Options) {
  const path = fromHere(given)
  const slug = checkedSlug(said)
  const course = { slug, ...(title !== undefined && { title: checkedTitle(title) }) }
  await shown(async (onProgress) => {
    if (dryRun) return `${importTable(await tryExchange(path))}\n\n${NOTHING}`
    const { tally } = await withDatabase(async ({ db, config }) => {
      const given = { path, course, onProgress, ...(origin !== undefined && { origin }) }
      const imported = await importExchange(db, pictureStore(config), given)
      await noteCommand(db, { ...imported, ...toldOf(imported), name: basename(path), choices: CAREFUL })
      return imported
    })
    return `${importTable(tally)}\n\nimported into the course "${slug}"`
  })
}

const NOTHING = 'nothing was imported'

async function importForeign(source: Source, given: string, options: Options): Promise<void> {
  const {
    course: said,
    title,
    origin = null,
    anonymous,
    groups,
    pictures = false,
    dryRun = false,
    to,
  } = options
  const path = fromHere(given)
  const slug = said ?? slugOf(basename(path), 'imported')
  const course = { slug: checkedSlug(slug), title: checkedTitle(title ?? slug) }
  const choices = { ...(anonymous && { anonymous }), ...(groups && { groups }) }
  const chosen = { ...CAREFUL, ...choices }
  await shown(async (onProgress) => {
    const conversion = { path, source, course, origin, choices, pictures, onProgress }
    if (to !== undefined)
      return `${tableOf(await trySource(conversion, fromHere(to)), chosen)}\n\nwritten to ${to}`
    if (dryRun) return `${tableOf(await trySource(conversion), chosen)}\n\n${NOTHING}`
    const told = await withDatabase(async ({ db, config }) => {
      const imported = await importSource(db, pictureStore(config), conversion)
      await noteCommand(db, { ...imported, ...toldOf(imported), name: basename(path), choices: chosen })
      return imported
    })
    return `${tableOf(told, chosen)}\n\nimported into the course "${slug}"`
  })
}

/** With what the files don't say, and which options say it. */
function tableOf(
  { tally, asks = [], unread = [] }: { tally: ImportTally } & Converted,
  chosen: Choices,
): string {
  const table = importTable({ counts: tally.counts, notes: tally.notes, unread })
  const open = asks.filter((asked) => chosen[asked] === CAREFUL[asked])
  return [table, ...open.map((asked) => ASKED[asked])].join('\n\n')
}

const ASKED: Readonly<Record<keyof Choices, string>> = {
  anonymous:
    'The files have names of people who wrote anonymously, and don’t say from whom they were kept. They are dropped, unless you add --anonymous keep: then staff know them.',
  groups:
    'The files don’t say of all topics who could read them, or which posts were reviewed. Those wait for staff, unless you add --groups show: then all members read them.',
}

/** Does it with its progress, and then tells how long it took. */
async function shown(work: (progress: ReturnType<typeof importProgress>) => Promise<string>): Promise<void> {
  const started = performance.now()
  const progress = importProgress()
  try {
    const told = await work(progress)
    progress.done()
    console.log(told.endsWith(NOTHING) ? told : `${told} in ${secondsSince(started)} s`)
  } catch (error) {
    progress.done()
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
  const isTold = error instanceof ExchangeError || error instanceof ImportRuns
  return isTold ? new CommandError(error.message, { cause: error }) : error
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
