import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { batches, insertRows, takeIds } from '../foreign/bulk.ts'
import { importedName, isReserved } from '../foreign/display-name.ts'
import { type CourseImport, SOURCE } from './course-import.ts'
import type { DumpFolder, DumpRow } from './dump.ts'
import { stageRows } from './staging.ts'

/** The author of a row of the dump: a user, or only the name of a removed user. */
export interface Author {
  /** The user's id; for a removed user an id derived from the name, see formerMember. */
  readonly sourceId: number
  /** The name of a removed user; null: look the name up among the users. */
  readonly name: string | null
  readonly wroteAt: Date
}

/** A removed user whose name the dump doesn't hold either, or whose name an account may not have. */
const NAMELESS = 'Former member'

/** The author of a post (`Owner…`) or of a comment (`User…`). */
export function authorOf(row: DumpRow, prefix: 'Owner' | '', writtenAt: Date): Author {
  const sourceId = row.optionalId(`${prefix}UserId`)
  if (sourceId !== null) return { sourceId, name: null, wroteAt: writtenAt }
  return formerMember(row.text(prefix === '' ? 'UserDisplayName' : 'OwnerDisplayName') ?? NAMELESS, writtenAt)
}

/**
 * Finds the people for these authors: those of earlier imports, and new people, enrolled as learners, for the rest.
 * @returns the author's source id → the person's id
 */
export async function peopleOf(
  course: Pick<CourseImport, 'write' | 'courseId' | 'origin'>,
  authors: readonly Author[],
): Promise<Map<number, number>> {
  const { write, courseId, origin } = course
  if (authors.length === 0) return new Map()
  await stageUnknown(write, authors)
  const sourceIds = [...new Set(authors.map((author) => author.sourceId))]
  const known = await write
    .selectFrom('imported_people')
    .select(['external_id', 'person_id'])
    .where('course_id', '=', courseId)
    .where('source', '=', SOURCE)
    .where('origin', '=', origin)
    .where('external_id', 'in', sourceIds.map(String))
    .execute()
  const people = new Map(known.map((row) => [Number(row.external_id), row.person_id]))
  const missing = sourceIds.filter((sourceId) => !people.has(sourceId))
  for (const [sourceId, personId] of await addPeople(course, missing)) people.set(sourceId, personId)
  return people
}

/** Adds former members and users that Users.xml lacks to the staged users. */
async function stageUnknown(write: Write, authors: readonly Author[]): Promise<void> {
  const rows = authors.map(({ sourceId, name, wroteAt }) => ({
    source_id: sourceId,
    display_name: name ?? `user${sourceId}`,
    joined_at: wroteAt,
    is_former: true,
  }))
  await stageRows(write, 'dump_users', rows)
}

async function addPeople(
  { write, courseId, origin }: Pick<CourseImport, 'write' | 'courseId' | 'origin'>,
  sourceIds: readonly number[],
): Promise<[sourceId: number, personId: number][]> {
  if (sourceIds.length === 0) return []
  const { rows: users } = await sql<{ source_id: number; display_name: string; joined_at: Date }>`
    select source_id, display_name, joined_at from dump_users where source_id = any(${sourceIds}::bigint[])
    order by joined_at, source_id`.execute(write)
  const ids = await takeIds(write, 'people', users.length)
  const made = users.flatMap(({ source_id, ...person }, index) => {
    const id = ids[index]
    return id === undefined ? [] : [{ sourceId: source_id, person: { id, ...person } }]
  })
  await insertRows(
    write,
    'people',
    made.map(({ person }) => person),
  )
  await insertRows(
    write,
    'imported_people',
    made.map(({ sourceId, person }) => ({
      ...{ course_id: courseId, source: SOURCE, origin, external_id: String(sourceId) },
      person_id: person.id,
    })),
  )
  await insertRows(
    write,
    'course_members',
    made.map(({ person }) => ({ course_id: courseId, person_id: person.id, role: 'learner' as const })),
  )
  await stageRows(
    write,
    'dump_new_people',
    made.map(({ sourceId }) => ({ source_id: sourceId })),
  )
  return made.map(({ sourceId, person }) => [sourceId, person.id])
}

/**
 * A removed user has no id, so one is derived from the name: below the format's own ids (its only negative one is -1,
 * the site's own user), 48 bits of SHA-256. Two names do not collide, and a second import finds the same person.
 */
function formerMember(name: string, wroteAt: Date): Author {
  const hash = createHash('sha256').update(name).digest().readUIntBE(0, 6)
  return { sourceId: -2 - hash, name: isReserved(name) ? NAMELESS : importedName(name, '0'), wroteAt }
}

/** Stages a dump's users: only authors of imported posts become people. */
export async function stageUsers(write: Write, dump: DumpFolder): Promise<void> {
  for await (const batch of batches(dump.rows('users'), () => 100)) {
    await stageRows(write, 'dump_users', batch.map(userOf))
  }
}

/** Tallies, at the end, what became of each user, and of authors known by name only. */
export async function tallyUsers({ write, courseId, origin, tally }: CourseImport): Promise<void> {
  const { rows } = await sql<{ is_former: boolean; imported: number; before: number; silent: number }>`
    select is_former, count(made.source_id) as imported, count(known.external_id) - count(made.source_id) as before,
      count(*) - count(known.external_id) as silent
    from dump_users
    left join dump_new_people as made using (source_id)
    left join imported_people as known on known.course_id = ${courseId} and known.source = ${SOURCE} and known.origin = ${origin}
      and known.external_id = dump_users.source_id::text
    group by is_former`.execute(write)
  for (const { is_former, imported, before, silent } of rows) {
    const kind = is_former ? 'former members' : 'people'
    tally.imported(kind, imported)
    tally.skipped(kind, 'imported before', before)
    tally.skipped(kind, 'wrote nothing', silent)
  }
}

function userOf(row: DumpRow) {
  const id = row.id('Id')
  return {
    source_id: id,
    display_name: importedName(row.requiredText('DisplayName'), String(id)),
    joined_at: row.time('CreationDate'),
    is_former: false,
  }
}
