import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Encoding } from '../encoding.ts'
import { isKnownTag } from '../entity-tag.ts'
import type { Tally } from '../tally.ts'
import type { Answer, OnSent, Rendering } from './rendering.ts'

export type SentEncoding = Encoding | 'identity'

/** A page as it is sent to visitors. */
export interface VisitorPage {
  /** Names and values in turn, as Node's writeHead takes them. */
  readonly headers: readonly string[]
  readonly etag: string
  readonly body: Buffer
  readonly onSent: OnSent | null
  readonly tally: Tally | null
  /** Bytes. */
  readonly size: number
}

/** Two thirds of what the best quality saves, in a twentieth of its time. */
const BROTLI_QUALITY = 5

const compress = {
  br: (text: Buffer) =>
    promisify(brotliCompress)(text, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
      },
    }),
  gzip: (text: Buffer) => promisify(gzip)(text),
  identity: async (text: Buffer) => text,
}

/** Headers that each answer has of its own, or that describe its own body. */
const OWN_HEADERS = [
  'connection',
  'content-length',
  'date',
  'etag',
  'keep-alive',
  'transfer-encoding',
  'vary',
]

/** Packs an answer as all visitors get it; null: it is not the same for all. */
export async function visitorPage(
  answer: Answer,
  { onSent, tally }: Rendering,
  encoding: SentEncoding,
): Promise<VisitorPage | null> {
  if (!isForAll(answer)) return null
  const body = exactly(await compress[encoding](answer.rawPayload))
  const etag = String(answer.headers.etag).replace(/"$/, `-${encoding}"`)
  const headers = [
    ...sharedHeaders(answer),
    'etag',
    etag,
    ...(encoding === 'identity' ? [] : ['content-encoding', encoding]),
    'content-length',
    String(body.length),
  ]
  return { headers, etag, body, onSent, tally, size: body.length + String(headers).length }
}

function sharedHeaders(answer: Answer): string[] {
  const headers = Object.entries(answer.headers)
    .filter(([name]) => !OWN_HEADERS.includes(name))
    .flatMap(([name, value]) => [name, String(value)])
  const names = [...String(answer.headers.vary ?? '').split(/,\s*/), 'accept-encoding']
  return [...headers, 'vary', [...new Set(names.filter(Boolean))].join(', ')]
}

/** A copy of its own: what zlib returns is a part of a larger buffer. */
function exactly(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}

/** Whether an answer may be sent to all visitors: a page that exists, without a cookie or a form's token. */
function isForAll({ statusCode, headers }: Answer): boolean {
  return (
    statusCode === 200 &&
    headers['set-cookie'] === undefined &&
    !String(headers['cache-control']).includes('no-store')
  )
}

/** Sends a page without the framework. */
export function sendVisitorPage(
  page: VisitorPage,
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  response: ServerResponse,
): void {
  if (isKnownTag(headers['if-none-match'], page.etag)) {
    response.writeHead(304, page.headers.filter(isFor304)).end()
    return
  }
  response.writeHead(200, [...page.headers])
  response.end(method === 'HEAD' ? undefined : page.body)
}

/** Leaves out what describes a body (RFC 9110, 15.4.5). */
function isFor304(_value: string, index: number, headers: readonly string[]): boolean {
  const name = headers[index - (index % 2)] ?? ''
  return !name.startsWith('content-') || name === 'content-security-policy'
}
