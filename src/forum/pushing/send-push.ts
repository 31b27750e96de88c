import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { personOfSessionHash } from '../../accounts/sessions/sessions.ts'
import type { Database, Write } from '../../database/schema.ts'
import type { Kind } from '../../jobs/kind.ts'
import type { Person } from '../../kernel/rights/person.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { atMost } from '../../text/words/remembered.ts'
import { NotPublic } from '../../web/guarded-fetch.ts'
import { Turns } from '../../web/limits/turns.ts'
import { type Notified, newsOf, oneNotification } from '../notifications/queries.ts'
import { notificationView } from '../notifications/view.ts'
import { markSent, peopleDue, takeDue } from '../telling/deliveries.ts'
import type { PostPush, PushKeys } from './push-service.ts'

const PUSH = 'push'
/** Questions and announcements that one round of pushes tells of, the latest: the bell and the mail have all. */
const MAX_AT_ONCE = 5
/** A device that is off for longer is not told. */
const TTL_SECONDS = 24 * 60 * 60
const MAX_CONCURRENT = 4
const TIMEOUT_MS = 15_000
/** About as many tries as fit into sixteen hours. */
const MAX_TRIES = 100

class NotTaken extends Error {
  readonly status: number

  constructor(status: number) {
    super(`the push service answered ${status}`)
    this.status = status
  }
}

/** People whose pushes are queued by one transaction. */
const BATCH = 200

/**
 * Adds a job for each browser of those whose window has closed and each notification: pushes about answers before those of what many are
 * told at once.
 */
async function queuePushes(db: Database, soonSeconds: number): Promise<void> {
  for (const priority of [1, 2] as const) {
    const people = await peopleDue(db, 'push', priority, soonSeconds, BATCH)
    if (people.length > 0) await db.transaction().execute((write) => queueFor(write, people))
  }
}

async function queueFor(write: Write, people: readonly number[]): Promise<void> {
  const due = await takeDue(write, 'push', people)
  const news = await newsOf(write, 'push', due, { post: NO_TEXT, news: NO_TEXT })
  const latest = [...Map.groupBy(news, ({ mail }) => mail).values()].flatMap((ofPerson) =>
    ofPerson.slice(0, MAX_AT_ONCE).map(({ id }) => id),
  )
  // What may be on its way was told.
  await markSent(write, 'push', latest)
  const told = due.filter(({ id }) => latest.includes(id))
  await sql`
    insert into jobs (kind, key, priority)
    select ${PUSH}, browser.id || '.' || told.id, told.priority
    from jsonb_to_recordset(${JSON.stringify(told)}::jsonb) as told (id bigint, "personId" bigint, priority smallint)
    join push_subscriptions as browser on browser.person_id = told."personId"
    order by told."personId", told.id, browser.id`.execute(write)
}

/** What a post says is read as it is sent. */
const NO_TEXT = sql`'text', ''`

export interface Pushing {
  readonly baseUrl: string
  /** Whom a push service can write to about this forum. */
  readonly mailFrom: string
  /** What comes within so many seconds is pushed together. */
  readonly soonSeconds: number
  readonly keys: () => Promise<PushKeys>
  readonly post: PostPush
}

type PacedPushing = Pushing & { readonly pacing: Pacing }

/** The jobs that push: what is told is looked up as it is sent, with the rights of that moment. */
export function pushKind(db: Database, pushing: Pushing): Kind {
  /** Keys of jobs whose push was taken, until that is recorded. */
  const taken = new Set<string>()
  const pacing = new Pacing()
  return {
    name: PUSH,
    concurrency: MAX_CONCURRENT,
    batch: 1,
    timeout: TIMEOUT_MS,
    plan: () => queuePushes(db, pushing.soonSeconds),
    isHopeless: (error) => error instanceof NotTaken && [400, 401, 403, 413].includes(error.status),
    async run([job], signal) {
      if (job !== undefined && (await pushOne(db, { ...pushing, pacing }, job.key, signal)))
        taken.add(job.key)
    },
    // Not in `run`: a database that is away now must not make it be sent again.
    async done([job]) {
      if (job === undefined || !taken.has(job.key)) return
      const { subscription } = idsIn(job.key)
      await db
        .updateTable('push_subscriptions')
        .set({ last_sent_at: sql`now()` })
        .where('id', '=', subscription)
        .execute()
      taken.delete(job.key)
    },
    async failed({ key, tries }) {
      if (tries >= MAX_TRIES) await forget(db, idsIn(key).subscription)
    },
  }
}

function idsIn(key: string) {
  const [subscription = 0, notification = 0] = key.split('.').map(Number)
  return { subscription, notification }
}

