import type { z } from 'zod'
import type { Table } from '../database/table.ts'
import { personOf } from './actor.ts'
import type { EventName } from './audit/kinds.ts'
import { yes } from './fields.ts'
import { type Doing, type Operation, type Options, operation, type Subject } from './operation.ts'
import type { Person } from './rights/person.ts'

type Sent = Readonly<Record<string, unknown>>

/** What became of a mark. `done` chooses the message that says so. */
export interface Marked<Done extends string = string> {
  readonly done: Done
  /** Left out: yes, where the mark has an `undo` of what was done. */
  readonly isUndoable?: boolean
}

/** How doors offer a mark. Its form, PUT and DELETE, their documentation, what is said and how it is undone come of this. */
export interface Offer<Done extends string = string> {
  /** Of its form, and below /api/v1: `/answers/:id/acceptance`. */
  readonly address: string
  /** Of its form, where that is another one. */
  readonly formAddress?: string
  /** In the names of PUT and DELETE, where it isn't the last word of the address: `Acceptance`, of `putAcceptance`. */
  readonly noun?: string
  readonly isForStaff?: boolean
  /** The input of PUT, besides the members of its body, and of DELETE. */
  readonly set: Sent
  readonly unset: Sent
  /** The members that PUT's body may have. */
  readonly body?: {
    readonly fields: Readonly<Record<string, z.ZodType>>
    readonly required: readonly string[]
  }
  /** Messages, by what was done. */
  readonly flash: Readonly<Record<Done, string>>
  /** Where it is written, if in a table of its own. */
  readonly table?: Table
  /** What the button beside the message of `of` sends. `isOfDesk`: only the desk shows one. */
  readonly undo?: { readonly of: Done; readonly sends: Sent; readonly isOfDesk?: boolean }
  /** The only field of its form, which is shown again with what is wrong; left out: a page says that something is. */
  readonly asks?: { readonly name: string; readonly type: 'text' | 'date' }
}

/** An operation with a way back: twice the same is once. */
export interface Mark<Key, Outcome extends Marked> extends Operation<Key, Outcome>, Offer {}

/** A mark with a value, or with consequences for others: `run` sets and unsets it. */
export function markWith<
  Key,
  Found extends Subject,
  Outcome extends Marked,
  Fields extends z.ZodRawShape,
  Event extends EventName = never,
>(options: Options<Key, Found, Outcome, Fields, Event> & Offer<Outcome['done']>): Mark<Key, Outcome> {
  return { ...options, ...operation({ limit: 'voting', ...options }) }
}

/** A mark that is there or not: `value` = `1` or `0`. `change` writes it. */
export function mark<Key, Found extends Subject, Event extends EventName = never>({
  change,
  ...options
}: Pick<Options<Key, Found, unknown, Record<never, never>, Event>, 'name' | 'right' | 'find' | 'events'> &
  Omit<Offer<'set' | 'unset'>, 'set' | 'unset' | 'body'> & {
    change(doing: Doing<unknown, Found, Event> & { readonly person: Person }, isSet: boolean): Promise<void>
  }) {
  return markWith({
    ...options,
    input: { value: yes },
    set: { value: true },
    unset: { value: false },
    async run(doing: Doing<{ readonly value: boolean }, Found, Event>) {
      const { value: isSet } = doing.input
      await change({ ...doing, person: personOf(doing.actor) }, isSet)
      return { subject: doing.subject, done: isSet ? ('set' as const) : ('unset' as const) }
    },
  })
}
