import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { recount } from '../../database/recount.ts'
import type { Database } from '../../database/schema.ts'
import { fileStore } from '../../forum/pictures/store.ts'
import { countStaleDocuments } from '../../forum/search/index-question.ts'
import type { Ending } from '../../testing/at-end.ts'
import { testDatabase } from '../../testing/database.ts'
import { exportCourse } from './course-export.ts'
import { importExchange } from './course-import.ts'
import { aFolder, BASE_URL, readExport } from './course-testing.ts'

/**
 * Exports a course, imports it into an empty forum, and exports it there: both are the same but for ids, and the forum's counters and
 * search documents are right.
 * @param pictures the folder of its pictures
 * @returns the other forum
 */
export async function comesBack(
  t: Ending,
  from: Database,
  { slug, pictures }: { readonly slug: string; readonly pictures: string },
): Promise<Database> {
  const folder = await aFolder(t)
  const [path, again] = [join(folder, 'first'), join(folder, 'again')]
  await exportCourse(from, fileStore(pictures), { slug, path, baseUrl: BASE_URL, isPseudonymous: false })
  const db = await testDatabase(t)
  const store = fileStore(join(folder, 'others'))
  await importExchange(db, store, { path, course: { slug: 'moved' } })
  // Another forum: what leads to the first by its full address leads there still.
  const baseUrl = 'https://other.example'
  await exportCourse(db, store, { slug: 'moved', path: again, baseUrl, isPseudonymous: false })
  assert.deepEqual(withoutIds((await readExport(again)).lines), withoutIds((await readExport(path)).lines))
  const course = async (of: string) => JSON.parse(await readFile(join(of, 'course.json'), 'utf8'))
  const { source: _there, slug: _slug, ...there } = await course(path)
  const { source: _here, slug: _other, ...here } = await course(again)
  assert.deepEqual(here, there)
  assert.deepEqual(await recount(db), [])
  assert.equal(await countStaleDocuments(db), 0)
  return db
}

/** Lines with each id as the place of its line, and without what an import can't bring: addresses and files’ names. */
function withoutIds(lines: Awaited<ReturnType<typeof readExport>>['lines']) {
  const places = new Map<string, string>()
  for (const [kind, of] of Object.entries(lines))
    for (const [index, line] of of.entries())
      if ('id' in line) places.set(`${KIND[kind] ?? kind} ${line.id}`, `${kind} ${index}`)
  const people = lines.people.map(({ name, role }) => `${name}, ${role}`)
  const placed = (kind: string, id: string) =>
    kind === 'person'
      ? (lines.people.find((one) => one.id === id)?.name ?? '?')
      : (places.get(`${kind} ${id}`) ?? '?')
  const text = JSON.stringify({ ...lines, people: people.sort() })
    .replace(/\[#[^\]]*\]\(exchange/g, '[#](exchange')
    .replace(
      /exchange:(\w+)\/([^\s)"\\]*)/g,
      (_all, kind: string, id: string) => `exchange:${placed(kind, id)}`,
    )
    .replace(
      /"(id|question|answer|category|lecture|accepted_answer|of|by|person|path)":"([^"]*)"/g,
      (_all, member: string, id: string) =>
        `"${member}":"${member === 'by' || member === 'person' ? placed('person', id) : member === 'id' || member === 'path' ? '' : placed(MEMBER[member] ?? member, id)}"`,
    )
  return JSON.parse(text)
}

const KIND: Readonly<Record<string, string>> = {
  ...{ questions: 'question', answers: 'answer', replies: 'reply', people: 'person', files: 'file' },
  ...{ lectures: 'lecture', categories: 'category' },
}
const MEMBER: Readonly<Record<string, string>> = { accepted_answer: 'answer', of: 'question' }
