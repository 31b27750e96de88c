import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { addMember, createCourse, setLectures } from '../../forum/courses/commands.ts'
import { slugOf } from '../../text/slug.ts'
import { COURSES, LECTURES } from './course-titles.ts'
import { NOUNS, TOOLS } from './english-words.ts'
import { coursesFor, type Plan, type PlannedCourse, tagsFor } from './plan.ts'
import { listOf } from './words.ts'

/** The staff of a course, the first of its generated people. */
const STAFF_COUNT = 3

/** Creates the courses, or reuses those of an earlier run; `slug` names a single course instead. */
export async function foundCourses(
  write: Write,
  { slug, questions, firstPerson }: { slug: string | null; questions: number; firstPerson: number },
): Promise<PlannedCourse[]> {
  const titles = COURSES.slice(0, coursesFor(questions))
  const wanted =
    slug === null
      ? titles.map(([title, field, language]) => ({ slug: slugOf(title), title, field, language }))
      : [{ slug, title: slug, field: '', language: 'en' as const }]
  const courses: PlannedCourse[] = []
  for (const [index, course] of wanted.entries()) {
    const staff = Array.from({ length: STAFF_COUNT }, (_, place) => firstPerson + index * STAFF_COUNT + place)
    courses.push(await foundCourse(write, course, staff))
  }
  return courses
}

async function foundCourse(
  write: Write,
  course: { slug: string; title: string; field: string; language: 'en' | 'ko' },
  staff: readonly number[],
): Promise<PlannedCourse> {
  const known = await write
    .selectFrom('courses')
    .select('id')
    .where('slug', '=', course.slug)
    .executeTakeFirst()
  const { id } = known ?? (await createCourse(write, { ...course, timeZone: 'Asia/Seoul' }))
  if (known === undefined) {
    await setLectures(
      write,
      id,
      LECTURES.map((title, index) => ({ position: index + 1, title })),
    )
  }
  const [instructor, ...assistants] = staff
  if (instructor !== undefined) await addMember(write, id, instructor, 'instructor')
  for (const assistant of assistants) await addMember(write, id, assistant, 'assistant')
  const lectures = await write
    .selectFrom('lectures')
    .select('id')
    .where('course_id', '=', id)
    .orderBy('position')
    .execute()
  const category = await write
    .selectFrom('categories')
    .select('id')
    .where('course_id', '=', id)
    .orderBy('position')
    .executeTakeFirstOrThrow()
  return { id, categoryId: category.id, lectureIds: lectures.map((lecture) => lecture.id), staff }
}

/** The tags of questions, most frequent first: tools and topics, then combinations of the two. */
export async function foundTags(write: Write, questions: number): Promise<Plan['tags']> {
  const names = tagNames(tagsFor(questions))
  await sql`insert into tags (name) select * from unnest(${names}::text[]) on conflict (name) do nothing`.execute(
    write,
  )
  const { rows } = await sql<{ id: number; name: string }>`
    select tags.id, tags.name from unnest(${names}::text[]) with ordinality as wanted (name, place)
    join tags using (name) order by place`.execute(write)
  return rows
}

function tagNames(count: number): string[] {
  const tools = listOf(TOOLS).map((tool) => tool.toLowerCase())
  const topics = listOf(NOUNS)
  const single = tools.flatMap((tool, index) => [tool, topics[index] ?? tool])
  const double = topics.slice(0, 60).flatMap((topic) => tools.slice(0, 80).map((tool) => `${tool}-${topic}`))
  return [...new Set([...single, ...double])].filter((name) => name.length <= 32).slice(0, count)
}
