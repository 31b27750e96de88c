import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { termsOfNews } from '../../forum/announcements/announcement.ts'
import { TITLE } from '../../forum/posts/form.ts'
import { slugOf } from '../../text/slug.ts'
import { cleanLine, cut } from '../foreign/clean-text.ts'
import { importedTag } from '../foreign/imported-tag.ts'
import { questionTitle } from '../foreign/question-title.ts'
import type { Line, LineKind } from './format.ts'
import { namedBy, peopleOf, someone } from './imported-people.ts'
import { postsOf } from './imported-posts.ts'
import { importedText } from './imported-text.ts'
import type { Importing } from './post-batch.ts'
import { destinationsOf } from './post-links.ts'

/** Lectures, categories, tags, announcements, the FAQ and rules of an export, as they are shown with its posts. There are few. */
export async function bringPlaces(write: Write, importing: Importing): Promise<void> {
  await bringLectures(write, importing)
  await bringCategories(write, importing)
  await bringTags(write, importing)
  await bringAnnouncements(write, importing)
  await bringFaq(write, importing)
  await bringRules(write, importing)
}

type Thing = 'lecture' | 'category' | 'announcement' | 'faq' | 'tag'
const COLUMNS = {
  lecture: 'lecture_id',
  category: 'category_id',
  announcement: 'announcement_id',
  faq: 'faq_entry_id',
  tag: 'tag_id',
} as const

async function allOf<Kind extends LineKind>({ folder }: Importing, kind: Kind): Promise<Line<Kind>[]> {
  const lines: Line<Kind>[] = []
  for await (const { line } of folder.lines(kind)) lines.push(line)
  return lines
}

/** The ids of what earlier runs, or this one, brought. */
async function known(write: Write, { run }: Importing, kind: Thing): Promise<Map<string, number>> {
  const rows = await write
    .selectFrom('imported_things')
    .select(['external_id', `${COLUMNS[kind]} as id`])
    .where('course_id', '=', run.courseId)
    .where('source', '=', run.source)
    .where('origin', '=', run.origin)
    .where('kind', '=', kind)
    .execute()
  return new Map(rows.map((row) => [row.external_id, row.id ?? 0]))
}

/** @param isNew it was made for this run */
async function remember(
  write: Write,
  { run }: Importing,
  kind: Thing,
  id: string,
  thing: number,
  isNew: boolean,
): Promise<void> {
  const { courseId, source, origin } = run
  await write
    .insertInto('imported_things')
    .values({
      ...{ course_id: courseId, source, origin, kind, external_id: id, run_id: isNew ? run.id : null },
      [COLUMNS[kind]]: thing,
    })
    .execute()
}

/** One with the same title is the same; another takes its place in the order, or the next that is free. */
async function bringLectures(write: Write, importing: Importing): Promise<void> {
  const before = await known(write, importing, 'lecture')
  const { courseId } = importing.run
  for (const { id, title: given, position } of await allOf(importing, 'lectures')) {
    if (before.has(id)) continue
    const title = cut(cleanLine(given), 150) || `${position}`
    const { rows } = await sql<{ id: number; is_new: boolean }>`
      with same as (select id from lectures where course_id = ${courseId} and title = ${title} order by position limit 1),
      made as (
        insert into lectures (course_id, position, title)
        select ${courseId}, case when exists (select from lectures where course_id = ${courseId} and position = ${position})
          then (select max(position) + 1 from lectures where course_id = ${courseId}) else ${position} end, ${title}
        where not exists (select from same) returning id)
      select id, false as is_new from same union all select id, true from made`.execute(write)
    const [lecture] = rows
    if (lecture !== undefined) await remember(write, importing, 'lecture', id, lecture.id, lecture.is_new)
  }
}

/** One with the same address, or the same name, is the same. */
async function bringCategories(write: Write, importing: Importing): Promise<void> {
  const before = await known(write, importing, 'category')
  const { courseId } = importing.run
  for (const { id, name: given, slug: there, position } of await allOf(importing, 'categories')) {
    if (before.has(id)) continue
    const name = cut(cleanLine(given), 50) || 'Category'
    const slug = slugOf(there === '' ? name : there, 'category')
    const { rows } = await sql<{ id: number; is_new: boolean }>`
      with same as (
        select id from categories where course_id = ${courseId} and (slug = ${slug} or name = ${name})
        order by slug <> ${slug}, position limit 1),
      made as (
        insert into categories (course_id, slug, name, position) select ${courseId}, ${slug}, ${name}, ${position}
        where not exists (select from same) returning id)
      select id, false as is_new from same union all select id, true from made`.execute(write)
    const [category] = rows
    if (category !== undefined) await remember(write, importing, 'category', id, category.id, category.is_new)
  }
}

