import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, gzip } from 'node:zlib'
import type { Asked } from './asked.ts'
import type { KeptPage } from './kept-pages.ts'
import type { Answer, Rendered } from './page-rendering.ts'

/** A page as it is sent to visitors. */
export interface SharedPage extends KeptPage {
  /** Names and values in turn, as Node's writeHead takes them. */
  readonly headers: string[]
  readonly etag: string
  readonly body: Buffer
}

const compress = {
  br: async (text: Buffer, isPassing: boolean) =>
    isPassing
      ? brotliCompressSync(text, brotliOptions(text, QUICKEST))
      : promisify(brotliCompress)(text, brotliOptions(text, QUALITY)),
  gzip: (text: Buffer) => promisify(gzip)(text),
  identity: async (text: Buffer) => text,
}

/** Two thirds of what the best quality saves, in a twentieth of its time: a page is made again after each change. */
const QUALITY = 5
/** Half of what the best saves, in so little time that handing it over to another thread takes longer. */
const QUICKEST = 1

function brotliOptions(text: Buffer, quality: number) {
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants
  return { params: { [BROTLI_PARAM_QUALITY]: quality, [BROTLI_PARAM_SIZE_HINT]: text.length } }
}

/** Those that each answer has anew, or that are said of its own body. */
const OWN_HEADERS = [
  'connection',
  'content-length',
  'date',
  'etag',
  'keep-alive',
  'transfer-encoding',
  'vary',
]

/** Makes of an answer what is sent to everybody who asks for it so. @param isPassing it will soon be another one */
export async function sharedPage(
  { answer, shown }: Rendered,
  asked: Asked,
  isPassing: boolean,
): Promise<SharedPage> {
  const { encoding } = asked
  const body = exactly(await compress[encoding](answer.rawPayload, isPassing))
  const etag = String(answer.headers.etag).replace(/"$/, `-${encoding}"`)
  const headers = headersToKeep(answer)
  headers.push('etag', etag)
  if (encoding !== 'identity') headers.push('content-encoding', encoding)
  headers.push('content-length', String(body.length))
  return { asked, headers, etag, body, shown, size: body.length }
}

/** The headers of all answers that one is made of, as a flat list of names and values. */
export function headersToKeep(answer: Answer): string[] {
  const headers = Object.entries(answer.headers)
    .filter(([name]) => !OWN_HEADERS.includes(name))
    .flatMap(([name, value]) => [name, String(value)])
  const names = [...String(answer.headers.vary ?? '').split(/,\s*/), 'accept-encoding']
  return [...headers, 'vary', [...new Set(names.filter(Boolean))].join(', ')]
}

/** A copy of its own: what zlib gives is a part of 16 KB. */
function exactly(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}

/** Whether an answer is the same for all and may be kept: a page that was there, with nothing for one browser in it. */
export function isForAll(answer: Answer): boolean {
  return (
    answer.statusCode === 200 &&
    answer.headers['set-cookie'] === undefined &&
    !String(answer.headers['cache-control']).includes('no-store')
  )
}

/** Sends a page as it is: what there is to do has been done when it was made. */
export function sendPage(
  page: SharedPage,
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  response: ServerResponse,
): void {
  if (isKnown(headers['if-none-match'], page.etag)) {
    response.writeHead(304, page.headers.filter(isFor304)).end()
    return
  }
  response.writeHead(200, page.headers)
  response.end(method === 'HEAD' ? undefined : page.body)
}

/** A browser's copies, as RFC 9110, 13.1.2 compares them: weakly. */
function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header === '*' || header.split(',').some((one) => one.trim().replace(/^W\//, '') === etag)
}

/** Without what describes a body (RFC 9110, 15.4.5). */
function isFor304(_value: string, index: number, headers: readonly string[]): boolean {
  const name = headers[index - (index % 2)] ?? ''
  return !name.startsWith('content-') || name === 'content-security-policy'
}
