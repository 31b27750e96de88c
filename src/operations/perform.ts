import { z } from 'zod'
import { type AuditEntry, auditEntryOf } from '../audit-log/audited.ts'
import type { Details, EventName } from '../audit-log/kinds.ts'
import { recordAudit } from '../audit-log/record.ts'
import type { Database, Write } from '../database/schema.ts'
import type { Message } from '../messages/catalogue.ts'
import type { Language } from '../messages/language.ts'
import type { Place, Written } from '../rights/rights.ts'
import { type Named, OPERATOR, readActor } from './actor.ts'
import type { Doing, Operation, Subject } from './operation.ts'
import { type Once, postOnce } from './posted-once.ts'
import { Problem } from './problem.ts'
import { type FieldError, Refused } from './refused.ts'
import { requireRight } from './require-right.ts'
import { requireUnsuspended } from './suspended.ts'

/** What a door asks for. */
export interface Call<Key, Outcome> {
  readonly actor: Named
  /** Names the subject. */
  readonly key: Key
  /** What came for the operation's fields; others are not looked at. */
  readonly input: Readonly<Record<string, unknown>>
  /** What the door itself has to write with it, when it is done. */
  also?(write: Write, outcome: Outcome): Promise<void>
}

/** What performing needs to know of the forum, and where the log is. */
export interface Surroundings {
  readonly baseUrl: string
  /** What the forum speaks with who does it: for letters to those who have chosen no language. */
  readonly language: Language
  /** Writes an event of the log. */
  log<Name extends EventName>(name: Name, details: Details<Name>): void
}

/** A door's answer to what it does once: kept with the key, and given again when the same comes again. */
export interface OnceAnswered<Outcome> extends Once {
  answer(outcome: Outcome): string
}

/**
 * Performs an operation in a transaction of its own. What it notes is logged when that is committed.
 * @throws Refused, Problem or NeedsSignIn; nothing is written then
 */
export async function perform<Fields extends z.ZodRawShape, Key, Found extends Subject, Outcome>(
  db: Database,
  operation: Operation<Fields, Key, Found, Outcome>,
  call: Call<Key, Outcome>,
  surroundings: Surroundings,
): Promise<Outcome> {
  const notes = new Notes()
  const outcome = await db
    .transaction()
    .execute((write) => performIn(write, operation, call, { ...surroundings, log: notes.take }))
  notes.writeTo(surroundings)
  return outcome
}

/** The same, once for all that come with one key. @returns the door's answer to the first of them */
export async function performOnce<Fields extends z.ZodRawShape, Key, Found extends Subject, Outcome>(
  db: Database,
  operation: Operation<Fields, Key, Found, Outcome>,
  call: Call<Key, Outcome>,
  surroundings: Surroundings,
  once: OnceAnswered<Outcome>,
): Promise<string> {
  const notes = new Notes()
  const answer = await postOnce(db, once, async (write) =>
    once.answer(await performIn(write, operation, call, { ...surroundings, log: notes.take })),
  )
  notes.writeTo(surroundings)
  return answer
}

/**
 * Performs an operation in a transaction that is open already; what it notes is given to `surroundings.log` at once. The subject is
 * locked, then the actor is read, so that rights hold that were taken or given a moment ago.
 */
export async function performIn<Fields extends z.ZodRawShape, Key, Found extends Subject, Outcome>(
  write: Write,
  operation: Operation<Fields, Key, Found, Outcome>,
  call: Call<Key, Outcome>,
  { log, ...forum }: Surroundings,
): Promise<Outcome> {
  const found = await findOrMiss(write, operation, call.key)
  const actor = await readActor(write, call.actor)
  // Only now: what is not there costs as much as what is not there for them.
  if (found instanceof Problem) throw found
  const { subject } = found
  // An account is no place: what is done to one's own is a right on the forum, also of those who are suspended.
  const place = placeOf(subject)
  if (actor !== OPERATOR) requireRight(actor, operation.right, place)
  const isForSuspended = operation.isForSuspended === true || place !== subject
  if (!isForSuspended) requireUnsuspended(actor, place)
  const input = readInput(operation.input, call.input)
  const personId = actor === null || actor === OPERATOR ? null : actor.id
  const audited: AuditEntry[] = []
  const note: Doing<typeof input, Found>['note'] = (name, details) => {
    const noted = { personId, ...details }
    const entry = auditEntryOf(name, noted)
    if (entry !== null) audited.push(entry)
    log(name, noted)
  }
  const doing = { write, actor, subject, input, ...forum, note }
  for (const rule of operation.rules) await rule(doing)
  const outcome = await operation.run(doing)
  await recordAudit(write, audited, actor === OPERATOR ? 'operator' : 'visitor')
  await call.also?.(write, outcome)
  return outcome
}

/** The subject of an operation, or that there is none. */
async function findOrMiss<Fields extends z.ZodRawShape, Key, Found extends Subject, Outcome>(
  write: Write,
  { find }: Operation<Fields, Key, Found, Outcome>,
  key: Key,
): Promise<{ readonly subject: Found } | Problem> {
  try {
    return { subject: await find(write, key) }
  } catch (error) {
    if (error instanceof Problem && error.key === 'notFound') return error
    throw error
  }
}

function placeOf(subject: Subject): Place | Written | null {
  return subject === null || 'accountId' in subject ? null : subject
}

/** @throws Refused when a field is not what it has to be */
function readInput<Fields extends z.ZodRawShape>(
  fields: Fields,
  sent: Readonly<Record<string, unknown>>,
): z.output<z.ZodObject<Fields>> {
  const given = Object.fromEntries(
    Object.keys(fields).map((name) => [name, givenTo(fields[name], sent[name])]),
  )
  const result = z.object(fields).safeParse(given)
  if (result.success) return result.data
  throw new Refused(result.error.issues.map(errorOf))
}

/** What is left out is empty, but for fields to which that makes a difference. */
function givenTo(field: unknown, value: unknown): unknown {
  if (value === undefined && field instanceof z.ZodType && field.isOptional()) return undefined
  return value ?? ''
}

/** Of an issue of fields.ts: its message is a key. Any other is about a value that is no text. */
export function errorOf(issue: z.core.$ZodIssue): FieldError {
  const field = String(issue.path[0])
  if (issue.code !== 'custom') return { field, message: { key: 'forms.repeated' } }
  const { message: key } = issue
  const values = issue.params as Message['values']
  return { field, message: values === undefined ? { key } : { key, values } }
}

/** Events of a transaction that may yet be taken back. */
class Notes {
  readonly #noted: ((surroundings: Surroundings) => void)[] = []

  readonly take: Surroundings['log'] = (name, details) => {
    this.#noted.push((surroundings) => surroundings.log(name, details))
  }

  writeTo(surroundings: Surroundings): void {
    for (const note of this.#noted) note(surroundings)
  }
}
