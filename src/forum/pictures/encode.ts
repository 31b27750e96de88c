import sharp, { type Sharp } from 'sharp'
import { Turns } from '../../web/limits/turns.ts'

// A picture is read once, and several are encoded at a time by their requests.
sharp.cache(false)
sharp.concurrency(1)

/** Widest stored picture, in pixels: twice what a page shows. */
const MAX_WIDTH = 2000
/** Highest, which is WebP's limit, and most pixels of one frame: what a phone captures by scrolling stays readable. */
const MAX_HEIGHT = 16_383
const MAX_PIXELS = 16_000_000
/** Longest side and most pixels of what is uploaded, all frames together: more is a bomb, or a picture for print. */
const MAX_INPUT_SIDE = 20_000
const MAX_INPUT_PIXELS = 50_000_000
export const MAX_FRAMES = 120
const MAX_SECONDS = 30
/** Above so many pixels a picture that is not decoded line by line takes as much memory as two. */
const LARGE_PIXELS = 10_000_000
/** Above so many stored pixels one counts as two as well, and its WebP is made with less effort. */
const TALL_PIXELS = 4_000_000
/** Pictures that a process decodes at a time, up to 150 MB each; one that counts as two takes up to 360 MB. */
const decoding = new Turns({ room: 2, waiting: 100, waitingOfName: 100, patience: 30_000 })

export interface EncodedPicture extends Size {
  readonly webp: Buffer
  readonly fallback: Buffer
  readonly fallbackType: FallbackType
}

type FallbackType = 'png' | 'jpg' | 'gif'

/** Why a file is no picture of ours; the message key is uploads.refused.<reason>. */
export type Refusal = 'empty' | 'kind' | 'broken' | 'size' | 'frames'

export class RefusedPicture extends Error {
  readonly reason: Refusal

  constructor(reason: Refusal, cause?: unknown) {
    super(reason, { cause })
    this.reason = reason
  }
}

/** The first bytes of the formats that are taken. Neither the file's name nor its type are believed (ASVS 5.2.2). */
const MAGIC: readonly RegExp[] = [
  /^\xff\xd8\xff/,
  /^\x89PNG\r\n/,
  /^GIF8[79]a/,
  /^RIFF[\s\S]{4}WEBP/,
  /^[\s\S]{4}ftypavi[fs]/,
]

/**
 * Decodes a picture and re-encodes it: whatever else is in the file is gone, metadata too; turned upright,
 * and made smaller where it must be. A WebP, and a second file for readers that do not know it.
 * @throws RefusedPicture, NoTurn
 */
export async function encodePicture(bytes: Buffer): Promise<EncodedPicture> {
  if (bytes.length === 0) throw new RefusedPicture('empty')
  const beginning = bytes.subarray(0, 16).toString('latin1')
  if (!MAGIC.some((magic) => magic.test(beginning))) throw new RefusedPicture('kind')
  const head = await examine(bytes)
  const end = await decoding.take({ size: head.isHeavy ? 2 : 1 })
  try {
    return await encode(bytes, head)
  } catch (error) {
    throw new RefusedPicture('broken', error)
  } finally {
    end()
  }
}

type Head = Awaited<ReturnType<typeof examine>>

async function encode(
  bytes: Buffer,
  { frames, hasAlpha, isInLines, isTall, stored }: Head,
): Promise<EncodedPicture> {
  const isAnimated = frames > 1
  const fallbackType = isAnimated ? 'gif' : hasAlpha ? 'png' : 'jpg'
  const upright = sharp(bytes, {
    animated: isAnimated,
    limitInputPixels: MAX_INPUT_PIXELS,
    failOn: 'truncated',
  })
    .autoOrient()
    .resize({ ...stored, fit: 'fill', withoutEnlargement: true })
    .timeout({ seconds: MAX_SECONDS })
  const small = isAnimated || (isTall && isInLines) ? upright : await decodedOnce(upright)
  const effort = isTall ? 1 : 3
  const webp = await small.clone().webp({ quality: 85, effort }).toBuffer({ resolveWithObject: true })
  const fallback = await inFallback(small, fallbackType)
  const { width, height, pageHeight = height } = webp.info
  return { webp: webp.data, fallback, fallbackType, width, height: pageHeight }
}

/** Its pixels in the size that is kept, so that a large picture is in memory once and not for each file. */
async function decodedOnce(picture: Sharp): Promise<Sharp> {
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  return sharp(data, { raw: { width, height, channels } }).timeout({ seconds: MAX_SECONDS })
}

type Size = Readonly<Record<'width' | 'height', number>>

/** The size that a picture is kept in, of the same shape. */
export function storedSize({ width, height }: Size): Size {
  const scale = Math.min(1, MAX_WIDTH / width, MAX_HEIGHT / height, Math.sqrt(MAX_PIXELS / (width * height)))
  const [stored = 1, high = 1] = [width, height].map((side) => Math.max(1, Math.floor(side * scale)))
  return { width: stored, height: high }
}

/** Reads the head of the file alone. */
async function examine(bytes: Buffer) {
  const head = await sharp(bytes, { pages: -1, limitInputPixels: false })
    .metadata()
    .catch((error) => {
      throw new RefusedPicture('broken', error)
    })
  const { width, pages: frames = 1, pageHeight = head.height, autoOrient } = head
  if (frames > MAX_FRAMES) throw new RefusedPicture('frames')
  const isLarge = width > MAX_INPUT_SIDE || pageHeight > MAX_INPUT_SIDE
  if (isLarge || width * pageHeight * frames > MAX_INPUT_PIXELS) throw new RefusedPicture('size')
  const isInLines = (head.format === 'png' || head.format === 'jpeg') && head.isProgressive !== true
  const isDeep = head.depth !== 'uchar'
  // A moving picture has no direction of its own.
  const stored = storedSize(frames > 1 ? { width, height: pageHeight } : autoOrient)
  const isTall = stored.width * stored.height > TALL_PIXELS
  return {
    frames,
    hasAlpha: head.hasAlpha,
    isInLines,
    isTall,
    stored,
    isHeavy: isDeep || isTall || (!isInLines && width * pageHeight * frames > LARGE_PIXELS),
  }
}

function inFallback(picture: Sharp, type: FallbackType): Promise<Buffer> {
  const copy = picture.clone()
  if (type === 'gif') return copy.gif({ effort: 3 }).toBuffer()
  if (type === 'png') return copy.png({ compressionLevel: 8 }).toBuffer()
  return copy.jpeg({ quality: 82 }).toBuffer()
}
