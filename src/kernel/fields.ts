import { z } from 'zod'
import { hasForbidden, isBlank, lengthOf, normalize, withoutEscapeSequences } from '../text/characters.ts'
import { prepareMarkdown } from '../text/markdown.ts'
import { showsNothing } from '../text/plain.ts'

declare module 'zod' {
  /** What a field says of itself to forms and to the API's document, which has the names of JSON Schema. */
  interface GlobalMeta {
    type?: string | string[]
    enum?: string[]
    default?: unknown
    /** 'email', 'date' and 'password' are types of HTML's input, too. */
    format?: string
    minimum?: number
    deprecated?: boolean
    minLength?: number
    maxLength?: number | undefined
    isOptional?: boolean
    /** What browsers may fill in, by HTML's names. */
    autocomplete?: string
    /** Left out: a line. */
    kind?: 'text' | 'markdown'
  }
}

/** What a field says of itself; one that goes on from another says what that says, too. */
export function metaOf(field: unknown): z.GlobalMeta {
  if (!(field instanceof z.ZodType)) return {}
  return { ...(field instanceof z.ZodPipe && metaOf(field.in)), ...field.meta() }
}

export interface Limits {
  /** Fewest characters (code points), after normalizing and trimming. */
  readonly min: number
  readonly max: number
  /** Message keys of a field that has its own words for these; they get {min} and {max}. */
  readonly short?: string
  readonly long?: string
}

/** One line of text: NFC, trimmed, runs of blanks made one, no control characters. */
export const line = (limits: Limits) => bounded(characters(false).transform(onOneLine), limits)

/** A line that is a title: a tab, as copied from a log or a table, is a blank in it. */
export const titleLine = (limits: Limits) =>
  bounded(characters(false, (typed) => typed.replaceAll('\t', ' ')).transform(onOneLine), limits)

const onOneLine = (typed: string) => typed.trim().replace(/\s+/gu, ' ')

/**
 * Text of many lines: NFC, line ends as \n, blank lines at both ends and escape sequences cut. It uses
 * trimEnd because /\s+$/ takes half a minute for 100,000 blanks before a letter.
 */
export const text = (limits: Limits) =>
  bounded(characters(true, withoutEscapeSequences).transform(withoutBlankEnds), limits).meta({ kind: 'text' })

/** Markdown as a RenderedText. One that shows nothing, such as link definitions alone, is empty. */
export const markdown = (limits: Limits) =>
  text(limits)
    .transform(async (typed) => (await prepareMarkdown([typed]))[0])
    .refine(({ html }) => limits.min === 0 || !showsNothing(html), {
      error: limits.short ?? 'forms.tooShort',
      params: { min: limits.min, max: limits.max },
    })
    .meta({ kind: 'markdown' })

function withoutBlankEnds(value: string): string {
  return value.replace(/^(?:[ \t]*\n)+/u, '').trimEnd()
}

/** A secret: taken as typed but for NFC, so that it is the same on every keyboard. */
export const secret = (limits: Limits, autocomplete = 'current-password') =>
  bounded(
    z.string().transform((value) => value.normalize('NFC')),
    limits,
    lengthOf,
    // Browsers would cut off what is too long, and it would be another one.
  ).meta({ format: 'password', autocomplete, maxLength: undefined })

/** A short text that the operation reads itself: an id, a day, a choice that depends on others. */
export const plain = z
  .union([z.string(), z.number().transform(String)])
  .refine(
    (value) => value.length <= 2000 && value.isWellFormed() && !hasForbidden(value, { multiline: false }),
    {
      error: 'forms.forbidden',
    },
  )
  .meta({ type: 'string' })

/** The id of something, a number, or an address or a word that means one, which the operation reads itself. */
export const reference = plain.meta({ type: ['integer', 'string'] })

/** A day, such as 2026-12-01, which the operation reads itself. */
export const typedDay = plain.meta({ type: 'string', format: 'date' })

/** A whole number from 1 on. @param wrong the message key of anything else; it gets {min} and {max} */
export const whole = (max: number, wrong: string) =>
  plain
    .transform((value, context): number => {
      const number = /^\d{1,15}$/.test(value.trim()) ? Number(value) : 0
      if (number >= 1 && number <= max) return number
      context.addIssue({ code: 'custom', message: wrong, params: { min: 1, max } })
      return z.NEVER
    })
    .meta({ type: 'integer', minimum: 1 })

export const choice = <const Values extends readonly string[]>(values: Values, key = 'forms.choice') =>
  z
    .string()
    .transform((value, context): Values[number] => {
      const chosen = values.find((candidate) => candidate === value)
      if (chosen !== undefined) return chosen
      context.addIssue({ code: 'custom', message: key })
      return z.NEVER
    })
    .meta({ type: 'string', enum: [...values] })

/** A checkbox. True: `1` or true. False: `0`, false or left out. */
export const flag = z
  .union([z.string(), z.boolean()])
  .transform((value, context): boolean => isYes(value === '' ? false : value, context))
  .meta({ type: 'boolean', default: false })

/** A flag that must not be left out: `1` does something, `0` takes it back. */
export const yes = z
  .union([z.string(), z.boolean()])
  .transform((value, context): boolean => isYes(value, context))
  .meta({ type: 'boolean' })

/** A box that may be left out: null then. */
export const optionalFlag = z
  .union([z.string(), z.boolean()])
  .transform((value, context): boolean | null => (value === '' ? null : isYes(value, context)))
  .meta({ type: ['boolean', 'null'] })

function isYes(value: string | boolean, context: z.core.$RefinementCtx): boolean {
  if (value === '1' || value === true) return true
  if (value === '0' || value === false) return false
  context.addIssue({ code: 'custom', message: 'forms.choice' })
  return z.NEVER
}

/** A field that may be left empty: `null` then. */
export const optional = <Field extends z.ZodType>(field: Field) =>
  z
    .preprocess(
      (value) => (value === undefined || (typeof value === 'string' && value.trim() === '') ? null : value),
      field.nullable(),
    )
    .meta({ ...metaOf(field), isOptional: true })

/** @param mended what is put right before it is looked at */
function characters(multiline: boolean, mended = (typed: string) => typed) {
  return z
    .string()
    .transform(mended)
    .refine((value) => value.isWellFormed() && !hasForbidden(value.replaceAll('\r\n', '\n'), { multiline }), {
      error: 'forms.forbidden',
      abort: true,
    })
    .transform(normalize)
}

function bounded<Field extends z.ZodType<string>>(
  field: Field,
  { min, max, short, long }: Limits,
  fullness = inkOf,
) {
  return field
    .refine((value) => fullness(value) >= min, {
      error: short ?? 'forms.tooShort',
      params: { min, max },
      abort: true,
    })
    .refine((value) => lengthOf(value) <= max, { error: long ?? 'forms.tooLong', params: { min, max } })
    .meta({ type: 'string', minLength: min, maxLength: max })
}

/** What nobody can see, such as zero-width spaces, is as empty as nothing. */
function inkOf(value: string): number {
  return isBlank(value) ? 0 : lengthOf(value)
}