/** @returns whether there was something to push, and it was taken */
async function pushOne(
  db: Database,
  pushing: PacedPushing,
  key: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { subscription, notification } = idsIn(key)
  const browser = await findBrowser(db, subscription)
  if (browser === undefined) return false
  const keys = await pushing.keys()
  const person = await personOfSessionHash(db, browser.sessionHash)
  const told = person === null ? null : await oneNotification(db, person.id, notification, 'push')
  if (person === null || told === null) return false
  const isGone =
    browser.serverKey !== keys.publicKey ||
    !(await send(browser, await messageOf(person, told, pushing.baseUrl), pushing, keys, signal))
  if (isGone) await forget(db, browser.id)
  return !isGone
}

type Browser = NonNullable<Awaited<ReturnType<typeof findBrowser>>>

function findBrowser(db: Database, id: number) {
  return db
    .selectFrom('push_subscriptions')
    .select(['id', 'person_id as personId', 'endpoint', 'p256dh', 'auth'])
    .select(['token_hash as sessionHash', 'server_key as serverKey'])
    .where('id', '=', id)
    .executeTakeFirst()
}

async function forget(db: Database, id: number): Promise<void> {
  await db.deleteFrom('push_subscriptions').where('id', '=', id).execute()
}

/**
 * What public/sw.js shows and opens: the sentence of the page of notifications, without the beginning of the
 * post.
 */
async function messageOf(person: Person, told: Notified, baseUrl: string) {
  const t = translatorOf(person.language ?? told.courseLanguage)
  const { byline, text, title, path } = await notificationView(told, { t, viewer: person, now: new Date() })
  return {
    title: [byline?.text ?? '', text, title].filter((part) => part !== '').join(' '),
    url: `${baseUrl}${path}`,
  }
}

/** @returns false: the browser ended it, or never was there. @throws NotTaken, or of the network */
async function send(
  { endpoint, p256dh, auth, personId }: Browser,
  message: Awaited<ReturnType<typeof messageOf>>,
  { mailFrom, post, pacing }: PacedPushing,
  keys: PushKeys,
  signal: AbortSignal,
): Promise<boolean> {
  // Loaded on demand, as keys.ts does.
  const { default: webPush } = await import('web-push')
  const { headers, body } = webPush.generateRequestDetails(
    { endpoint, keys: { p256dh, auth } },
    JSON.stringify(message),
    { vapidDetails: { subject: `mailto:${mailFrom}`, ...keys }, TTL: TTL_SECONDS },
  )
  try {
    const texts = Object.entries(headers).map(([name, value]) => [name, String(value)])
    const push = { endpoint, headers: Object.fromEntries(texts), body }
    const names = [`person ${personId}`, `host ${new URL(endpoint).hostname}`]
    const status = await pacing.one(names, () => post(push, signal))
    // RFC 8030, 7.3.
    if (status === 404 || status === 410) return false
    if (status < 200 || status > 299) throw new NotTaken(status)
    return true
  } catch (error) {
    // No push service is there: nothing is sent, and nothing tried again.
    if (error instanceof NotPublic) return false
    throw error
  }
}

/** A push that took longer was slow, whatever came of it. Milliseconds. */
const SLOW_MS = 3_000
/** How long somebody who was slow is left alone: twice as long with each time. Milliseconds. */
const FIRST_PAUSE_MS = 60_000
const LONGEST_PAUSE_MS = 60 * 60_000
const MAX_REMEMBERED = 10_000
/** More than all jobs that a process does at a time. */
const MANY = 1_000

/** The person's browsers or the host took long a moment ago: it is tried again later, without waiting for them now. */
export class StillSlow extends Error {
  constructor() {
    super('the push service was slow a moment ago')
  }
}

/**
 * Pushes one at a time for a person and for a host, so that none has several of the few workers; and who is
 * slow fails at once for a while, so that pushes of others do not wait for them again and again.
 */
export class Pacing {
  private readonly now: () => number
  private readonly turns = new Turns({ room: MANY, waiting: MANY, waitingOfName: MANY, patience: 15_000 })
  private readonly slow = new LRUCache<string, { readonly until: number; readonly pause: number }>(
    atMost(MAX_REMEMBERED),
  )

  /** @param now milliseconds of a clock that only goes forward */
  constructor(now: () => number = () => performance.now()) {
    this.now = now
  }

  /** @param names of the person and the host. @throws StillSlow, NoTurn, what `push` throws */
  async one<Result>(names: readonly string[], push: () => Promise<Result>): Promise<Result> {
    const end = await this.turns.take({ size: 1, counts: names.map((name) => ({ name, most: 1 })) })
    try {
      if (names.some((name) => (this.slow.get(name)?.until ?? 0) > this.now())) throw new StillSlow()
      const begun = this.now()
      return await push().finally(() => this.note(names, this.now() - begun))
    } finally {
      end()
    }
  }

  private note(names: readonly string[], took: number): void {
    for (const name of names) {
      if (took < SLOW_MS) {
        this.slow.delete(name)
        continue
      }
      const pause = Math.min(LONGEST_PAUSE_MS, (this.slow.get(name)?.pause ?? FIRST_PAUSE_MS / 2) * 2)
      this.slow.set(name, { until: this.now() + pause, pause })
    }
  }
}
