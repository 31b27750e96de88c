import type { FastifyRequest } from 'fastify'
import { TABLE_FILE_BYTES } from '../limits/table.ts'
import type { Message } from '../messages/catalogue.ts'
import { textOfTable } from '../text/table.ts'
import { type FormState, refuse, typedFields } from './form.ts'

/** A form's fields with the text of its file in place of the field that it stands for, or why there is none. */
export type TableFields =
  | { readonly body: unknown; readonly refused: null }
  | { readonly body: unknown; readonly refused: FormState }

/** What spreadsheets and course systems call the files of tables. */
const TABLE_NAME = /\.(?:csv|tsv)$/i

/**
 * Reads a form in which a file may be chosen instead of pasting its text into a field; `table` is `1` where its name says that it
 * is a table.
 * @param name of the field
 */
export function tableFields(request: FastifyRequest, name: string): TableFields {
  const { upload, body } = request
  if (upload === null || upload.bytes.length === 0) return { body, refused: null }
  const typed = typedFields(body)
  const refusedFor = ({ key, values }: Message) => ({
    body,
    refused: refuse({ typed, errors: [] }, 'file', key, values),
  })
  if (upload.isTooLarge)
    return refusedFor({ key: 'forms.file.large', values: { max: TABLE_FILE_BYTES / 1024 / 1024 } })
  if ((typed[name] ?? '').trim() !== '') return refusedFor({ key: 'forms.file.both' })
  const text = textOfTable(upload.bytes)
  if (text === null) return refusedFor({ key: 'forms.file.encoding' })
  const table = TABLE_NAME.test(upload.name) ? '1' : ''
  return { body: { ...typed, [name]: text, table }, refused: null }
}
