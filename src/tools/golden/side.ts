import { setTimeout } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { beginSession } from '../../accounts/sessions/sessions.ts'
import { schemaObjects } from '../../database/migrations/schema-objects.ts'
import type { Database } from '../../database/schema.ts'
import { caseLettersKind } from '../../forum/cases/letters.ts'
import { untilMorning } from '../../forum/cases/testing.ts'
import { mailDue, notifierOptions } from '../../forum/mailing/notifier.ts'
import { type Push, readPushKeys } from '../../forum/pushing/push-service.ts'
import { pushKind } from '../../forum/pushing/send-push.ts'
import { subscribe } from '../../forum/pushing/subscriptions.ts'
import { aPushBrowser } from '../../forum/pushing/testing.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import { eventsPage } from '../../kernel/audit/page.ts'
import { rightsPage } from '../../kernel/rights/page.ts'
import { ROLES } from '../../kernel/rights/world-testing.ts'
import { restoreInto } from '../../operating/backup/testing.ts'
import { backUpWorld, nameInWorld } from '../../operating/backup/world-testing.ts'
import { allOperations } from '../../rooms.ts'
import { SECRET, testAppThatHears } from '../../testing/app.ts'
import { newDatabase } from '../../testing/database.ts'
import { routesOf } from '../../testing/routes-of.ts'
import { limitsPage } from '../../web/limits/page.ts'

/** One request of a reader. Each comes from an address of its own, as limits count addresses. */
export interface Asked {
  readonly path: string
  readonly cookie: string
  readonly language: string
  readonly address: string
}
export type Answer = Awaited<ReturnType<typeof askFor>>
export type Facts = Awaited<ReturnType<typeof factsOf>>

/** Tables whose rows have addresses: of their name and id. */
const TABLES = ['questions', 'answers', 'replies', 'people', 'announcements', 'cases', 'drafts', 'measures']

/** Subjects of one kind in the same state. */
const ALIKE = 2
/** What a row says yes or no to, what it lacks, and its words for a state. */
const STATE = sql`(
  select string_agg(case when value = 'null' then '-' when jsonb_typeof(value) = 'boolean'
    or key in ('audience', 'status', 'state', 'kind') then value::text else 'x' end, '' order by key)
  from jsonb_each(to_jsonb(row)))`

/** `side.ts world BACKUP` makes what is restored; `side.ts serve BACKUP` answers messages until it is told to end. */
const [task, backup = ''] = process.argv.slice(2)
const ends: (() => Promise<void>)[] = []
const ending = { after: (work: () => Promise<void>) => void ends.unshift(work) }
if (task === 'serve') await serve()
else await backUpWorld(ending, backup).then(end)

async function serve(): Promise<void> {
  const place = { ...(await newDatabase(ending)), dataDir: `${backup}.${process.pid}` }
  await restoreInto(place, backup)
  const { app } = await testAppThatHears(ending, place.db, { mailSoonSeconds: 0, dataDir: place.dataDir })
  const readers = await readersOf(place.db)
  process.on('message', async (message: Asked | 'letters' | 'end') => {
    if (message === 'end') await end()
    else process.send?.(await (message === 'letters' ? lettersOf(app, readers) : answersTo(app, message)))
  })
  process.send?.(await factsOf(app, readers))
}

async function end(): Promise<void> {
  for (const work of ends) await work()
  process.exit(0)
}

type Readers = Awaited<ReturnType<typeof readersOf>>

/** A restored forum's readers, each with a new session's cookie: a backup keeps none. A visitor comes first. */
async function readersOf(db: Database) {
  const readers = [{ name: 'visitor', id: 0, cookie: '' }]
  for (const name of ROLES.filter((role) => role !== 'instructor elsewhere')) {
    const people = db.selectFrom('people').select('id').where('display_name', '=', nameInWorld(name))
    const { id } = await people.executeTakeFirstOrThrow()
    readers.push({ name, id, cookie: await beginSession(db, id, 'golden') })
  }
  return readers
}

/** What is answered, and what it leads to. Who asks too often waits, as the answer says. */
async function answersTo(app: FastifyInstance, asked: Asked): Promise<Answer[]> {
  const answer = await askFor(app, asked)
  const { location, 'retry-after': seconds } = answer.headers
  if (answer.status === 429) {
    await setTimeout(Number(seconds) * 1000)
    return answersTo(app, asked)
  }
  const isHere = location?.startsWith('/') === true && location !== asked.path
  return isHere ? [answer, ...(await answersTo(app, { ...asked, path: location }))] : [answer]
}

