import { parse } from 'yaml'
import { z } from 'zod'
import { SampleError } from './sample-course.ts'

/** Text of at most `max` characters, trimmed and in NFC, the form in which the forum keeps all text. */
export const textOf = (max: number, min = 1) =>
  z
    .string()
    .transform((text) => text.trim().normalize('NFC'))
    .pipe(z.string().min(min).max(max))

/**
 * The value a piece of YAML stands for, checked.
 * @param file named in the message when something is wrong
 * @param place what of the file the YAML is, e.g. its first line; said in the message
 * @throws SampleError
 */
export function readYaml<Schema extends z.ZodType>(
  yaml: string,
  schema: Schema,
  file: string,
  place = '',
): z.output<Schema> {
  return check(parsed(yaml, file, place), schema, file, place)
}

/** @throws SampleError naming the first thing the schema refuses */
export function check<Schema extends z.ZodType>(
  value: unknown,
  schema: Schema,
  file: string,
  place = '',
): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  throw new SampleError([file, place, issue?.path.join('.'), issue?.message].filter(Boolean).join(': '))
}

function parsed(yaml: string, file: string, place: string): unknown {
  try {
    return parse(yaml)
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
    throw new SampleError([file, place, reason].filter(Boolean).join(': '))
  }
}
