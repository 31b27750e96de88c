import { sql } from 'kysely'
import { z } from 'zod'
import type { Database, Write } from '../../database/schema.ts'
import { actor, table, unmissed } from '../../database/table.ts'
import { type Doer, personOf } from '../../kernel/actor.ts'
import { flag } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { forbidden, notFound, refusal } from '../../kernel/problem.ts'
import { may } from '../../kernel/rights/rights.ts'
import { deleteDraftsIn, draftsCount } from '../drafts/draft.ts'
import { type InForce, measuresInForce, REMOVAL_DAYS } from '../handling/in-force.ts'
import { endInvitations, openInvitations } from '../members/invitations.ts'
import { lockWhereWritten } from '../posts/lock.ts'
import { deletePost } from '../posts/removal.ts'
import {
  actOnPerson,
  closeCasesOf,
  findPersonPlace,
  mustBeAbove,
  noted,
  openCasesOf,
  type PersonPlace,
  removablePosts,
} from './acts-on-people.ts'
import { liftMeasure } from './endings.ts'
import { lockWriter } from './find.ts'
import { blockDomains, spamDomains, unblockDomains } from './spam-domains.ts'
import { type PersonIn, postsOf } from './subject.ts'

export const spammerActs = table('spammer_acts', { undone_by: unmissed(actor) }, { key: ['case_id'] })

type PersonKey = Parameters<typeof findPersonPlace>[1]

/** Not locked yet: who may not act on somebody locks nothing of theirs. */
const findWhole = async (write: Write, key: PersonKey) => ({ ...(await findPersonPlace(write, key)), key })

/**
 * Locks somebody and the questions that they wrote in: nothing of theirs comes in between.
 * @throws Problem 'notFound', 'forbidden' where they are above the actor since
 */
async function lockWhole(
  write: Write,
  actor: Doer,
  { place, key }: Awaited<ReturnType<typeof findWhole>>,
): Promise<PersonPlace> {
  await lockWhereWritten(
    write,
    async () => (await postsOf(write, place, sql`true`)).map(({ questionId }) => questionId),
    (waits) => lockWriter(write, place.personId, waits),
  )
  const subject = await findPersonPlace(write, key)
  mustBeAbove({ actor, subject })
  return subject
}

/** Domains that are blocked besides: one, several, or none. */
const domains = z
  .union([z.string(), z.array(z.string())])
  .transform((sent) => [...new Set(typeof sent === 'string' ? [sent] : sent)].filter((name) => name !== ''))
  .meta({ type: 'array' })

/** Nobody is told of what was done against spam; it is on the page of their standing. */
const SPAM = { reason: 'spam', rule: '', note: '' } as const

/**
 * Suspends somebody for good, deletes all that they posted, what is held too, decides the cases about them, and ends their drafts,
 * links to join by and webhooks. A suspension for good that is there already stays whose it is. Of two who do it at once, one does.
 */
export const spammer = operation({
  name: 'spammer',
  right: 'moderate',
  find: findWhole,
  once: true,
  input: { domain: domains, sure: flag },
  rules: [mustBeAbove],
  events: ['moderated', 'blocklist-changed'],
  async run({ write, actor, subject: found, input: { domain, sure }, baseUrl, note: log }) {
    if (!sure) throw refusal('sure', 'spammer.sure.missing')
    const subject = await lockWhole(write, actor, found)
    const { place } = subject
    const { personId, courseId } = place
    const isSuspended = await isSuspendedForGood(write, place)
    if (isSuspended && (await spammerAct(write, place)) !== null) return { isDone: false, blocked: 0 }
    const chosen = domain.length === 0 ? [] : await chosenDomains(write, actor, subject, { domain, baseUrl })
    const inForce = await measuresInForce(write, personId)
    const actorId = personOf(actor).id
    const posts = await removablePosts(write, place)
    const acted = await actOnPerson(write, actorId, place, SPAM, [
      ...(isSuspended ? [] : [{ kind: 'suspend', endsAt: null } as const]),
      // What another removal deleted is deleted by this one as well, once that one ends.
      ...(posts.length > 0 || inForce.some((one) => one.kind === 'delete' && reaches(one, courseId))
        ? [{ kind: 'delete', endsAt: null } as const]
        : []),
    ])
    if (acted === null) throw notFound()
    for (const post of posts) await deletePost(write, post, actorId)
    await closeCasesOf(write, actorId, place, SPAM, ['question', 'answer', 'reply', 'person'])
    await deleteDraftsIn(write, personId, courseId)
    await endInvitations(write, personId, courseId)
    await sql`delete ${webhooksOf(place)}`.execute(write)
    const { added, ids } = await blockDomains(write, courseId, chosen)
    const done = { case_id: acted.caseId, blocked_ids: sql<string[]>`${ids}::bigint[]` }
    await write.insertInto('spammer_acts').values(done).execute()
    log('moderated', { act: 'spammer', count: posts.length, ...noted(subject) })
    if (added > 0) log('blocklist-changed', { courseId, added, removed: 0 })
    return { isDone: true, blocked: added }
  },
})

/** Whether a measure is about posts of a course, or (null) of any. */
const reaches = ({ courseId: there }: InForce, courseId: number | null) =>
  there === null || courseId === null || there === courseId

