import { Command, InvalidArgumentError, Option } from 'commander'
import { type CostOptions, costSection } from './costs.ts'
import { type ExamNightOptions, examNightSection } from './exam-night/exam-night.ts'
import { type SoakOptions, soakSection } from './exam-night/soak.ts'
import { findingSection } from './finding/finding.ts'
import { formulaSection } from './formulas.ts'
import { type GrowthOptions, growthSection } from './growth.ts'
import { lighthouseSection } from './lighthouse.ts'
import { type MailOptions, mailSection } from './mail/mail.ts'
import { recallSection } from './recall.ts'
import { writePage, writeParts, writeSection } from './report.ts'
import type { SpeedOptions } from './speed/context.ts'
import { INTRODUCTION, speedSections } from './speed.ts'

const say = (line: string) => console.error(line)

const SERVER = new Option(
  '--server <url>',
  'a PostgreSQL server to keep the forum on; the embedded one otherwise',
).default(null)

const program = new Command('bench')
  .description('Measures the forum, prints tables and writes them to docs/bench.')
  .showHelpAfterError('(--help shows more)')

withGrowthOptions(program.command('growth'))
  .description('times of pages and searches in forums of several sizes')
  .action(measureGrowth)

program.command('recall').description('how well questions are found').action(measureRecall)

program
  .command('formulas')
  .description('how many formulas of a Stack Exchange dump are shown')
  .argument('<file>', 'Posts.xml of a dump')
  .action(measureFormulas)

program
  .command('finding')
  .description('how well similar questions find the one that asks the same, beside plain rankings')
  .argument('[data]', 'folder of the judged questions; ../shared/data otherwise')
  .action(measureFinding)

withForumOptions(program.command('speed'), [1000])
  .description('speed of pages and writes, beside references')
  .option('--seconds <number>', 'length of each run', count, 2)
  .option('--rounds <number>', 'runs of each load; the median counts', count, 3)
  .option('--writes <number>', 'writes whose visibility is measured', count, 200)
  .option('--minutes <number>', 'minutes of reads and writes before cached pages are compared', count, 1)
  .option('--only <parts>', 'of visitors, people, workers, process, stale, consistency, answers', names, [])
  .action(measureSpeed)

program
  .command('lighthouse')
  .description('Lighthouse scores of pages on a phone, in both themes')
  .addOption(SERVER)
  .action(measureWithLighthouse)

withNightOptions(program.command('exam-night'))
  .description(
    'times of pages while thousands read and write at a fixed rate, forum and PostgreSQL on one core',
  )
  .option('--seconds <number>', 'length', count, 60)
  .action(measureExamNight)

withNightOptions(program.command('soak'))
  .description(
    'an exam night for many minutes, from a cold start: memory, event loop and database minute by minute',
  )
  .option('--minutes <number>', 'length', count, 90)
  .action(measureSoak)

program
  .command('mail')
  .description(
    'emails a second to a mail server on this machine, and how long one waits beside an announcement',
  )
  .option('--people <number>', 'people whom the announcement is mailed to', count, 4000)
  .option('--connections <number>', 'MAIL_CONNECTIONS', count, 10)
  .addOption(SERVER)
  .action(measureMail)

program
  .command('costs')
  .description('processor time of each kind of request beside the sign-in page, one after another')
  .option('--questions <number>', 'questions of the forum', count, 1000)
  .option('--rounds <number>', 'turns of each kind of request', count, 30)
  .addOption(SERVER)
  .action(measureCosts)

await program.parseAsync()

async function measureGrowth(options: GrowthOptions): Promise<void> {
  const section = await growthSection(options, say)
  console.log(section)
  // A partial run must not replace all measures.
  if (options.only === '') await writeSection('growth', section)
}

async function measureRecall(): Promise<void> {
  const section = await recallSection(say)
  console.log(section)
  await writeSection('recall', section)
}

async function measureFinding(data: string | undefined): Promise<void> {
  const section = await findingSection(data ?? null, say)
  console.log(section)
  await writeSection('similar', section)
}

async function measureFormulas(file: string): Promise<void> {
  const section = await formulaSection(file)
  console.log(section)
  const about =
    'Written by `npm run bench -- formulas FILE`, from the dump of quantumcomputing.stackexchange.com of 2018.'
  await writePage('formulas', 'Formulas, counted', [about, section].join('\n\n'))
}

async function measureSpeed(options: SpeedOptions): Promise<void> {
  const sections = await speedSections(options, say)
  console.log(sections.join('\n\n'))
  // A partial run must not replace all measures.
  if (options.only.length === 0) await writeParts('speed', `# Speed, measured\n\n${INTRODUCTION}`, sections)
}

async function measureExamNight(options: ExamNightOptions): Promise<void> {
  const section = await examNightSection(options, say)
  console.log(section)
  // Sections below it stay: what a request costs was measured otherwise.
  await writeParts(
    'exam-night',
    `# Exam night\n\nWritten by \`npm run bench -- exam-night\`.\n\n${section}`,
    [],
  )
}

async function measureSoak(options: SoakOptions): Promise<void> {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  const write = (section: string) =>
    writePage('soak', 'A long exam night', `Written by \`npm run bench -- soak\`.\n\n${section}`)
  await soakSection(options, say, write, stopping.signal)
}

async function measureMail(options: MailOptions): Promise<void> {
  const section = await mailSection(options, say)
  console.log(section)
  await writePage('mail', 'Email, measured', `Written by \`npm run bench -- mail\`.\n\n${section}`)
}

async function measureCosts(options: CostOptions): Promise<void> {
  const section = await costSection(options, say)
  console.log(section)
  const heading = `## ${options.questions} questions`
  await writeParts('costs', '# What a request costs\n\nWritten by `npm run bench -- costs`.', [
    `${heading}\n\n${section}`,
  ])
}

async function measureWithLighthouse(options: { readonly server: string | null }): Promise<void> {
  const section = await lighthouseSection(options.server, say)
  console.log(section)
  await writePage('lighthouse', 'Lighthouse', section)
}

function withForumOptions(command: Command, usual: number[]): Command {
  return command.option('--sizes <numbers>', 'numbers of questions', sizes, usual).addOption(SERVER)
}

function withNightOptions(command: Command): Command {
  return command
    .option('--questions <number>', 'questions of the forum', count, 3000)
    .option('--people <number>', 'people who are signed in', count, 3000)
    .option('--pages <number>', 'pages a second', count, 100)
    .option('--writes <number>', 'answers a second', count, 3)
    .option('--streams <number>', 'open streams', count, 300)
    .addOption(SERVER)
}

function withGrowthOptions(command: Command): Command {
  return withForumOptions(command, [1000, 10_000, 100_000, 1_000_000])
    .option('--runs <number>', 'runs of each query', count, 200)
    .option(
      '--best-of <number>',
      'run each query this often and take the minimum, on a busy machine',
      count,
      1,
    )
    .option('--only <text>', 'only measures whose name contains this', '')
}

function names(text: string): string[] {
  return text.split(',')
}

function count(text: string): number {
  if (/^[1-9]\d{0,7}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 1.')
}

function sizes(text: string): number[] {
  return text
    .split(',')
    .map(count)
    .toSorted((one, other) => one - other)
}
