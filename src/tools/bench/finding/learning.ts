import type { Database } from '../../../database/schema.ts'
import { followInstead } from '../../../forum/follows/following.ts'
import { aPerson } from '../../../testing/builders.ts'
import { within } from '../../../testing/within.ts'
import type { Asked, Text } from './collection.ts'

/** Of questions with several right ones the first alone counts, whatever others lead to it. */
export function withSeveralRight(asked: readonly Asked[]) {
  return asked.filter(({ right }) => right.length > 1)
}

export const firstOf = (asked: Asked): Asked => ({ ...asked, right: asked.right.slice(0, 1) })

const othersOf = ({ right }: Asked) => right.slice(1, 1 + Math.ceil((right.length - 1) / 2))

/** Half of the other right ones become duplicates of the first while this is measured. */
export async function whileConfirmed<Result>(
  db: Database,
  several: readonly Asked[],
  idOf: ReadonlyMap<number, number>,
  work: () => Promise<Result>,
): Promise<Result> {
  const confirm = (ids: readonly number[], target: number | null) =>
    db.updateTable('questions').set({ duplicate_of: target }).where('id', 'in', ids).execute()
  const others = (asked: Asked) => othersOf(asked).map((index) => idOf.get(index) ?? 0)
  for (const asked of several) await confirm(others(asked), idOf.get(asked.right[0] ?? -1) ?? 0)
  const result = await work()
  await confirm(several.flatMap(others), null)
  return result
}

/** The same others were never asked, as their askers pressed "This answers mine" at the first: it takes them away. */
export async function pressInstead(
  db: Database,
  several: readonly Asked[],
  texts: readonly Text[],
  idOf: ReadonlyMap<number, number>,
): Promise<void> {
  const gone = several.flatMap(othersOf).map((index) => idOf.get(index) ?? 0)
  await db.deleteFrom('search_documents').where('question_id', 'in', gone).execute()
  await db.updateTable('questions').set({ deleted_at: new Date() }).where('id', 'in', gone).execute()
  for (const asked of several)
    for (const index of othersOf(asked)) {
      const person = await aPerson(db)
      const target = idOf.get(asked.right[0] ?? -1) ?? 0
      await within(db, followInstead, target, person.id, texts[index]?.title ?? '')
    }
}
