import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { type Read, reader } from '../kernel/operation.ts'
import { type FieldError, Refused } from '../kernel/problem.ts'
import type { Message } from '../messages/catalogue.ts'
import { inTurnOf } from '../text/thread/thread.ts'

/** What a form's template needs: what was typed, and what is wrong with it. */
export interface FormState {
  readonly typed: Readonly<Record<string, string>>
  readonly errors: readonly FieldError[]
  /** What was typed is text that the server kept and brings back; the path shows the form without it. */
  readonly discardPath?: string
  /** What was typed comes from a draft; posting to this path deletes it. */
  readonly deleteDraftPath?: string
}

export interface Form<Values> {
  /** Reads its fields of a request's body and nothing else. Never throws, whatever the body is. */
  parse(body: unknown): FormState & Read<Values>
}

/** The state of a form nobody has sent yet. */
export function freshForm(typed: Record<string, string> = {}): FormState {
  return { typed, errors: [] }
}

/** A form that was read well but that the rest of the world refuses, e.g. an address already in use. */
export function refuse(form: FormState, field: string, key: string, values?: Message['values']): FormState {
  const message = values === undefined ? { key } : { key, values }
  return { typed: form.typed, errors: [...form.errors, { field, message }] }
}

/** A form with these fields. A field is a zod schema of fields.ts: text in, value out, messages as keys. */
export function form<Shape extends z.ZodRawShape>(fields: Shape) {
  const { readAtOnce } = reader(fields)
  const parse = (body: unknown) => ({
    errors: [],
    ...readAtOnce(sentFields(body)),
    typed: typedIn(body, Object.keys(fields)),
  })
  /** The same of a form that must be right. @throws Refused */
  const read = (body: unknown) => {
    const result = parse(body)
    if (!result.ok) throw new Refused(result.errors)
    return result
  }
  return { fields, parse, read }
}

/** The same of fields of which some are Markdown. */
export function textForm<Shape extends z.ZodRawShape>(fields: Shape) {
  const names = Object.keys(fields)
  const { read } = reader(fields)
  return {
    names,
    /** Renders the Markdown, too. @throws NotDone */
    async parse({ body, person }: Pick<FastifyRequest, 'body' | 'person'>) {
      const result = await inTurnOf(person, () => read(sentFields(body)))
      return { errors: [], ...result, typed: typedIn(body, names) }
    },
  }
}

/** Values of a body by name, of any type. Inherited names are left out. */
export function sentFields(body: unknown): Readonly<Record<string, unknown>> {
  return Object.assign(Object.create(null), isRecord(body) ? body : {})
}

/** The body of a form, with the boxes that share one of these names as one text. */
export function withBoxes(body: unknown, names: readonly string[]): Readonly<Record<string, unknown>> {
  const sent = sentFields(body)
  const joined = names.map((name) => [name, [sent[name] ?? []].flat().join(' ')])
  return { ...sent, ...Object.fromEntries(joined) }
}

/** Names in a form's body that are not among these, or came twice: what a program sent by mistake, which a person's browser adds. */
export function strangeFields(body: unknown, known: readonly string[]): string[] {
  const sent = Object.entries(sentFields(body))
  return sent.flatMap(([name, value]) => (known.includes(name) && !Array.isArray(value) ? [] : [name]))
}

/** The typed text of these fields. */
export function typedIn(body: unknown, names: readonly string[]): Record<string, string> {
  const sent = sentFields(body)
  return Object.fromEntries(names.map((name) => [name, typedText(sent[name])]))
}

/** How forms of ours name their fields. Others would be no names of elements, and nobody reads them. */
const NAME = /^[a-z][a-z_]{0,40}$/

/** Every text field of a body, to be kept where the form itself is not at hand. Secrets and our own fields are not. */
export function typedFields(body: unknown): Record<string, string> {
  if (!isRecord(body)) return {}
  const kept = Object.entries(body).filter(
    ([name]) => NAME.test(name) && name !== 'password' && name !== 'token' && !name.endsWith('_password'),
  )
  return Object.fromEntries(kept.map(([name, value]) => [name, typedText(value)]))
}

/** A field sent twice keeps its first value on the page; that it came twice is an error of its own. */
function typedText(value: unknown): string {
  const first: unknown = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' ? first : ''
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
