import { strangeFields, typedFields } from '../../web/form.ts'
import { draftPlaceOf } from './text-form.ts'

/** Bytes that all fields of one draft may have together: more than any form takes, and as the table bounds them. */
const MAX_BYTES = 200_000
/** Fields of one draft: more than any form has. */
const MAX_FIELDS = 40
/** Fields of the request, and where its form came from and leads. */
const NOT_KEPT = new Set(['place', 'version', 'back', 'next'])

/** What a form asks to be saved. */
export interface DraftForm {
  readonly place: string
  readonly fields: Readonly<Record<string, string>>
  /** The draft that the text goes on from; 0: none. */
  readonly version: number
}

/** What a program sends that no draft keeps: names that no field of ours has, secrets, and fields that come twice. */
export function isStrange(body: unknown): boolean {
  return strangeFields(body, ['_csrf', ...Object.keys(typedFields(body))]).length > 0
}

/**
 * Reads `place`, `version` and all named fields of the form but secrets: which it has is its own affair. NUL,
 * which no text of PostgreSQL can hold, is dropped, as no post takes it.
 * @returns null when the fields are more, or longer together, than any form takes
 */
export function readDraftForm(body: unknown): DraftForm | null {
  const sent = typedFields(body)
  const fields = Object.fromEntries(
    Object.entries(sent)
      .filter(([name]) => !NOT_KEPT.has(name))
      .map(([name, value]) => [name, value.toWellFormed().replaceAll('\0', '').normalize('NFC')]),
  )
  if (Object.keys(fields).length > MAX_FIELDS) return null
  if (Buffer.byteLength(JSON.stringify(fields)) > MAX_BYTES) return null
  const version = /^\d{1,9}$/.test(sent.version ?? '') ? Number(sent.version) : 0
  return { place: draftPlaceOf(sent.place ?? ''), fields, version }
}
