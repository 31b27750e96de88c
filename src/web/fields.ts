import { z } from 'zod'
import { hasForbidden, isBlank, lengthOf, normalize } from '../text/characters.ts'

export interface Limits {
  /** Fewest characters (code points), after normalizing and trimming. */
  readonly min: number
  readonly max: number
  /** Message keys of a field that has its own words for these; they get {min} and {max}. */
  readonly short?: string
  readonly long?: string
}

/** One line of text: NFC, trimmed, runs of blanks made one, no control characters. */
export const line = (limits: Limits) =>
  bounded(
    characters(false).transform((text) => text.trim().replace(/\s+/gu, ' ')),
    limits,
  )

/**
 * Text of many lines, e.g. Markdown: NFC, line ends as \n, blank lines at both ends cut. By trimEnd: /\s+$/ takes half a
 * minute for 100,000 blanks before a letter.
 */
export const text = (limits: Limits) => bounded(characters(true).transform(withoutBlankEnds), limits)

/** Normalized text as `text` takes it. */
export function withoutBlankEnds(value: string): string {
  return value.replace(/^(?:[ \t]*\n)+/u, '').trimEnd()
}

/** A secret: taken as typed but for NFC, so that it is the same on every keyboard. */
export const secret = (limits: Limits) =>
  bounded(
    z.string().transform((value) => value.normalize('NFC')),
    limits,
    lengthOf,
  )

/** One of a list; anything else is refused. */
export const choice = <const Values extends readonly string[]>(values: Values, key = 'forms.choice') =>
  z.string().transform((value, context): Values[number] => {
    const chosen = values.find((candidate) => candidate === value)
    if (chosen !== undefined) return chosen
    context.addIssue({ code: 'custom', message: key })
    return z.NEVER
  })

/** A field that may be left empty: `null` then. */
export const optional = <Field extends z.ZodType>(field: Field) =>
  z.string().transform((value, context): z.output<Field> | null => {
    if (value.trim() === '') return null
    const result = field.safeParse(value)
    if (result.success) return result.data
    for (const issue of result.error.issues) context.addIssue({ ...issue, path: [] } as never)
    return z.NEVER
  })

function characters(multiline: boolean) {
  return z
    .string()
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
}

/** What nobody can see, such as zero-width spaces, is as empty as nothing. */
function inkOf(value: string): number {
  return isBlank(value) ? 0 : lengthOf(value)
}
