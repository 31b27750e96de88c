import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { COLUMNS, type Draft, dropOldest, isDraft } from './draft.ts'
import { agentPlace } from './text-form.ts'

/** Leaves somebody a draft of an answer beside their own, instead of the last one that an agent left for the question. */
export async function leaveAgentDraft(
  write: Write,
  personId: number,
  questionId: number,
  fields: Readonly<Record<'body' | 'client', string>>,
): Promise<void> {
  await saveAt(write, personId, agentPlace(questionId), fields)
}

/** What became of a draft that an agent left: `own` is the person's own, which has the text now; null: nothing was typed. */
interface Ended {
  readonly own: Draft | null
  /** Nothing was done, as another tab's draft has other words; these are what would have been saved. */
  readonly lost: Readonly<Record<string, string>> | null
}

/**
 * Ends the draft that an agent left for a question. If it is used, its text goes below what was typed. What was typed is saved either
 * way, as this form may have been sent without a script.
 * @param typed fields of the answer's form, as they were sent; without a text, what was saved of it before counts
 */
export async function endAgentDraft(
  db: Database,
  { personId, questionId, isUsed }: Readonly<{ personId: number; questionId: number; isUsed: boolean }>,
  typed: Readonly<Record<string, string>>,
): Promise<Ended> {
  const place = `/questions/${questionId}/answers`
  return db.transaction().execute(async (write) => {
    const rows = await write
      .selectFrom('drafts')
      .select([...COLUMNS, isDraft.as('is_draft')])
      .where('person_id', '=', personId)
      .where('place', 'in', [place, agentPlace(questionId)])
      .orderBy('place')
      .forUpdate()
      .execute()
    const left = rows.find((row) => row.place !== place)
    const before = rows.find((row) => row.place === place && row.is_draft)
    const [written, saved] = [textIn(typed), textIn(before?.fields)]
    const base = written.trim() === '' ? saved : written
    const added = isUsed ? (left?.fields.body ?? '') : ''
    const body = [base.trimEnd(), added].filter((part) => part.trim() !== '').join('\n\n')
    const fields = { ...before?.fields, ...typed, body }
    // Typed on from what was saved, or elsewhere?
    if (before !== undefined && !base.includes(saved.trim())) return { own: before, lost: fields }
    if (left !== undefined) await write.deleteFrom('drafts').where('id', '=', left.id).execute()
    if (body === '') return { own: null, lost: null }
    return { own: await saveAt(write, personId, place, fields), lost: null }
  })
}

/** Browsers send other ends of lines than scripts save. */
const textIn = ({ body = '' }: Draft['fields'] = {}) => body.replaceAll('\r\n', '\n')

async function saveAt(write: Write, personId: number, place: string, fields: Draft['fields']) {
  const draft = await write
    .insertInto('drafts')
    .values({ person_id: personId, place, fields: JSON.stringify(fields) })
    .onConflict((conflict) =>
      conflict.columns(['person_id', 'place']).doUpdateSet((is) => ({
        fields: is.ref('excluded.fields'),
        version: is('drafts.version', '+', 1),
        saved_at: sql<Date>`now()`,
        posted_digest: null,
      })),
    )
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  await dropOldest(write, personId)
  return draft
}
