import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Named, personOf } from '../../kernel/actor.ts'
import { line } from '../../kernel/fields.ts'
import { UPLOADS } from '../../kernel/limits.ts'
import { forum, operation } from '../../kernel/operation.ts'
import { perform } from '../../kernel/perform.ts'
import { Problem, Refused } from '../../kernel/problem.ts'
import { requireSomewhereUnsuspended } from '../../kernel/suspended.ts'
import type { Message } from '../../messages/catalogue.ts'
import { pictureAddress, pictureMarkdown } from '../../text/picture-address.ts'
import { statusOf } from '../../web/errors.ts'
import { surroundingsOf } from '../../web/forms/door.ts'
import { NoTurn } from '../../web/limits/turns.ts'
import { insertPicture, PictureFile, putFiles, TooManyPictures } from './commands.ts'
import { StoreUnavailable } from './store.ts'

/** Seconds after which an unavailable store is tried again. */
export const AWAY_SECONDS = 30
const DAY_SECONDS = 24 * 60 * 60
const BUSY_SECONDS = 5

/** Why a picture was not kept, in words. `retryAfter`: seconds, or null. */
export class PictureRefused extends Error {
  readonly status: number
  readonly text: Message
  readonly retryAfter: number | null

  constructor(status: number, text: Message, retryAfter: number | null = null) {
    super(text.key)
    this.status = status
    this.text = text
    this.retryAfter = retryAfter
  }
}

/** Keeps a request's picture. @returns what its uploader is told; `url`: a path. @throws PictureRefused */
export async function uploadPicture(request: FastifyRequest, actor: Named, alt: unknown) {
  if (request.upload?.isTooLarge === true) {
    const max = UPLOADS.fileBytes / 1024 / 1024
    throw new PictureRefused(413, { key: 'uploads.refused.large', values: { max } })
  }
  const original = request.upload?.bytes ?? Buffer.alloc(0)
  // Loaded with the first picture: the codecs take 20 MB.
  const { encodePicture, MAX_FRAMES, RefusedPicture } = await import('./encode.ts')
  const { db, pictures } = request.server
  try {
    const file = new PictureFile(original, await encodePicture(original))
    const call = { actor, key: null, input: { alt, file } }
    const kept = await perform(db, pictureUpload, call, surroundingsOf(request))
    await putFiles(db, pictures, kept.name, file.encoded)
    const url = pictureAddress(kept.name)
    return { url, markdown: pictureMarkdown(kept.alt, url), width: kept.width, height: kept.height }
  } catch (error) {
    if (error instanceof RefusedPicture)
      throw new PictureRefused(422, { key: `uploads.refused.${error.reason}`, values: { max: MAX_FRAMES } })
    throw refusedFor(request, error)
  }
}

function refusedFor(request: FastifyRequest, error: unknown): unknown {
  if (error instanceof TooManyPictures)
    return new PictureRefused(429, { key: 'uploads.refused.often' }, DAY_SECONDS)
  if (wasAway(request, error)) return new PictureRefused(503, { key: 'uploads.refused.away' }, AWAY_SECONDS)
  if (error instanceof NoTurn) return new Problem('unavailable', BUSY_SECONDS)
  const [wrong] = error instanceof Refused ? error.errors : []
  if (wrong !== undefined) return new PictureRefused(422, wrong.message)
  if (error instanceof Problem && error.key === 'suspended')
    return new PictureRefused(statusOf(error), error.text)
  return error
}

/** Whether the store was away, which the log says. */
export function wasAway(request: FastifyRequest, error: unknown): boolean {
  if (!(error instanceof StoreUnavailable)) return false
  request.log.error({ err: error }, 'the store of pictures is unavailable')
  return true
}

/** Characters of what is said of a picture, for those who do not see it. */
const ALT = { min: 0, max: 300 } as const

/** Keeps the row of a picture, whose files follow (upload.ts). It belongs to no post yet: only its uploader knows its name. */
export const pictureUpload = operation({
  name: 'upload-picture',
  right: 'upload',
  find: forum,
  limit: 'uploading',
  input: { alt: line(ALT), file: z.instanceof(PictureFile) },
  rules: [({ actor }) => requireSomewhereUnsuspended(actor)],
  async run({ write, actor, input: { alt, file } }) {
    const name = await insertPicture(write, personOf(actor).id, alt, file)
    return { name, alt, width: file.encoded.width, height: file.encoded.height }
  },
})
