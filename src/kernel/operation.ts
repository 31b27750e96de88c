import { z } from 'zod'
import type { Database, Write } from '../database/schema.ts'
import type { Message } from '../messages/catalogue.ts'
import type { Language } from '../messages/language.ts'
import type { Doer, Named } from './actor.ts'
import type { Details, EventName } from './audit/kinds.ts'
import type { Limit } from './limits.ts'
import type { FieldError } from './problem.ts'
import type { Act, ForumAct, Place, Written } from './rights/rights.ts'

/** An account that is locked, such as the actor's own. The right to change it is one on the forum. */
export interface Account {
  readonly accountId: number
}

/** Somebody as others see them, who are of no course. */
export interface Profile {
  readonly profileId: number
}

/** The forum as a whole, with what the key names of it. */
export interface OfForum {
  readonly isForum: true
}

/** The subject of an operation. `null`: the forum as a whole. */
export type Subject = Place | Written | Account | Profile | OfForum | null

/** How something that operations are done to is found: locked, so that what is read of it holds until the write ends. */
export type Find<Key, Found extends Subject> = (write: Write, key: Key) => Promise<Found>

/** The subject of operations on the forum as a whole, or on the actor's own account. */
export const forum: Find<null, null> = async () => null

/** How the forum looks at posts of strangers with care; null: it does not. */
export type Careful = {
  /** Who has not confirmed an address can. */
  readonly sendsMail: boolean
  /** A field was filled that people don't see. */
  readonly isTrapped?: boolean
  /** The network that the request came from; left out: it came by none. */
  readonly network?: string
} | null

/** The context of an operation. All of it was read in the transaction of `write`, after its subject was locked. */
export interface Doing<Input, Found extends Subject, Event extends EventName = never> {
  readonly write: Write
  readonly actor: Doer
  readonly subject: Found
  readonly input: Input
  /** The forum's address: links that begin with it are its own. */
  readonly baseUrl: string
  readonly careful: Careful
  /** A service says that what was sent should wait for a person. */
  readonly isDoubted: boolean
  readonly language: Language
  /** Notes one of the operation's events in the log; it is written when the transaction is. */
  note<Name extends Event>(name: Name, details: Details<Name>): void
}

/** Refuses what is right in form, by throwing a Refused or a Problem. */
export type Rule<Input, Found extends Subject> = (doing: Doing<Input, Found>) => void | Promise<void>

type Sent = Readonly<Record<string, unknown>>

/** One thing that a person can do, whichever door they come through. It knows no HTTP, no cookies and no paths. */
export interface Operation<Key, Outcome, Fields extends z.ZodRawShape = z.ZodRawShape> {
  /** The act, in words with hyphens; the same in tests, docs and the log. */
  readonly name: string
  readonly right: Act
  /** The right on the forum that it needs of a profile, or of the forum itself, where it is also done to posts or in courses. */
  readonly rightOnProfile?: ForumAct
  readonly find: Find<Key, Subject>
  readonly events: readonly EventName[]
  /** Counts how often each account does it: as often as people post, unless it says otherwise. */
  readonly limit: Limit
  /** Suspended people can do it as well: leaving, objecting, what is about their own account alone. */
  readonly isForSuspended: boolean
  /** A form or a request that comes twice does it once. */
  readonly once: boolean
  /** Fields of kernel/fields.ts. A door may send text or, where the field takes it, a typed value. */
  readonly input: Fields
  read(sent: Sent): Promise<Read<Readonly<Record<string, unknown>>>>
  /** What was sent, as it is read: with what only the database knows in place of words that name it. Before the transaction. */
  completed?(db: Database, actor: Named, key: Key, sent: Sent): Promise<Sent>
  /**
   * Markdown beside its input's that it will render: texts that are stored. It is rendered before the transaction, which finds it rendered.
   */
  stored?(db: Database, key: Key): Promise<readonly string[]>
  /** Whether a service doubts what was sent: asked before the transaction, as it may take seconds. */
  doubts?(db: Database, actor: Named, key: Key, values: Readonly<Record<string, unknown>>): Promise<boolean>
  /** Asks the rules, then does it. What it throws takes everything back. @param doing with what `find` and `read` gave */
  run(doing: Doing<Readonly<Record<string, unknown>>, Subject, EventName>): Promise<Outcome>
}

