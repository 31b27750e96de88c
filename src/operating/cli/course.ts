import { Argument, type Command, Option } from 'commander'
import { addCategory, createCourse, SlugTaken, setLectures } from '../../forum/courses/commands.ts'
import { LectureFileError, readLectures } from '../../forum/courses/lecture-file.ts'
import { allCourses } from '../../forum/courses/queries.ts'
import { coursePath } from '../../web/paths.ts'
import { languageArgument, lineArgument, slugArgument, timeZoneArgument } from './course-arguments.ts'
import { courseCalled } from './course-called.ts'
import { deleteCourseCalled } from './course-delete.ts'
import { member, NONE } from './course-member.ts'
import { SWITCH, settings } from './course-settings.ts'
import { CommandError, withDatabase } from './run.ts'
import { textTable } from './table.ts'

export function addCourse(program: Command): void {
  const course = program.command('course').description('make and look after courses')
  course
    .command('create')
    .description('make a course')
    .requiredOption('--title <title>', 'what it is called')
    .option('--slug <slug>', 'its name in addresses; made from the title otherwise')
    .option('--field <field>', 'its sub-field, e.g. Backend')
    .option('--description <text>', 'what it is about, in a sentence or two')
    .option('--language <language>', 'en or ko', 'en')
    .option('--time-zone <name>', 'e.g. Asia/Seoul; TIME_ZONE or this machine’s otherwise')
    .option('--private', 'for its members only')
    .action(create)
  course
    .command('lectures')
    .description('set its lectures from a CSV file: position and title, or title alone')
    .argument('<slug>', 'the course')
    .argument('<file>')
    .action(lectures)
  course
    .command('member')
    .description('give somebody a role in it, or take them out of it with the role none')
    .argument('<slug>', 'the course')
    .argument('<email>', 'whose account')
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
    .description('change what learners may hide, and what its staff promise')
    .argument('<slug>', 'the course')
    .addOption(new Option('--private-questions <switch>', 'questions that staff alone read').choices(SWITCH))
    .addOption(new Option('--anonymous <switch>', 'names that staff alone see').choices(SWITCH))
    .option('--promise-hours <hours>', 'within how many hours staff mean to answer, or none')
    .action(settings)
  course
    .command('delete')
    .description('delete it for good with everything in it; without --name it only says what would go')
    .argument('<slug>', 'the course')
    .option('--name <title>', 'its title, typed: do it')
    .action(deleteCourseCalled)
  course.command('list').description('show all courses').action(list)
}

/** A year. */

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
  await withDatabase(async ({ config, db }) => {
    const course = { timeZone: config.timeZone, ...given }
    const { slug } = await refusingTakenSlug(() =>
      db.transaction().execute((write) => createCourse(write, course)),
    )
    console.log(`created the course "${course.title}" (${slug}): ${config.baseUrl}${coursePath(slug)}`)
  })
}

function checked({ title, slug, field, description, language, timeZone, ...options }: CreateOptions) {
  return {
    title: lineArgument('--title', title, 150),
    ...(slug === undefined ? {} : { slug: slugArgument(slug) }),
    ...(field === undefined ? {} : { field: lineArgument('--field', field, 50) }),
    ...(description === undefined ? {} : { description: lineArgument('--description', description, 2000) }),
    language: languageArgument(language),
    ...(timeZone === undefined ? {} : { timeZone: timeZoneArgument(timeZone) }),
    isPublic: options.private !== true,
  }
}

async function lectures(slug: string, file: string): Promise<void> {
  const read = await readLectures(file).catch((error: unknown) => {
    throw error instanceof LectureFileError ? new CommandError(error.message, { cause: error }) : error
  })
  await withDatabase(async ({ db }) => {
    const course = await courseCalled(db, slug)
    const stayed = await db.transaction().execute((write) => setLectures(write, course.id, read))
    for (const { position, title } of stayed)
      console.log(`kept, as questions are about it: ${position} · ${title}`)
    console.log(`"${course.title}" has ${read.length + stayed.length} lectures`)
  })
}

async function category(slug: string, given: string): Promise<void> {
  const name = lineArgument('the name', given, 50)
  await withDatabase(async ({ db }) => {
    const course = await courseCalled(db, slug)
    await db.transaction().execute((write) => addCategory(write, course.id, name))
    console.log(`"${course.title}" has the category "${name}"`)
  })
}

async function list(): Promise<void> {
  await withDatabase(async ({ db }) => {
    const courses = await allCourses(db)
    if (courses.length === 0) return console.log('there are no courses; course create makes one')
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
      textTable([['open to', 'language', 'lectures', 'members', 'questions', 'slug', 'title'], ...rows]),
    )
  })
}

async function refusingTakenSlug<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof SlugTaken
      ? new CommandError(`${error.message}; choose another --slug`, { cause: error })
      : error
  }
}