/** Those that were chosen of the domains that can be blocked. @throws Refused where one of them can't, or not any more */
async function chosenDomains(
  write: Write,
  actor: Doer,
  subject: PersonPlace,
  { domain: names, baseUrl }: { readonly domain: readonly string[]; readonly baseUrl: string },
) {
  if (!may(personOf(actor), 'change-blocklist', subject)) throw forbidden()
  const offered = await spamDomains(write, subject.place, baseUrl)
  return names.map((name) => {
    const found = offered.find(({ domain }) => domain === name)
    if (found === undefined) throw refusal('domain', 'spammer.domain.gone', { domain: name })
    return found
  })
}

export async function isSuspendedForGood(db: Database | Write, { personId, courseId: there }: PersonIn) {
  const inForce = await measuresInForce(db, personId)
  return inForce.some(
    ({ kind, courseId, endsAt }) => kind === 'suspend' && courseId === there && endsAt === null,
  )
}

/** Lifts what the act did, and what nobody else did: posts come back as they were, held ones held. Its cases stay decided. */
export const spammerUndo = operation({
  name: 'undo-spammer',
  right: 'moderate',
  find: findWhole,
  rules: [mustBeAbove],
  events: ['moderated', 'blocklist-changed'],
  async run({ write, actor, subject: found, note: log }) {
    const subject = await lockWhole(write, actor, found)
    const done = await spammerAct(write, subject.place)
    if (done === null) return { isDone: false }
    if (done.isLate) throw refusal('undo', 'spammer.undo.late', { days: REMOVAL_DAYS })
    const actorId = personOf(actor).id
    await write
      .updateTable('spammer_acts')
      .set({ undone_at: sql`now()`, undone_by: actorId })
      .where('case_id', '=', done.caseId)
      .execute()
    const measures = await write
      .selectFrom('measures')
      .select('id')
      .where('case_id', '=', done.caseId)
      .orderBy('id')
      .execute()
    for (const { id } of measures) await liftMeasure(write, actorId, id, '')
    const { courseId } = subject.place
    const removed = await unblockDomains(write, courseId, done.blockedIds)
    log('moderated', { act: 'spammer-undone', ...noted(subject) })
    if (removed > 0) log('blocklist-changed', { courseId, added: 0, removed })
    return { isDone: true }
  },
})

interface Standing {
  readonly caseId: number
  readonly blockedIds: readonly string[]
  readonly at: Date
  /** null: the account is gone. */
  readonly by: string | null
  readonly isLate: boolean
}

/** The latest such act on somebody in a place that wasn't undone; null: there is none. Uses index cases_person. */
export async function spammerAct(db: Database | Write, { personId, courseId }: PersonIn) {
  const { rows } = await sql<Standing>`
    select matter.id as "caseId", done.blocked_ids as "blockedIds", matter.decided_at as at, decider.display_name as by,
      matter.decided_at <= now() - ${sql.lit(REMOVAL_DAYS)} * interval '1 day' as "isLate"
    from spammer_acts as done join cases as matter on matter.id = done.case_id
    left join people as decider on decider.id = matter.decided_by
    where matter.person_id = ${personId} and matter.course_id is not distinct from ${courseId}::bigint and done.undone_at is null
    order by matter.decided_at desc, matter.id desc limit 1`.execute(db)
  return rows[0] ?? null
}

const webhooksOf = ({ personId, courseId }: PersonIn) =>
  sql`from webhooks where owner_id = ${personId} and (${courseId}::bigint is null or course_id = ${courseId}::bigint)`

/** What the act would end: posts, how many of them are held, open cases, drafts, links to join by and webhooks. */
export async function spammerCounts(db: Database, place: PersonIn) {
  const { personId, courseId } = place
  const posts = await removablePosts(db, place)
  const held = await postsOf(db, place, sql`post.deleted_at is null and post.held_at is not null`)
  const { rows } = await sql<Record<'cases' | 'drafts' | 'invitations' | 'webhooks', number>>`
    select (${openCasesOf(db, place).select(sql<number>`count(*)::integer`.as('count'))}) as cases,
      ${draftsCount(personId, courseId)} as drafts, ${openInvitations(personId, courseId)} as invitations,
      (select count(*) ${webhooksOf(place)})::integer as webhooks`.execute(db)
  const [counted = { cases: 0, drafts: 0, invitations: 0, webhooks: 0 }] = rows
  return { posts: posts.length, held: held.length, ...counted }
}

/** When the act that decided a case was done and undone, and by whom; null: no such act did. Uses index cases_person. */
export async function spammerActOf(db: Database, caseId: number) {
  const { rows } = await sql<{ at: Date; undoneAt: Date | null; undoneBy: string | null }>`
    select made.decided_at as at, done.undone_at as "undoneAt", undoer.display_name as "undoneBy"
    from cases as matter join cases as made on made.person_id = matter.person_id and made.decided_at = matter.decided_at
    join spammer_acts as done on done.case_id = made.id
    left join people as undoer on undoer.id = done.undone_by
    where matter.id = ${caseId} limit 1`.execute(db)
  return rows[0] ?? null
}
