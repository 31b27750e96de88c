import { sql } from 'kysely'
import { isReservedName } from '../../accounts/identity/reserved-names.ts'
import type { Write } from '../../database/schema.ts'
import { isBlank } from '../../text/characters.ts'
import { batches } from './bulk.ts'
import { cleanLine, cut } from './clean-text.ts'
import type { DumpFolder } from './dump-folder.ts'
import type { DumpRow } from './dump-row.ts'
import { stageRows } from './staging.ts'
import type { Tally } from './tally.ts'

/** As in the constraint people_display_name_length. */
const MAX_NAME_LENGTH = 50

/** Stages a dump's users: only authors of imported posts become people. */
export async function stageUsers(write: Write, dump: DumpFolder): Promise<void> {
  for await (const batch of batches(dump.rows('users'), () => 100)) {
    await stageRows(write, 'dump_users', batch.map(userOf))
  }
}

/** Tallies, at the end, what became of each user, and of authors known by name only. */
export async function tallyUsers(write: Write, courseId: number, tally: Tally): Promise<void> {
  const { rows } = await sql<{ is_former: boolean; imported: number; before: number; silent: number }>`
    select is_former, count(made.source_id) as imported, count(known.source_id) - count(made.source_id) as before,
      count(*) - count(known.source_id) as silent
    from dump_users
    left join dump_new_people as made using (source_id)
    left join imported_people as known on known.course_id = ${courseId} and known.source_id = dump_users.source_id
    group by is_former`.execute(write)
  for (const { is_former, imported, before, silent } of rows) {
    const kind = is_former ? 'former members' : 'people'
    tally.imported(kind, imported)
    tally.skipped(kind, 'imported before', before)
    tally.skipped(kind, 'wrote nothing', silent)
  }
}

/** Truncates a name to 1 to 50 characters. One that an account may not have gets a suffix: "Anonymous 1 (user12)". */
export function displayName(name: string, sourceId: number): string {
  const line = cleanLine(name)
  const [given, suffix] = [`user${sourceId}`, ` (user${sourceId})`]
  if (isBlank(line)) return given
  const short = cut(line, MAX_NAME_LENGTH)
  return isReservedName(short) ? `${cut(line, MAX_NAME_LENGTH - suffix.length)}${suffix}` : short
}

function userOf(row: DumpRow) {
  const id = row.id('Id')
  return {
    source_id: id,
    display_name: displayName(row.requiredText('DisplayName'), id),
    joined_at: row.time('CreationDate'),
    is_former: false,
  }
}
