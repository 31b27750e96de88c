import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { MAX_SWEPT_ROWS, term } from '../../database/terms.ts'
import { personOf } from '../../kernel/actor.ts'
import { choice, line } from '../../kernel/fields.ts'
import { forum, operation } from '../../kernel/operation.ts'
import { caseSubject, mustHandle, noted } from './find.ts'

/** Not less than people can object to what was decided. */
const KEPT = sql`greatest(interval '6 months',
  coalesce((select make_interval(months => case_months) from site_settings), ${term('cases')}))`
/** A case is kept while a measure is in force or can be objected to. */
const isOver = sql<boolean>`not exists (
  select from measures where measures.case_id = cases.id and measures.kind <> 'warn' and measures.ended_at is null)`

/**
 * Deletes what decided cases were decided on, texts and reports, when their term is over; and the cases themselves, unless one of
 * their measures is still in force. @returns how many cases lost something
 */
export async function sweepCases(db: Database): Promise<number> {
  const { rows } = await sql`
    with old as (
      select id, ${isOver} as is_over from cases
      where state <> 'open' and decided_at < now() - ${KEPT}
        and (${isOver} or exists (select from case_snapshots where case_id = cases.id)
          or exists (select from reports where case_id = cases.id))
      order by decided_at, id limit ${sql.lit(MAX_SWEPT_ROWS)} for update skip locked),
    reported as (delete from reports using old where case_id = old.id and not old.is_over),
    pictured as (delete from case_images using old where case_id = old.id and not old.is_over),
    kept as (delete from case_snapshots using old where case_id = old.id and not old.is_over),
    gone as (delete from cases using old where cases.id = old.id and old.is_over)
    select from old`.execute(db)
  return rows.length
}

/** Reasons of a redaction, in one word: the audit log has no texts. */
export const REDACTION_GROUNDS = ['asked', 'others', 'law', 'other'] as const

/** Removes personal data from what a case keeps. The audit log holds the ground, the case what the admin wrote about it. */
export const caseRedaction = operation({
  name: 'redact-case',
  right: 'moderate-forum',
  find: forum,
  input: {
    case: line({ min: 1, max: 15 }),
    ground: choice(REDACTION_GROUNDS, 'cases.redact.noGround'),
    note: line({ min: 0, max: 300 }),
  },
  events: ['moderated'],
  async run({ write, actor, input, note: log }) {
    const subject = await caseSubject(write, Number(input.case))
    mustHandle({ actor, subject })
    await redactCase(write, personOf(actor).id, subject.id, input.note)
    log('moderated', { act: 'redact', ground: input.ground, ...noted(subject) })
    return { id: subject.id }
  },
})

/** Removes the texts, pictures and reporters' words of a case, and how to reach visitors; the decision stays. */
export async function redactCase(write: Write, actorId: number, caseId: number, reason: string) {
  await write
    .updateTable('case_snapshots')
    .set({
      title: null,
      body: null,
      excerpt: null,
      tags: null,
      redacted_at: sql`now()`,
      redacted_by: actorId,
      redacted_why: reason,
    })
    .where('case_id', '=', caseId)
    .where('redacted_at', 'is', null)
    .execute()
  await write
    .updateTable('reports')
    .set({ note: '', visitor_name: '', visitor_email: null, mail_token: null })
    .where('case_id', '=', caseId)
    .execute()
  const said = write.selectFrom('reports').select('id').where('case_id', '=', caseId)
  await write.updateTable('objections').set({ note: '' }).where('report_id', 'in', said).execute()
  await write.deleteFrom('case_images').where('case_id', '=', caseId).execute()
}
