import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../../database/schema.ts'
import { sweep } from '../../../database/terms.ts'
import type { ChangeFeed } from '../../../web/change-feed/change-feed.ts'
import { questionPath } from '../../../web/paths.ts'
import type { Scope } from '../../../web/scoped-cache/scope-clock.ts'
import { type Loaded, ScopedCache } from '../../../web/scoped-cache/scoped-cache.ts'
import { findNear } from './similar.ts'
import { earlierAnswered } from './similar-view.ts'
import type { SimilarTo } from './telling-terms.ts'

/** How long near questions are kept in the database, and in a process: a new one shows up beside others within the sum. */
const KEPT = '2 hours'
const MAX_AGE_MS = 60 * 60_000
const MAX_QUESTIONS = 4000
/** Nearest questions kept of one: the page shows the first of them, the desk those that were answered before. */
const NEAREST = 20
const SHOWN = 5

/** As little as a link needs: thousands are remembered. */
export interface RelatedQuestion {
  readonly id: number
  readonly title: string
  readonly path: string
  readonly answersCount: number
}

export type RelatedTo = SimilarTo & { readonly exceptId: number; readonly courseId: number }

/**
 * Related questions of a question's page. Which they are is kept in the database for some hours, or until the question's own
 * text changes, since it changes slowly and takes some milliseconds to find: a restart on a busy evening finds nothing again.
 * They belong to the question's own course, which its readers may read too, so one list serves everyone. How they look is
 * never stale: it is read again after a change of one of them.
 */
export class RelatedQuestions {
  private readonly db: Database
  private readonly looks: ScopedCache<readonly RelatedQuestion[]>
  private readonly onFailure: (error: unknown) => void

  /** @param onFailure hears why what was found couldn't be kept: it is shown all the same */
  constructor(db: Database, changes: ChangeFeed | null, onFailure: (error: unknown) => void) {
    this.db = db
    this.onFailure = onFailure
    this.looks = new ScopedCache(changes, { maxSize: MAX_QUESTIONS, maxAgeMs: MAX_AGE_MS })
  }

  of(question: RelatedTo): Promise<readonly RelatedQuestion[]> {
    const hash = hashOf(question)
    return this.looks.find(hash.toString('base64'), async () => {
      const { courseId } = question
      const kept = await this.read(keptIds(question, hash), courseId)
      if (kept !== null) return kept
      const found = await this.find(question, hash)
      return (await this.read(sql`${found}::bigint[]`, courseId)) ?? NONE
    })
  }

  /** Questions whose answers may answer this one too, the nearest first: asked before it, and answered. Read each time. */
  async answeredBefore(question: RelatedTo, size: number) {
    const hash = hashOf(question)
    const kept = sql<{ ids: number[] | null }>`select to_json(${keptIds(question, hash)}) as ids`
    const { rows } = await kept.execute(this.db)
    const ids = rows[0]?.ids ?? (await this.find(question, hash))
    return earlierAnswered(this.db, ids, question.exceptId, size)
  }

  private async find(question: RelatedTo, hash: Buffer): Promise<readonly number[]> {
    const everybody = { id: 0, isAdmin: false, roles: { [question.courseId]: 'learner' as const } }
    const ids = await findNear(this.db, everybody, question, NEAREST)
    // For all processes, unless the question is being deleted or moved, or was: no page waits for that.
    const kept = sql`
      insert into near_questions (question_id, text_hash, near_ids)
      select id, ${hash}::bytea, ${ids}::bigint[] from questions
      where id = ${question.exceptId} and is_shown for key share skip locked
      on conflict (question_id) do update set text_hash = excluded.text_hash,
        near_ids = excluded.near_ids, found_at = excluded.found_at`
    await kept.execute(this.db).catch(this.onFailure)
    return ids
  }

  /** Reads the questions that are still there, in their order. @returns null: there are no such ids */
  private async read(ids: RawBuilder<number[] | null>, courseId: number) {
    const { rows } = await sql<{ id: number | null; title: string | null; answers: number | null }>`
      select nearest.id, q.title, q.answers_count as answers
      from (select ${ids} as ids) as known
      left join lateral unnest(known.ids[1:${sql.lit(SHOWN)}]) with ordinality as nearest (id, place) on true
      left join questions as q on q.id = nearest.id and q.course_id = ${courseId} and q.is_listed
      where known.ids is not null order by nearest.place`.execute(this.db)
    if (rows.length === 0) return null
    const value = rows.flatMap(({ id, title, answers }) =>
      id === null || title === null || answers === null
        ? []
        : [{ id, title, path: questionPath({ id, title }), answersCount: answers }],
    )
    return { value, scopes: rows.flatMap(({ id }): Scope[] => (id === null ? [] : [`row:${id}`])) }
  }
}

const NONE: Loaded<readonly RelatedQuestion[]> = { value: [], scopes: [] }

/** Deletes what is too old to be shown. Uses index near_questions_found. @returns the number of rows */
export function sweepNearQuestions(db: Database): Promise<number> {
  return sweep(db, 'near_questions', sql`found_at <= now() - ${KEPT}::interval`)
}

/** SQL: what is kept as near to a question; null: nothing, or it is too old, or near to another text. */
function keptIds({ exceptId }: RelatedTo, hash: Buffer): RawBuilder<number[] | null> {
  return sql`(select near_ids from near_questions
    where question_id = ${exceptId} and text_hash = ${hash} and found_at > now() - ${KEPT}::interval)`
}

function hashOf({ exceptId, courseId, title, body, tags }: RelatedTo): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([exceptId, courseId, title, body, tags]))
    .digest()
}
