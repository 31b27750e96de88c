import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished, pipeline } from 'node:stream/promises'
import multipart, { type MultipartFile } from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BODY_LIMIT, FIELDS_LIMIT, KEPT_FORMS, TABLE_FILE_BYTES, UPLOADS_AT_ONCE } from '../kernel/limits.ts'
import { Problem } from '../kernel/problem.ts'
import type { Message } from '../messages/catalogue.ts'
import { textOfTable } from '../text/table.ts'
import { type FormState, refuse, typedFields } from './form.ts'
import { networkOf } from './limits/limits.ts'
import { NoTurn, Turns } from './limits/turns.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The file that a form brought; null: none. */
    upload: Upload | null
  }
}

export interface Upload {
  readonly bytes: Buffer
  /** As the browser calls the file; empty: it has no name. */
  readonly name: string
  /** It was longer than its scope takes: `bytes` is not all of it. */
  readonly isTooLarge: boolean
  /** Where a scope that takes large files has it, until the request is answered; `bytes` is empty then. */
  readonly path?: string
}

/** In bytes. */
export interface MultipartLimits {
  readonly file: number
  /** Of all text fields together. */
  readonly text?: number
  /** Media types of files that may come as the whole body; left out: none. */
  readonly bare?: RegExp
  /** The file goes to the disk as it comes, and is never in memory as a whole. */
  readonly isLarge?: true
  /** Milliseconds in which PACE_BYTES have to come; five seconds where it is left out. */
  readonly pace?: number
}

/** What a body that is not at its end has to bring every few seconds: otherwise it is cut off. */
const PACE_MS = 5_000
const PACE_BYTES = 16 * 1024

/** Begun forms of a process, in bytes: those of people, whose files are in memory until they are answered, and those of visitors. */
const ofPeople = new Turns({ ...UPLOADS_AT_ONCE, room: UPLOADS_AT_ONCE.bytes, patience: 20_000 })
const ofVisitors = new Turns({ ...UPLOADS_AT_ONCE, room: UPLOADS_AT_ONCE.visitorBytes, patience: 5_000 })

/**
 * Reads multipart forms, in this scope alone: text fields become the body, as of any other form, so that its token is checked and
 * its text kept; the file named `file` becomes `request.upload`. Who is asking is known before: of visitors only the text is kept, as
 * much as waits for them to sign in. Too many at once wait before anything is read.
 */
export async function registerMultipart(
  scope: FastifyInstance,
  { file, text = BODY_LIMIT, pace = PACE_MS, bare, isLarge }: MultipartLimits,
): Promise<void> {
  const begun = new WeakMap<FastifyRequest, Begun>()
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
  // Read below, when it is its turn.
  if (bare !== undefined) scope.addContentTypeParser(bare, (_request, _body, done) => done(null))
  scope.addHook('preValidation', async (request, reply) => {
    const isBare = bare?.test(request.headers['content-type'] ?? '') === true
    if (!request.isMultipart() && !isBare) return
    const form: Begun = { gone: new AbortController(), end: () => {}, folder: null }
    begun.set(request, form)
    form.end = await turnOf(request, isLarge ? text : file + text, form.gone.signal)
    if (isLarge) form.folder = await mkdtemp(join(tmpdir(), 'handup-upload-'))
    const reading = isBare
      ? readBare(request, file)
      : read(request, request.person === null ? KEPT_FORMS.bytes : text, form.folder)
    await atPace(request, pace, reading).catch((error: unknown) => {
      // What is left of the body is not waited for.
      reply.header('connection', 'close')
      throw isBroken(error) ? new Problem('badRequest') : error
    })
  })
  const end = async (request: FastifyRequest) => {
    const form = begun.get(request)
    form?.gone.abort()
    form?.end()
    if (form?.folder != null) await rm(form.folder, { recursive: true, force: true })
  }
  scope.addHook('onResponse', end)
  scope.addHook('onRequestAbort', end)
}

/** A form that is being read or answered. */
interface Begun {
  readonly gone: AbortController
  /** Gives back its turn. */
  end: () => void
  /** Where its file is, if that is large. */
  folder: string | null
}

/** Waits until there is room for a form. @param most bytes that it may have. @returns what gives the room back */
async function turnOf(request: FastifyRequest, most: number, signal: AbortSignal): Promise<() => void> {
  const { person, headers, ip } = request
  const { ofPerson, ofNetwork } = UPLOADS_AT_ONCE
  const network = { name: `network ${networkOf(ip)}`, most: ofNetwork }
  const length = Number(headers['content-length'] ?? most)
  try {
    if (person === null) return await ofVisitors.take({ size: KEPT_FORMS.bytes, counts: [network], signal })
    const counts = [{ name: `person ${person.id}`, most: ofPerson }, network]
    return await ofPeople.take({ size: Math.min(most, length), counts, signal })
  } catch (error) {
    throw error instanceof NoTurn ? new Problem('unavailable', 5) : error
  }
}

/** @throws Problem 408 where the body stops coming, or drips */
async function atPace(request: FastifyRequest, pace: number, reading: Promise<void>): Promise<void> {
  const { socket } = request.raw
  const slow = Promise.withResolvers<never>()
  let before = socket.bytesRead
  const timer = setInterval(() => {
    if (socket.bytesRead - before < PACE_BYTES) slow.reject(new Problem('tooSlow'))
    before = socket.bytesRead
  }, pace)
  try {
    await Promise.race([reading, slow.promise])
  } finally {
    clearInterval(timer)
  }
}

/** What the parser throws at a body that is no form, or half of one, has no status: it is no fault of ours. */
const isBroken = (error: unknown) =>
  !(error instanceof Problem) && !(error instanceof Error && 'statusCode' in error)

async function read(request: FastifyRequest, maxText: number, folder: string | null): Promise<void> {
  const fields = new Map<string, string[]>()
  let size = 0
  for await (const part of request.parts()) {
    if (part.type === 'file') {
      const { fieldname } = part
      // Read by nobody, but for those who refuse what they don't know.
      if (fieldname !== 'file') fields.set(fieldname, [...(fields.get(fieldname) ?? []), ''])
      const isKept = fieldname === 'file' && request.person !== null
      if (isKept) request.upload = await readFile(part, folder)
      else await finished(part.file.resume())
      continue
    }
    const value = String(part.value)
    size += value.length
    if (part.valueTruncated || part.fieldnameTruncated || size > maxText) throw new Problem('tooLarge')
    fields.set(part.fieldname, [...(fields.get(part.fieldname) ?? []), value])
  }
  request.body = Object.fromEntries(
    [...fields].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  )
}

/** @param folder where it goes; null: it stays in memory */
async function readFile({ file, filename: name }: MultipartFile, folder: string | null): Promise<Upload> {
  if (folder === null) {
    const chunks: Buffer[] = []
    for await (const chunk of file) chunks.push(chunk)
    return { bytes: Buffer.concat(chunks), name, isTooLarge: file.truncated }
  }
  const path = join(folder, 'file')
  await pipeline(file, createWriteStream(path, { mode: 0o600 }))
  return { bytes: Buffer.alloc(0), name, isTooLarge: file.truncated, path }
}

/** Of a file that is too large the rest is not waited for. */
async function readBare(request: FastifyRequest, max: number): Promise<void> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.raw) {
    size += chunk.length
    if (size > max) throw new Problem('tooLarge')
    chunks.push(chunk)
  }
  request.upload = { bytes: Buffer.concat(chunks), name: '', isTooLarge: false }
}

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
