import { typedFields } from '../../web/form.ts'
import { draftPlaceOf } from './text-form.ts'

/** Characters that all fields of one draft may have together: more than any form takes. */
const MAX_CHARACTERS = 60_000
/** Fields of the request that are not the form's. */
const OWN = new Set(['place', 'version'])
/** Fields of all forms that have drafts, and of the request: programs are refused any other. */
export const DRAFT_FIELDS: readonly string[] = [
  ...['_csrf', 'base_version', ...OWN],
  ...['title', 'body', 'tags', 'course', 'category', 'lecture', 'audience', 'anonymous'],
  ...['reason', 'resolve', 'corrects'],
]

/** What a form asks to be saved. */
export interface DraftForm {
  readonly place: string
  readonly fields: Readonly<Record<string, string>>
  /** The draft that the text goes on from; 0: none. */
  readonly version: number
}

/**
 * Reads `place`, `version` and the form's own fields. NUL, which no text of PostgreSQL can hold, is dropped, as no post takes it.
 * @returns null when the fields are longer together than any form takes
 */
export function readDraftForm(body: unknown): DraftForm | null {
  const sent = typedFields(body)
  const fields = Object.fromEntries(
    Object.entries(sent)
      .filter(([name]) => !OWN.has(name))
      .map(([name, value]) => [name, value.toWellFormed().replaceAll('\0', '').normalize('NFC')]),
  )
  const length = Object.values(fields).reduce((sum, value) => sum + value.length, 0)
  if (length > MAX_CHARACTERS) return null
  const version = /^\d{1,9}$/.test(sent.version ?? '') ? Number(sent.version) : 0
  return { place: draftPlaceOf(sent.place ?? ''), fields, version }
}
