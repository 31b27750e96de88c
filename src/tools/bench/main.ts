import { Command, InvalidArgumentError, Option } from 'commander'
import { costSection } from './costs.ts'
import { examNightSection } from './exam-night/exam-night.ts'
import { findingSection } from './finding/finding.ts'
import { growthSection } from './growth.ts'
import { mailSection } from './mail/mail.ts'
import { speedSections } from './speed.ts'
import { webhookSection } from './webhooks.ts'

const say = (line: string) => console.error(line)

const SERVER = new Option(
  '--server <url>',
  'a PostgreSQL server to keep the forum on; the embedded one otherwise',
).default(null)

const program = new Command('bench')
  .description('Measures the forum and prints tables; docs/bench/README.md has the current figures.')
  .showHelpAfterError('(--help shows more)')

program
  .command('growth')
  .description('times of pages and searches in forums of several sizes')
  .option('--sizes <numbers>', 'numbers of questions', sizes, [1000, 10_000, 100_000, 1_000_000])
  .addOption(SERVER)
  .option('--runs <number>', 'runs of each query', count, 200)
  .option('--best-of <number>', 'run each query this often and take the minimum, on a busy machine', count, 1)
  .option('--only <text>', 'only measures whose name contains this', '')
  .action(printed(growthSection))

program
  .command('finding')
  .description('how well searches and similar questions find what is right, query by query')
  .addOption(
    new Option('--data <folder>', 'of the questions that are not shipped; ../shared/data otherwise').default(
      null,
    ),
  )
  .addOption(new Option('--save <file>', 'write the rank of each query, one JSON a line').default(null))
  .addOption(new Option('--against <file>', 'compare with the ranks of an earlier run').default(null))
  .option('--only <text>', 'only collections whose name contains this', '')
  .action(printed(findingSection))

program
  .command('speed')
  .description('speed of pages and writes, beside references')
  .option('--sizes <numbers>', 'numbers of questions', sizes, [1000])
  .addOption(SERVER)
  .option('--seconds <number>', 'length of each run', count, 2)
  .option('--rounds <number>', 'runs of each load; the median counts', count, 3)
  .option('--only <parts>', 'of people, visitors, process, answers', names, [])
  .action(printed(speedSections))

program
  .command('exam-night')
  .description(
    'times of pages while thousands read and write at a fixed rate, forum and PostgreSQL on one core',
  )
  .option('--questions <number>', 'questions of the forum', count, 3000)
  .option('--people <number>', 'people who are signed in', count, 3000)
  .option('--pages <number>', 'pages a second', count, 100)
  .option('--writes <number>', 'answers a second', count, 3)
  .option('--streams <number>', 'open streams', count, 300)
  .addOption(SERVER)
  .option('--seconds <number>', 'length', count, 60)
  .action(printed(examNightSection))

program
  .command('mail')
  .description(
    'emails a second to a mail server on this machine, and how long one waits beside an announcement',
  )
  .option('--people <number>', 'people whom the announcement is mailed to', count, 4000)
  .option('--connections <number>', 'MAIL_CONNECTIONS', count, 10)
  .addOption(SERVER)
  .action(printed(mailSection))

program
  .command('webhooks')
  .description('how late webhooks are told, while some receivers don’t answer')
  .option('--receivers <number>', 'receivers, each told once a second', count, 100)
  .option('--dead <number>', 'of these, those that never answer', count, 10)
  .option('--seconds <number>', 'length', count, 100)
  .addOption(SERVER)
  .action(printed(webhookSection))

program
  .command('costs')
  .description('processor time of each kind of request beside the sign-in page, one after another')
  .option('--questions <number>', 'questions of the forum', count, 1000)
  .option('--rounds <number>', 'turns of each kind of request', count, 30)
  .addOption(SERVER)
  .action(printed(costSection))

await program.parseAsync()

/** An action that prints the section which a bench returns. */
function printed<Options>(sectionOf: (options: Options, say: (line: string) => void) => Promise<string>) {
  return async (options: Options) => console.log(await sectionOf(options, say))
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
