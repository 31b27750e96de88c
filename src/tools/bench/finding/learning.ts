import type { Database } from '../../../database/schema.ts'
import { followInstead } from '../../../forum/follows/following.ts'
import { aPerson } from '../../../testing/builders.ts'
import { within } from '../../../testing/within.ts'
import type { Ranker } from './baselines.ts'
import type { Asked, DataSet } from './data-set.ts'
import { withInterval } from './measures.ts'

/**
 * Questions with several right ones: whether the first is within three, before and after half of the others are confirmed as
 * its duplicates. '' where there are none.
 */
export async function measureConfirmed(
  db: Database,
  { asked }: DataSet,
  rank: Ranker,
  idOf: ReadonlyMap<number, number>,
): Promise<string> {
  const several = asked.filter(({ right }) => right.length > 1)
  if (several.length === 0) return ''
  const before = await withinThree(several, rank)
  for (const { right } of several) {
    const [target, ...others] = right.map((index) => idOf.get(index) ?? 0)
    const confirmed = others.slice(0, Math.ceil(others.length / 2))
    await db.updateTable('questions').set({ duplicate_of: target }).where('id', 'in', confirmed).execute()
  }
  const after = await withinThree(several, rank)
  await db
    .updateTable('questions')
    .set({ duplicate_of: null })
    .where('duplicate_of', 'is not', null)
    .execute()
  return `Half of the others confirmed as duplicates of one: it is within three for ${after} of ${several.length} questions, before that for ${before}.`
}

/**
 * The same where half of the others were never asked, as their askers pressed "This answers mine": each question by itself, since
 * the others of one are not there then. Takes them away. '' where there are none.
 */
export async function measurePressed(
  db: Database,
  { asked, collection }: DataSet,
  rank: Ranker,
  idOf: ReadonlyMap<number, number>,
): Promise<string> {
  const several = asked.filter(({ right }) => right.length > 1)
  if (several.length === 0) return ''
  const pressedOf = ({ right }: Asked) => right.slice(1, 1 + Math.ceil((right.length - 1) / 2))
  const gone = several.flatMap(pressedOf).map((index) => idOf.get(index) ?? 0)
  await db.deleteFrom('search_documents').where('question_id', 'in', gone).execute()
  await db.updateTable('questions').set({ deleted_at: new Date() }).where('id', 'in', gone).execute()
  const before = await withinThree(several, rank)
  for (const one of several)
    for (const index of pressedOf(one)) {
      const person = await aPerson(db)
      const target = idOf.get(one.right[0] ?? -1) ?? 0
      await within(db, followInstead, target, person.id, collection[index]?.title ?? '')
    }
  const after = await withinThree(several, rank)
  return `Half of the others never asked, since their askers pressed "This answers mine" at one: it is within three for ${after} of ${several.length} questions, before that for ${before}.`
}

async function withinThree(several: readonly Asked[], rank: Ranker): Promise<string> {
  const found: number[] = []
  for (const one of several) found.push((await rank(one)).slice(0, 3).includes(one.right[0] ?? -1) ? 1 : 0)
  return withInterval(found)
}
