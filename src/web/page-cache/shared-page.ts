import type { OutgoingHttpHeaders } from 'node:http'
import type { Response } from 'light-my-request'
import type { Tally } from '../tally.ts'
import type { OnSent, Rendering } from './rendering.ts'
import type { Template } from './template.ts'

/** What is cached of a page: for visitors a character for each byte, sent as it is; for members a template. */
export type Body = string | Template

/** An answer that many get. */
export interface SharedPage<Kind extends Body = Body> {
  readonly body: Kind
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  /** The same, names and values in turn: as Node sends them fastest. */
  readonly rawHeaders: string[]
  readonly onSent: OnSent | null
  readonly personalFor: Rendering['personalFor']
  readonly tally: Tally | null
}

const SLOT_BYTES = 80
const ID_BYTES = 20

/** About the memory that a page takes, in bytes. */
export function sizeOf({ body, headers, personalFor }: SharedPage): number {
  const bodyBytes =
    typeof body === 'string' ? body.length : body.bytes.length + SLOT_BYTES * body.slots.length
  return bodyBytes + JSON.stringify(headers).length + ID_BYTES * personalFor.size
}

/** Packs an answer for all who would get it; null: it has something of one browser's or one person's own. */
export function sharedPage<Kind extends Body>(
  { statusCode: status, headers }: Response,
  payload: Buffer,
  { reader, onSent, personalFor, tally }: Rendering,
  bodyOf: (payload: Buffer) => Kind,
): SharedPage<Kind> | null {
  const hasToken = String(headers['cache-control']).includes('no-store')
  const isPersonal = reader === null ? status === 200 && hasToken : status !== 200
  if (isPersonal || headers['set-cookie'] !== undefined) return null
  const { connection: _connection, date: _date, 'transfer-encoding': _chunked, ...shared } = headers
  const rawHeaders = Object.entries(shared).flatMap(([name, value]) => [name, String(value)])
  return { body: bodyOf(payload), status, headers: shared, rawHeaders, onSent, personalFor, tally }
}
