import type { FastifyInstance } from 'fastify'
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Database } from '../../database/schema.ts'
import { type Named, OPERATOR } from '../../kernel/actor.ts'
import type { RenderedText } from '../../text/markdown.ts'
import { renamedMentions } from '../../text/mentions.ts'
import { OperatorService } from '../../web/guarded-fetch.ts'
import type { MentionPlace } from '../mentions/queries.ts'
import { isStrangerIn } from './hold.ts'
import { KINDS, type PostKind, type PostTable, withQuestion } from './kinds.ts'
import { linksIn } from './signals.ts'

const BOUNDS = { deadline: 2000, maxBytes: 64 * 1024 } as const
/** After so many failures in a row it isn't asked for REST_MS. */
const FAILURES = 3
const REST_MS = 60_000

const answered = z.object({ verdict: z.enum(['ham', 'hold', 'spam']) })

interface Asked {
  readonly kind: PostKind
  /** '' of an answer or a reply. */
  readonly title: string
  readonly body: string
  /** The course's. */
  readonly language: string
  readonly links: readonly string[]
}

/** The operator's spam check: it gets a text, and nothing of who wrote it or where. No answer is no verdict. */
export class SpamService {
  private readonly service: OperatorService
  private failures = 0
  private restsUntil = 0

  /** @param url SPAM_URL */
  constructor(url: string) {
    this.service = new OperatorService(url)
  }

  /** Whether a text should wait for a person. */
  async doubts(asked: Asked): Promise<boolean> {
    if (Date.now() < this.restsUntil) return false
    try {
      const { status, body, isWhole } = await this.service.post(asked, BOUNDS)
      if (status !== 200 || !isWhole) throw new Error(`the spam check answered ${status}`)
      const { verdict } = answered.parse(JSON.parse(body.toString('utf8')))
      this.failures = 0
      return verdict !== 'ham'
    } catch {
      this.failures += 1
      if (this.failures >= FAILURES) this.restsUntil = Date.now() + REST_MS
      return false
    }
  }

  close(): void {
    this.service.close()
  }
}

const services = new WeakMap<Database, SpamService>()

/** With SPAM_URL, where the forum looks at strangers with care. */
export function registerSpamService(app: FastifyInstance): void {
  const { config, db } = app
  if (config.spamUrl === null || config.careful === null) return
  const service = new SpamService(config.spamUrl)
  services.set(db, service)
  app.addHook('onClose', async () => {
    services.delete(db)
    service.close()
  })
}

interface Written {
  readonly title?: string
  readonly body: RenderedText
  readonly anonymous?: boolean | null
  readonly audience?: string | null
}

/** For an operation that posts below a place: only what is public, with its author's name and of a stranger is sent. */
export const doubtedBelow =
  <Key>(kind: PostKind, placeOf: (key: Key) => MentionPlace) =>
  (db: Database, actor: Named, key: Key, written: Written): Promise<boolean> => {
    const { kind: below, id } = placeOf(key)
    const courseId =
      below === 'course' ? id : sql`(select course_id from questions where id = ${id} and is_listed)`
    return isDoubted(db, actor, { kind, written, courseId })
  }

/** For an operation by which a post is edited. */
export const doubtedEdit =
  (table: PostTable) =>
  async (db: Database, actor: Named, id: number, written: Written): Promise<boolean> => {
    const courseId = sql`(select q.course_id from ${withQuestion(table)}
      where post.id = ${id} and not post.is_anonymous and post.author_id = person.id and q.is_listed)`
    return isDoubted(db, actor, { kind: KINDS[table].kind, written, courseId })
  }

interface Place {
  readonly kind: PostKind
  readonly written: Written
  /** Null in SQL: it isn't sent. It may use the alias `person`. */
  readonly courseId: RawBuilder<unknown>
}

async function isDoubted(db: Database, actor: Named, { kind, written, courseId }: Place): Promise<boolean> {
  const service = services.get(db)
  if (service === undefined || actor === null || actor === OPERATOR) return false
  const { title = '', body, anonymous, audience } = written
  if (anonymous === true || audience === 'staff') return false
  const { rows } = await sql<{ language: string }>`
    select course.language from people as person join courses as course on course.id = ${courseId}
    where person.id = ${actor.id} and course.is_public and course.hold = 'signals' and ${isStrangerIn(sql`course.id`)}`.execute(
    db,
  )
  const [asked] = rows
  if (asked === undefined) return false
  // Whom it mentions stays here.
  const source = renamedMentions(body.source, () => 'someone')
  return service.doubts({ kind, title, body: source, ...asked, links: linksIn(body.html) })
}
