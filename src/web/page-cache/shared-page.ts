import type { OutgoingHttpHeaders } from 'node:http'
import type { Response } from 'light-my-request'
import type { Tally } from '../tally.ts'
import type { OnSent, Rendering } from './rendering.ts'
import { type Template, templateOf } from './template.ts'

/** An answer that many get: to visitors as it is, to members with the slots filled in. */
export interface SharedPage extends Template {
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
export function sizeOf({ bytes, slots, headers, personalFor }: SharedPage): number {
  const small = SLOT_BYTES * slots.length + ID_BYTES * personalFor.size
  return bytes.length + JSON.stringify(headers).length + small
}

/** Packs an answer for all who would get it; null: it has something of one browser's or one person's own. */
export function sharedPage(
  { statusCode: status, headers, rawPayload }: Response,
  { reader, onSent, personalFor, tally }: Rendering,
): SharedPage | null {
  const hasToken = String(headers['cache-control']).includes('no-store')
  const isPersonal = reader === null ? status === 200 && hasToken : status !== 200
  if (isPersonal || headers['set-cookie'] !== undefined) return null
  const { connection: _connection, date: _date, 'transfer-encoding': _chunked, ...shared } = headers
  // A copy in memory of its own: small buffers are parts of larger ones, which would be kept as well.
  const asItIs = { bytes: Buffer.from(new Uint8Array(rawPayload).buffer), slots: [] }
  const template = reader === null ? asItIs : templateOf(rawPayload)
  const rawHeaders = Object.entries(shared).flatMap(([name, value]) => [name, String(value)])
  return { ...template, status, headers: shared, rawHeaders, onSent, personalFor, tally }
}