async function askFor(app: FastifyInstance, { path, cookie, language, address }: Asked) {
  const headers = { host: new URL(app.config.baseUrl).host, 'accept-language': language, accept: 'text/html' }
  const cookies = cookie === '' ? {} : { session: cookie }
  const answer = await app.inject({ method: 'GET', url: path, headers, cookies, remoteAddress: address })
  return { status: answer.statusCode, headers: answer.headers, body: answer.body }
}

/** What can be known of a forum without asking it for a page; each of `compared` should be equal. */
async function factsOf(app: FastifyInstance, readers: Readers) {
  const operations = allOperations()
  const compared: Record<string, string> = {
    'docs/rights.md': rightsPage(operations),
    'docs/limits.md': limitsPage(operations),
    'docs/events.md': eventsPage(operations),
  }
  for (const { name, right, limit, once, events, isForSuspended, input } of operations) {
    const fields = Object.keys(input)
    compared[`operation ${name}`] = JSON.stringify({ right, limit, once, events, isForSuspended, fields })
  }
  for (const { kind, name, definition, isInForce } of await schemaObjects(app.db))
    compared[`${kind} ${name}`] = `${definition}${isInForce ? '' : ' (not in force)'}`
  const routes = routesOf(app).map(({ method, path }) => `${method} ${path}`)
  return { routes, readers, subjects: await subjectsOf(app.db), compared }
}

/** What the parameters of a path can be, by the segment before them: some in each state. */
async function subjectsOf(db: Database): Promise<Record<string, string[]>> {
  const columns = [
    ...TABLES.map((table) => [table, 'id'] as const),
    ['courses', 'slug'],
    ['tags', 'name'],
  ] as const
  const found = columns.map(async ([table, column]) => {
    const { rows } = await sql<{ value: string }>`
      select ${sql.ref(column)}::text as value from (
        select *, row_number() over (partition by ${STATE} order by id) as rank from ${sql.table(table)} as row) as rows
      where rank <= ${ALIKE} order by id`.execute(db)
    return [table, rows.map(({ value }) => value)] as const
  })
  return Object.fromEntries(await Promise.all(found))
}

/** All emails and pushes that wait, as each person gets them. */
async function lettersOf({ db, config, log }: FastifyInstance, readers: Readers) {
  const keys = await readPushKeys(config.dataDir)
  const letters: Record<string, string> = {}
  const browsers = readers.slice(1).map(({ id, name, cookie }) => ({ id, cookie, ...aPushBrowser(name) }))
  for (const { id, cookie, subscription } of browsers)
    await subscribe(db, { personId: id, sessionToken: cookie }, subscription, keys.publicKey)
  // As if they had done so before what waits.
  for (const { id } of browsers) {
    await sql`
      insert into deliveries (notification_id, channel, person_id, waiting_since)
      select notification_id, 'push', person_id, waiting_since from deliveries
      where person_id = ${id} and channel = 'email' on conflict do nothing`.execute(db)
    await sql`
      insert into delivery_windows (person_id, channel, begins_at, ends_at, priority)
      select person_id, 'push', begins_at, ends_at, priority from delivery_windows
      where person_id = ${id} and channel = 'email' on conflict do nothing`.execute(db)
  }
  const post = async (push: Push) => {
    const browser = browsers.find(({ subscription }) => subscription.endpoint === push.endpoint)
    const key = `push to ${push.endpoint}`
    letters[key] = `${letters[key] ?? ''}${JSON.stringify(browser?.read(push))}\n`
    return 201
  }
  const { baseUrl, mailFrom, timeZone } = config
  await untilMorning(db)
  await doJobs(db, caseLettersKind(db, { baseUrl, timeZone }))
  await mailDue(db, log, notifierOptions(config, SECRET))
  await doJobs(db, pushKind(db, { baseUrl, mailFrom, soonSeconds: 0, keys: async () => keys, post }))
  const mails = await db.selectFrom('mails').selectAll().orderBy('recipient').orderBy('id').execute()
  for (const [at, { recipient, kind, subject, text, html }] of mails.entries())
    letters[`mail ${at} to ${recipient}`] = [kind, subject, text, html].join('\n')
  return letters
}
