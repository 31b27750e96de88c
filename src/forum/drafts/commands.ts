import { sql } from 'kysely'
import type { Database, Row, Write } from '../../database/schema.ts'
import { sweep } from '../../database/sweep.ts'
import { term } from '../../database/terms.ts'

/** How long a draft waits that is not saved again. */
const LIFE = term('drafts')
/** Drafts of one person; the oldest go first. */
const MAX_DRAFTS = 200

export type Draft = Pick<Row<'drafts'>, 'id' | 'place' | 'fields' | 'version' | 'saved_at'>

export interface DraftToSave {
  readonly personId: number
  readonly place: string
  readonly fields: Readonly<Record<string, string>>
  /** The one that the text goes on from; 0: none. */
  readonly version: number
}

/** `isSaved` false: `draft` is newer than the text that was sent, and stays. */
export interface SavedDraft {
  readonly isSaved: boolean
  readonly draft: Draft
}

/**
 * Saves a draft if it goes on from the one that is there. Text that says it goes on from none replaces none either: it is
 * another tab's, which has not seen the draft. A save that comes twice changes nothing.
 */
export async function saveDraft(db: Database, draft: DraftToSave): Promise<SavedDraft> {
  return db.transaction().execute(async (write) => {
    const saved = await write
      .insertInto('drafts')
      .values({ person_id: draft.personId, place: draft.place, fields: JSON.stringify(draft.fields) })
      .onConflict((conflict) =>
        conflict
          .columns(['person_id', 'place'])
          .doUpdateSet((is) => ({
            fields: is.ref('excluded.fields'),
            version: is('drafts.version', '+', 1),
            saved_at: sql<Date>`now()`,
          }))
          .where('drafts.version', '=', draft.version),
      )
      .returning(['id', 'place', 'fields', 'version', 'saved_at'])
      .executeTakeFirst()
    if (saved !== undefined) {
      if (saved.version === 1) await dropOldest(write, draft.personId)
      return { isSaved: true, draft: saved }
    }
    const newer = await write
      .selectFrom('drafts')
      .select(['id', 'place', 'fields', 'version', 'saved_at'])
      .where('person_id', '=', draft.personId)
      .where('place', '=', draft.place)
      .executeTakeFirstOrThrow()
    return { isSaved: isSame(newer.fields, draft.fields), draft: newer }
  })
}

export async function deleteDraft(db: Database, personId: number, id: number): Promise<void> {
  await db.deleteFrom('drafts').where('person_id', '=', personId).where('id', '=', id).execute()
}

/** Ends the draft of a form whose text is posted, in the transaction that posts it. */
export async function endDraft(write: Write, personId: number, place: string): Promise<void> {
  await write.deleteFrom('drafts').where('person_id', '=', personId).where('place', '=', place).execute()
}

export function sweepDrafts(db: Database): Promise<number> {
  return sweep(db, 'drafts', sql`saved_at < now() - ${LIFE}`)
}

async function dropOldest(write: Write, personId: number): Promise<void> {
  await sql`
    delete from drafts where id = any(array(
      select id from drafts where person_id = ${personId} order by saved_at desc, id desc offset ${MAX_DRAFTS}))`.execute(
    write,
  )
}

function isSame(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].every((name) => (one[name] ?? '') === (other[name] ?? ''))
}