/** What a tag means, and other words for it, where the course says nothing of it yet. */
async function bringTags(write: Write, importing: Importing): Promise<void> {
  const before = await known(write, importing, 'tag')
  const { courseId } = importing.run
  for (const { name: given, description, aliases } of await allOf(importing, 'tags')) {
    const name = importedTag(cleanLine(given))
    if (name === '') continue
    await sql`insert into tags (name) values (${name}) on conflict (name) do nothing`.execute(write)
    const { rows } = await sql<{ id: number; is_new: boolean }>`
      select id, not exists (select from course_tags where tag_id = tags.id and course_id = ${courseId}) as is_new
      from tags where name = ${name}`.execute(write)
    const [tag] = rows
    if (tag?.is_new === true && !before.has(name)) await remember(write, importing, 'tag', name, tag.id, true)
    await sql`
      insert into course_tags (course_id, tag_id, description)
      select ${courseId}, id, ${cut(cleanLine(description), 200)} from tags where name = ${name}
      on conflict (course_id, tag_id) do update set description = excluded.description where course_tags.description = ''`.execute(
      write,
    )
    const words = [...new Set(aliases.map((alias) => importedTag(cleanLine(alias))))].filter(
      (word) => word !== '' && word !== name,
    )
    await sql`
      insert into tag_aliases (course_id, name, tag_id)
      select ${courseId}, word, tags.id from unnest(${words}::text[]) as word join tags on tags.name = ${name}
      where not exists (
        select from course_tags as other join tags as meant on meant.id = other.tag_id
        where other.course_id = ${courseId} and meant.name = word)
      on conflict do nothing`.execute(write)
  }
}

async function bringAnnouncements(write: Write, importing: Importing): Promise<void> {
  const before = await known(write, importing, 'announcement')
  const { run, people } = importing
  const lines = await allOf(importing, 'announcements')
  const destinations = await destinationsOf(
    write,
    importing,
    lines.map(({ body }) => body),
  )
  for (const [index, line] of lines.entries()) {
    if (before.has(line.id)) {
      run.tally.skipped('announcements', 'imported before')
      continue
    }
    const at = { writtenAt: new Date(line.published_at), place: index }
    const author = namedBy(line.author, people, at) ?? someone(at.writtenAt)
    const authorId = (await peopleOf(write, run, [author])).get(author.key) ?? 0
    const title = questionTitle(line.title, line.id).title
    const body = cut((await importedText(line.body, destinations)).source, 30_000)
    const { id } = await write
      .insertInto('announcements')
      .values({
        ...{ course_id: run.courseId, author_id: authorId, title, body, version: line.version },
        terms: await termsOfNews({ title, body }),
        published_at: at.writtenAt,
        edited_at: line.edited_at === null ? null : new Date(line.edited_at),
        corrects_id: line.corrects === null ? null : (before.get(line.corrects) ?? null),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    before.set(line.id, id)
    await remember(write, importing, 'announcement', line.id, id, true)
    run.tally.imported('announcements')
  }
}

async function bringFaq(write: Write, importing: Importing): Promise<void> {
  const before = await known(write, importing, 'faq')
  const { run } = importing
  const lines = await allOf(importing, 'faq')
  const destinations = await destinationsOf(
    write,
    importing,
    lines.flatMap(({ body }) => body ?? []),
  )
  const questions = await postsOf(
    write,
    run,
    'question',
    lines.flatMap(({ question }) => question ?? []),
  )
  for (const line of lines) {
    if (before.has(line.id)) continue
    const question = line.question === null ? null : (questions.get(line.question)?.id ?? null)
    if (question === null && (line.title === null || line.body === null)) continue
    const about = question === null ? await ownEntry(line, destinations) : { question_id: question }
    const made = await write
      .insertInto('faq_entries')
      .values({
        course_id: run.courseId,
        position: Math.min(line.position, 1_000_000),
        state: 'shown',
        ...about,
      })
      .onConflict((conflict) => conflict.columns(['course_id', 'question_id']).doNothing())
      .returning('id')
      .executeTakeFirst()
    if (made === undefined) continue
    await remember(write, importing, 'faq', line.id, made.id, true)
    run.tally.imported('FAQ entries')
  }
}

async function ownEntry(line: Line<'faq'>, destinations: Awaited<ReturnType<typeof destinationsOf>>) {
  const title = cut(questionTitle(line.title ?? '', line.id).title, TITLE.max)
  const body = cut((await importedText(line.body ?? '', destinations)).source, 30_000)
  return { title, body, terms: await termsOfNews({ title, body }) }
}

/** Where there are none. */
async function bringRules(write: Write, importing: Importing): Promise<void> {
  const { run, folder } = importing
  const { rules } = folder.course
  if (rules === null || rules.body === '') return
  const { source } = await importedText(rules.body, await destinationsOf(write, importing, [rules.body]))
  await sql`
    insert into policies (course_id, name, language, body)
    select ${run.courseId}, 'rules', ${rules.language}, ${cut(source, 30_000)}
    where not exists (select from policies where course_id = ${run.courseId})`.execute(write)
}

/** Who may read a course that was made for the run. Until the transaction ends, no one posts in it. */
export async function openCourse(write: Write, { run, folder: { course } }: Importing): Promise<void> {
  if (!run.makesCourse) return
  await write
    .updateTable('courses')
    .set({ is_public: course.is_public })
    .where('id', '=', run.courseId)
    .execute()
}
