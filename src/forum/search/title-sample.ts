import type { Database } from '../../database/schema.ts'
import { Likeness } from '../../text/likeness.ts'

/** The newest titles tell how common a piece of a word is; older ones would tell the same. */
const SAMPLE = 2000
const REMEMBERED_TITLES = 2000
/** How long a sample lasts; one that is not full yet soon changes, and is soon read. */
const FULL_MS = 3_600_000
const PART_MS = 60_000

const samples = new WeakMap<Database, { readonly likeness: Promise<Likeness>; until: number }>()

/** What titles of this forum are compared by. It decides an order only: the courses they are from don't matter. Uses index questions_written. */
export function titleLikeness(db: Database): Promise<Likeness> {
  const known = samples.get(db)
  if (known !== undefined && known.until > Date.now()) return known.likeness
  const sample = { likeness: readTitles(db), until: Date.now() + PART_MS }
  samples.set(db, sample)
  sample.likeness.then(
    ({ size }) => {
      if (size === SAMPLE) sample.until = Date.now() + FULL_MS
    },
    () => samples.delete(db),
  )
  return sample.likeness
}

async function readTitles(db: Database): Promise<Likeness> {
  const rows = await db
    .selectFrom('questions')
    .select('title')
    .where('is_listed', '=', true)
    .orderBy('written_at', 'desc')
    .orderBy('id', 'desc')
    .limit(SAMPLE)
    .execute()
  return new Likeness(
    rows.map(({ title }) => title),
    REMEMBERED_TITLES,
  )
}