export type Listed = Operation<never, unknown>

const DEFAULTS = { limit: 'posting', isForSuspended: false, once: false, events: [] } as const

export interface Options<
  Key,
  Found extends Subject,
  Outcome,
  Fields extends z.ZodRawShape,
  Event extends EventName,
> extends Pick<Listed, 'name' | 'right' | 'rightOnProfile'>,
    Partial<Pick<Listed, keyof typeof DEFAULTS>> {
  readonly find: Find<Key, Found>
  readonly events?: readonly Event[]
  readonly input?: Fields
  readonly rules?: readonly Rule<z.output<z.ZodObject<Fields>>, Found>[]
  stored?(db: Database, key: Key): Promise<readonly string[]>
  completed?(db: Database, actor: Named, key: Key, sent: Sent): Promise<Sent>
  doubts?(db: Database, actor: Named, key: Key, values: z.output<z.ZodObject<Fields>>): Promise<boolean>
  run(doing: Doing<z.output<z.ZodObject<Fields>>, Found, Event>): Promise<Outcome>
}

const listed = new Map<string, Listed>()

/** Defines an operation, and lists it for docs and tests. @throws Error when there is one of that name */
export function operation<
  Key,
  Found extends Subject,
  Outcome,
  Fields extends z.ZodRawShape = Record<never, never>,
  Event extends EventName = never,
>(options: Options<Key, Found, Outcome, Fields, Event>): Operation<Key, Outcome, Fields> {
  const { name, input = {} as Fields } = options
  if (listed.has(name)) throw new Error(`there are two operations named ${name}`)
  async function run(doing: Doing<z.output<z.ZodObject<Fields>>, Found, Event>): Promise<Outcome> {
    for (const rule of options.rules ?? []) await rule(doing)
    return options.run(doing)
  }
  const defined = { ...DEFAULTS, ...options, input, read: reader(input).read, run }
  listed.set(name, defined)
  return defined
}

/** Those of the modules that are loaded, by name: rooms.ts has the list of all. */
export function definedOperations(): readonly Listed[] {
  return [...listed.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** What fields mean, or what is wrong with them. */
export type Read<Values> =
  | { readonly ok: true; readonly values: Values }
  | { readonly ok: false; readonly errors: FieldError[] }

/** Reads what came for some fields. Other names are not looked at. */
export interface Reader<Values> {
  read(sent: Sent): Promise<Read<Values>>
  /** The same where no field is Markdown, which is rendered elsewhere. */
  readAtOnce(sent: Sent): Read<Values>
}

/** Makes a reader of fields of fields.ts. What is left out is empty, but for fields to which that makes a difference. */
export function reader<Fields extends z.ZodRawShape>(fields: Fields): Reader<z.output<z.ZodObject<Fields>>> {
  const schema = z.object(fields)
  const given = (sent: Sent) =>
    Object.fromEntries(Object.keys(fields).map((name) => [name, givenTo(fields[name], sent[name])]))
  return {
    read: async (sent) => readOf(await schema.safeParseAsync(given(sent))),
    readAtOnce: (sent) => readOf(schema.safeParse(given(sent))),
  }
}

function readOf<Values>(result: z.ZodSafeParseResult<Values>): Read<Values> {
  if (result.success) return { ok: true, values: result.data }
  return { ok: false, errors: result.error.issues.map(errorOf) }
}

function givenTo(field: unknown, value: unknown): unknown {
  if (value === undefined && field instanceof z.ZodType && field.isOptional()) return undefined
  return value ?? ''
}

/** Of an issue of fields.ts: its message is a key. Any other is about a value that is no text. */
function errorOf(issue: z.core.$ZodIssue): FieldError {
  const field = String(issue.path[0])
  if (issue.code !== 'custom') return { field, message: { key: 'forms.repeated' } }
  const { message: key } = issue
  const values = issue.params as Message['values']
  return { field, message: values === undefined ? { key } : { key, values } }
}
