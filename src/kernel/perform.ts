import type { Database, Write } from '../database/schema.ts'
import type { Language } from '../messages/language.ts'
import { prepareMarkdown } from '../text/markdown.ts'
import { withOwnPictures } from '../text/picture-address.ts'
import { inTurnOf } from '../text/thread/thread.ts'
import { idOf, type Named, OPERATOR, readActor } from './actor.ts'
import type { Details, EventName } from './audit/kinds.ts'
import { type AuditEntry, auditEntryOf, recordAudit } from './audit/note.ts'
import { metaOf } from './fields.ts'
import type { Careful, Operation, Read } from './operation.ts'
import { Problem, Refused } from './problem.ts'
import { requireRight } from './require-right.ts'
import { requireUnsuspended } from './suspended.ts'

export interface Call<Key> {
  readonly actor: Named
  readonly key: Key
  /** Values of the operation's fields; others are ignored. */
  readonly input: Readonly<Record<string, unknown>>
  /** A condition of the door, asked once the subject is locked and the actor may do it. It throws where it doesn't hold. */
  readonly holds?: ((write: Write) => Promise<void>) | undefined
  /** The forum's address, by which a text may name its pictures; left out: texts are as they were stored. */
  readonly baseUrl?: string
  /** It is part of an act that has one entry in the audit log for all. */
  readonly isPart?: boolean
}

/** The forum's settings that operations need, and the log. */
export interface Surroundings {
  readonly baseUrl: string
  /** Left out: null. */
  readonly careful?: Careful
  /** The actor's language, for letters to people who have chosen none. */
  readonly language: Language
  log<Name extends EventName>(name: Name, details: Details<Name>): void
}

/** A call whose input was read, and all Markdown of it rendered: no transaction, with what it has locked, waits for that. */
export interface Prepared<Key, Outcome> extends Omit<Call<Key>, 'input' | 'baseUrl'> {
  readonly operation: Operation<Key, Outcome>
  readonly read: Read<Readonly<Record<string, unknown>>>
  readonly isDoubted: boolean
}

/** Performs an operation in a transaction of its own. @throws Refused, Problem or NeedsSignIn; nothing is written then */
export async function perform<Key, Outcome>(
  db: Database,
  operation: Operation<Key, Outcome>,
  call: Call<Key>,
  surroundings: Surroundings,
): Promise<Outcome> {
  const prepared = await prepare(db, operation, { baseUrl: surroundings.baseUrl, ...call })
  return inTransaction(db, surroundings, (write, within) => performIn(write, prepared, within))
}

/** Prepares a call, before the transaction. What is wrong with its input is told when it is performed. @throws NotDone */
export function prepare<Key, Outcome>(
  db: Database,
  operation: Operation<Key, Outcome>,
  { input: sent, baseUrl, ...call }: Call<Key>,
): Promise<Prepared<Key, Outcome>> {
  return inTurnOf(call.actor === OPERATOR ? null : call.actor, async () => {
    const input = baseUrl === undefined ? sent : withPaths(operation, sent, baseUrl)
    const completed = await operation.completed?.(db, call.actor, call.key, input)
    const read = await operation.read(completed ?? input)
    if (read.ok) await prepareMarkdown((await operation.stored?.(db, call.key)) ?? [])
    const { actor, key } = call
    const isDoubted = read.ok && ((await operation.doubts?.(db, actor, key, read.values)) ?? false)
    return { ...call, operation, read, isDoubted }
  })
}

function withPaths<Key, Outcome>(
  operation: Operation<Key, Outcome>,
  sent: Call<Key>['input'],
  baseUrl: string,
) {
  const texts = Object.entries(sent).flatMap(([name, value]) =>
    typeof value === 'string' && metaOf(operation.input[name]).kind === 'markdown'
      ? [[name, withOwnPictures(value, baseUrl)]]
      : [],
  )
  return { ...sent, ...Object.fromEntries(texts) }
}

/** Runs `work` in a transaction. What is logged in it, to the surroundings that it is given, is logged when that is committed. */
export async function inTransaction<Result, Around extends Pick<Surroundings, 'log'>>(
  db: Database,
  surroundings: Around,
  work: (write: Write, within: Around) => Promise<Result>,
): Promise<Result> {
  const noted: (() => void)[] = []
  const log: Surroundings['log'] = (name, details) => noted.push(() => surroundings.log(name, details))
  const result = await db.transaction().execute((write) => work(write, { ...surroundings, log }))
  for (const note of noted) note()
  return result
}

/**
 * Performs a prepared call in a transaction that is open already. The subject is locked, then the actor is
 * read, so that rights hold that were taken or given a moment ago.
 */
export async function performIn<Key, Outcome>(
  write: Write,
  { operation, read, isDoubted, key, actor: named, holds, isPart = false }: Prepared<Key, Outcome>,
  { log, careful = null, ...forum }: Surroundings,
): Promise<Outcome> {
  const subject = await operation.find(write, key).catch(missing)
  const actor = await readActor(write, named)
  // Only now: what is not there costs as much as what is not there for them.
  if (subject instanceof Problem) throw subject
  // An account is no place: what is done to one's own is a right on the forum, also of those who are suspended.
  const place = subject === null || !('courseId' in subject) ? null : subject
  const right = place === null ? (operation.rightOnProfile ?? operation.right) : operation.right
  if (actor !== OPERATOR) requireRight(actor, right, place)
  const isOwn = subject !== null && 'accountId' in subject
  if (!operation.isForSuspended && !isOwn) requireUnsuspended(actor, place)
  await holds?.(write)
  if (!read.ok) throw new Refused(read.errors)
  const personId = idOf(actor)
  const audited: AuditEntry[] = []
  const note: Surroundings['log'] = (name, details) => {
    const noted = { personId, ...details }
    const entry = auditEntryOf(name, noted)
    if (entry !== null && !isPart) audited.push(entry)
    log(name, noted)
  }
  const doing = { write, actor, subject, input: read.values, careful, isDoubted, ...forum, note }
  const outcome = await operation.run(doing)
  const without = actor === OPERATOR ? 'operator' : actor === null ? 'visitor' : 'forum'
  await recordAudit(write, audited, without)
  return outcome
}

/** That there is no subject, as a value. */
function missing(error: unknown): Problem {
  if (error instanceof Problem && error.key === 'notFound') return error
  throw error
}
