import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../generate/random.ts'
import type { FuzzRequest } from './client.ts'
import type { FoundForm } from './page-parts.ts'
import { hostileValue } from './values.ts'

const BOUNDARY = 'a-boundary-of-walks'
const WHOLE = readFileSync(join(import.meta.dirname, '../../../public/apple-touch-icon.png'))
const MAX_FILE_BYTES = 6 * 1024 * 1024

/** What a file input may bring: a picture, what says it is one, and what is none. */
const FILES: readonly (() => Buffer)[] = [
  () => WHOLE,
  () => WHOLE,
  () => WHOLE.subarray(0, 200),
  () => Buffer.concat([WHOLE, Buffer.from('<script>alert(1)</script>')]),
  () => forged(20_000),
  () => forged(0),
  () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
  () => Buffer.from('GIF89a\u0001\u0001'),
  () => Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]),
  () => Buffer.alloc(0),
  () => Buffer.alloc(MAX_FILE_BYTES),
]

const FILENAMES = [
  'picture.png',
  '../../etc/passwd',
  'a"; name="body',
  'a\r\nx-header: y',
  '',
  'x'.repeat(5000),
  '그림.svg',
]

/** Sends a form with its file as browsers do, or broken on the way. */
export function multipartRequest(
  form: FoundForm,
  pairs: readonly (readonly [string, string])[],
  origin: string,
  random: Random,
): FuzzRequest {
  const files = new Set(form.fields.filter(({ kind }) => kind === 'file').map(({ name }) => name))
  const parts = pairs.map(([name, value]) =>
    files.has(name) ? filePart(name, random) : part(`name="${inHeader(name)}"`, '', Buffer.from(value)),
  )
  const whole = Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)])
  const breakings: (() => Partial<Pick<FuzzRequest, 'headers' | 'body'>>)[] = [
    () => ({ body: whole.subarray(0, random.below(whole.length)) }),
    () => ({ body: Buffer.concat([filePart('file', random), filePart('file', random), whole]) }),
    () => ({ body: Buffer.concat([filePart(hostileValue(random).slice(0, 200), random), whole]) }),
    () => ({ headers: { 'content-type': 'multipart/form-data', origin } }),
    () => ({ headers: { 'content-type': 'multipart/form-data; boundary=another', origin } }),
    () => ({ headers: { 'content-type': `multipart/form-data; boundary=${'b'.repeat(300)}`, origin } }),
    () => ({ body: Buffer.alloc(0) }),
  ]
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, origin }
  const request = { method: 'POST', path: form.action, headers, body: whole }
  return random.chance(0.4) ? { ...request, ...random.pick(breakings)() } : request
}

function filePart(name: string, random: Random): Buffer {
  const type = random.pick(['image/png', 'image/svg+xml', 'text/html', 'x', ''])
  const disposition = `name="${inHeader(name)}"; filename="${random.pick(FILENAMES)}"`
  return part(disposition, type === '' ? '' : `content-type: ${type}\r\n`, random.pick(FILES)())
}

function part(disposition: string, more: string, content: Buffer): Buffer {
  const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; ${disposition}\r\n${more}\r\n`
  return Buffer.concat([Buffer.from(head), content, Buffer.from('\r\n')])
}

const inHeader = (name: string) => name.replaceAll(/["\r\n]/g, '%')

/** A PNG that says it is so many pixels wide and high. */
function forged(pixels: number): Buffer {
  const picture = Buffer.from(WHOLE)
  picture.writeUInt32BE(pixels, 16)
  picture.writeUInt32BE(pixels, 20)
  return picture
}
