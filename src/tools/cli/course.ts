import { Argument, type Command, Option } from 'commander'
import { stringify } from 'csv-stringify/sync'
import { categoryMaking, courseMaking } from '../../forum/course-settings/operations.ts'
import { SlugTaken } from '../../forum/courses/commands.ts'
import { LectureFileError, readLectures } from '../../forum/courses/lecture-file.ts'
import { allCourses } from '../../forum/courses/queries.ts'
import { lectureAdding } from '../../forum/lectures/operations.ts'
import { coursePath } from '../../web/paths.ts'
import { languageArgument, lineArgument, slugArgument, timeZoneArgument } from './course-arguments.ts'
import { courseCalled } from './course-called.ts'
import { deleteCourseCalled } from './course-delete.ts'
import { member, NONE } from './course-member.ts'
import { SWITCH, settings } from './course-settings.ts'
import { fromHere } from './from-here.ts'
import { performAsOperator } from './perform.ts'
import { CommandError, withDatabase } from './run.ts'
import { textTable } from './table.ts'

export function addCourse(program: Command): void {
  const course = program.command('course').description('create and manage courses')
  course
    .command('create')
    .description('create a course')
    .requiredOption('--title <title>', 'its title')
    .option('--slug <slug>', 'its name in addresses (default: from the title)')
    .option('--field <field>', 'its subject, e.g. Backend')
    .option('--description <text>', 'a sentence or two about it')
    .option('--language <language>', 'en or ko', 'en')
    .option('--time-zone <name>', 'e.g. Asia/Seoul (default: TIME_ZONE or this machine’s)')
    .option('--private', 'for its members only')
    .action(create)
  course
    .command('lectures')
    .description('set its lectures from a CSV file with position and title, or only titles')
    .argument('<slug>', 'the course')
    .argument('<file>')
    .action(lectures)
  course
    .command('member')
    .description('give someone a role, or remove them with the role none')
    .argument('<slug>', 'the course')
    .argument('<email>', 'their email address')
    .addArgument(new Argument('<role>').choices(['learner', 'assistant', 'instructor', NONE]))
    .action(member)
  course
    .command('category')
    .description('add a category of questions')
    .argument('<slug>', 'the course')
    .argument('<name>', 'the category')
    .action(category)
  course
    .command('settings')
    .description('change private questions, anonymous posts and the response time goal')
    .argument('<slug>', 'the course')
    .addOption(
      new Option('--private-questions <switch>', 'questions that only staff can read').choices(SWITCH),
    )
    .addOption(new Option('--anonymous <switch>', 'names that only staff can see').choices(SWITCH))
    .option('--promise-hours <hours>', 'response time goal in hours, or none')
    .action(settings)
  course
    .command('delete')
    .description('delete it for good with everything in it; without --name, only show what would be deleted')
    .argument('<slug>', 'the course')
    .option('--name <title>', 'its title, to confirm')
    .action(deleteCourseCalled)
  course.command('list').description('show all courses').action(list)
}

interface CreateOptions {
  readonly title: string
  readonly slug?: string
  readonly field?: string
  readonly description?: string
  readonly language: string
  readonly timeZone?: string
  readonly private?: boolean
}

async function create(options: CreateOptions): Promise<void> {
  const given = checked(options)
  await withDatabase(async (tools) => {
    const { config } = tools
    const course = { time_zone: config.timeZone, ...USUAL, ...given }
    const { slug } = await performAsOperator(tools, courseMaking, null, course).catch(refuseTakenSlug)
    console.log(`created the course "${course.title}" (${slug}): ${config.baseUrl}${coursePath(slug)}`)
  })
}

/** What a course begins with that the command doesn't ask for. */
const USUAL = { asking: 'everybody', accent: 'green', allows_private: true }

function checked({ title, slug, field, description, language, timeZone, ...options }: CreateOptions) {
  return {
    title: lineArgument('--title', title, 150),
    ...(slug === undefined ? {} : { slug: slugArgument(slug) }),
    ...(field === undefined ? {} : { field: lineArgument('--field', field, 50) }),
    ...(description === undefined ? {} : { description: lineArgument('--description', description, 2000) }),
    language: languageArgument(language),
    ...(timeZone === undefined ? {} : { time_zone: timeZoneArgument(timeZone) }),
    visibility: options.private === true ? 'private' : 'public',
  }
}

async function lectures(slug: string, file: string): Promise<void> {
  const read = await readLectures(fromHere(file)).catch((error: unknown) => {
    throw error instanceof LectureFileError ? new CommandError(error.message, { cause: error }) : error
  })
  await withDatabase(async (tools) => {
    const course = await courseCalled(tools.db, slug)
    const list = stringify([['position', 'title'], ...read.map(({ position, title }) => [position, title])])
    const input = { lectures: list, mode: 'replace' }
    const { kept } = await performAsOperator(tools, lectureAdding, slug, input)
    for (const { position, title } of kept)
      console.log(`kept, because it has questions: ${position} · ${title}`)
    console.log(`"${course.title}" has ${read.length + kept.length} lectures`)
  })
}

async function category(slug: string, given: string): Promise<void> {
  const name = lineArgument('the name', given, 50)
  await withDatabase(async (tools) => {
    const course = await courseCalled(tools.db, slug)
    await performAsOperator(tools, categoryMaking, slug, { name })
    console.log(`"${course.title}" has the category "${name}"`)
  })
}

async function list(): Promise<void> {
  await withDatabase(async ({ db }) => {
    const courses = await allCourses(db)
    if (courses.length === 0) return console.log('there are no courses; create one with course create')
    const rows = courses.map((course) => [
      course.isPublic ? 'public' : 'private',
      course.language,
      String(course.lecturesCount),
      String(course.membersCount),
      String(course.questionsCount),
      course.slug,
      course.title,
    ])
    console.log(
      textTable([['access', 'language', 'lectures', 'members', 'questions', 'slug', 'title'], ...rows]),
    )
  })
}

/** @throws CommandError where another course has the slug, else what came */
function refuseTakenSlug(error: unknown): never {
  throw error instanceof SlugTaken
    ? new CommandError(`${error.message}; choose another --slug`, { cause: error })
    : error
}
