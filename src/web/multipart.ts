import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BODY_LIMIT, FIELDS_LIMIT } from './body.ts'
import { Problem } from './problem.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The file that a form brought; null: none. */
    upload: Upload | null
  }
}

export interface Upload {
  readonly bytes: Buffer
  /** It was longer than its scope takes: `bytes` is not all of it. */
  readonly isTooLarge: boolean
}

/** In bytes. */
export interface MultipartLimits {
  readonly file: number
  /** Of all text fields together. */
  readonly text?: number
}

/** Uploads that a process holds in memory at a time; more are told to come again. */
const MAX_AT_ONCE = 8

/**
 * Reads multipart forms, in this scope alone: text fields become the body, as of any other form, so that its token is checked and
 * its text kept; the file named `file` becomes `request.upload`.
 */
export async function registerMultipart(
  scope: FastifyInstance,
  { file, text = BODY_LIMIT }: MultipartLimits,
): Promise<void> {
  let running = 0
  const begun = new WeakSet<FastifyRequest>()
  await scope.register(multipart, {
    throwFileSizeLimit: false,
    limits: {
      fileSize: file,
      files: 1,
      fields: FIELDS_LIMIT,
      parts: FIELDS_LIMIT + 1,
      fieldNameSize: 100,
      fieldSize: text,
    },
  })
  scope.decorateRequest('upload', null)
  scope.addHook('preValidation', async (request) => {
    if (!request.isMultipart()) return
    if (running >= MAX_AT_ONCE) throw new Problem(503, 'unavailable', 5)
    running += 1
    begun.add(request)
    await read(request, text).catch((error: unknown) => {
      throw isBroken(error) ? new Problem(400, 'badRequest') : error
    })
  })
  const end = async (request: FastifyRequest) => {
    if (begun.delete(request)) running -= 1
  }
  scope.addHook('onResponse', end)
  scope.addHook('onRequestAbort', end)
}

/** What the parser throws at a body that is no form, or half of one, has no status: it is no fault of ours. */
const isBroken = (error: unknown) =>
  !(error instanceof Problem) && !(error instanceof Error && 'statusCode' in error)

async function read(request: FastifyRequest, maxText: number): Promise<void> {
  const fields = new Map<string, string[]>()
  let size = 0
  for await (const part of request.parts()) {
    if (part.type === 'file') {
      const chunks: Buffer[] = []
      for await (const chunk of part.file) chunks.push(chunk)
      if (part.fieldname === 'file')
        request.upload = { bytes: Buffer.concat(chunks), isTooLarge: part.file.truncated }
      continue
    }
    const value = String(part.value)
    size += value.length
    if (part.valueTruncated || part.fieldnameTruncated || size > maxText) throw new Problem(413, 'tooLarge')
    fields.set(part.fieldname, [...(fields.get(part.fieldname) ?? []), value])
  }
  request.body = Object.fromEntries(
    [...fields].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  )
}
