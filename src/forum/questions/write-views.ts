import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { VIEWS } from '../../limits/table.ts'

/** Somebody's view of a question. */
export interface View {
  readonly questionId: number
  readonly visitor: Visitor
}

/** Who it is for one day. */
export interface Visitor {
  readonly name: string
  readonly hash: Buffer
  /** The network a visitor without an account is in; null: somebody signed in. */
  readonly network: Buffer | null
}

/**
 * Records the visitors who are new today, as many as their network has left in this hour, and counts one view for each, in
 * one statement. Questions are locked in the order of their ids: several processes write views at the same time.
 */
export async function writeViews(db: Database, views: readonly View[]): Promise<void> {
  const questions = views.map((view) => view.questionId)
  const visitors = views.map((view) => view.visitor.hash)
  const networks = views.map((view) => view.visitor.network)
  await sql`
    with viewed as (
      select question_id, visitor, network, (now() at time zone 'UTC')::date as day
      from unnest(${questions}::bigint[], ${visitors}::bytea[], ${networks}::bytea[])
        as viewed (question_id, visitor, network)
    ), fresh as (
      select viewed.*, row_number() over (partition by question_id, network) as place
      from viewed where not exists (
        select from question_views as known where known.day = viewed.day
          and known.question_id = viewed.question_id and known.visitor = viewed.visitor)
    ), seen as (
      insert into question_views (day, question_id, visitor, network)
      select day, question_id, visitor, network from fresh
      where network is null or place <= ${VIEWS.max} - (
        select count(*) from question_views as known
        where known.question_id = fresh.question_id and known.network = fresh.network
          and known.seen_at > now() - ${VIEWS.window} * interval '1 millisecond')
      on conflict do nothing
      returning question_id
    ), counted as (
      select question_id, count(*) as views from seen group by question_id
    ), locked as materialized (
      select id from questions where id in (select question_id from counted) order by id for no key update
    )
    update questions set views_count = views_count + counted.views
    from counted join locked on locked.id = counted.question_id
    where questions.id = counted.question_id`.execute(db)
}
