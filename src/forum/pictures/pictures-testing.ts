import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LightMyRequestResponse } from 'fastify'
import sharp from 'sharp'
import type { Browser } from '../../testing/browser.ts'
import { multipartForm } from '../../testing/multipart.ts'

export interface Sent {
  readonly file?: Buffer | undefined
  readonly filename?: string
  readonly type?: string
  readonly fields?: Readonly<Record<string, string>>
  readonly accept?: string
  readonly token?: string | null
}

/** Sends a picture as a form with a file input does. */
export async function upload(browser: Browser, sent: Sent): Promise<LightMyRequestResponse> {
  const token = sent.token === undefined ? await browser.token() : sent.token
  const { filename = 'picture.png', type = 'image/png', accept = '*/*', file } = sent
  const fields = { ...(token !== null && { _csrf: token }), ...sent.fields }
  const content = multipartForm(fields, file === undefined ? null : { bytes: file, filename, type })
  return browser.post('/uploads', {}, { ...content, token: null, headers: { accept } })
}

/** Uploads a small picture. @returns its address and Markdown */
export async function uploaded(
  browser: Browser,
  alt = 'A red square',
): Promise<{ url: string; markdown: string }> {
  const answer = await upload(browser, { file: await picture(), fields: { alt } })
  return answer.json()
}

/** A picture of one colour. */
export function picture(width = 30, height = 20): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
}

/** A GIF with a number of frames. */
export function animation(frames: number): Promise<Buffer> {
  const pixels = Buffer.concat(
    Array.from({ length: frames }, (_, frame) => Buffer.alloc(8 * 8 * 3, frame * 40)),
  )
  return sharp(pixels, { raw: { width: 8, height: 8 * frames, channels: 3, pageHeight: 8 } })
    .gif({ delay: Array.from({ length: frames }, () => 100) })
    .toBuffer()
}

/** A JPEG that was taken upside down in a place that its EXIF tells. */
export function located(): Promise<Buffer> {
  return sharp({ create: { width: 40, height: 20, channels: 3, background: 'blue' } })
    .withExif({
      IFD0: { Orientation: '6', Copyright: 'Somebody' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 30/1 0/1' },
    })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
}

/** A PNG that says it is 20,000 by 20,000 pixels: 1.6 GB when decoded, some bytes as a file. */
export function bomb(): Buffer {
  const whole = readFileSync(join(import.meta.dirname, '../../../public/apple-touch-icon.png'))
  const forged = Buffer.from(whole)
  forged.writeUInt32BE(20_000, 16)
  forged.writeUInt32BE(20_000, 20)
  return forged
}
