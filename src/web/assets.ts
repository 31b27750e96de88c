import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build, stop } from 'esbuild'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { textParam } from './params.ts'
import { type Encoding, encodingOf } from './transport/compression.ts'
import { keepHeadersOfFile } from './transport/headers.ts'

/** Where pages find what they are made with: names change with the content. */
export interface Assets {
  readonly css: string
  /** What posts look like: their prose, code, formulas and pictures. */
  readonly textCss: string
  /** What only pages for staff show. */
  readonly staffCss: string
  /** Colours of courses that chose one. */
  readonly accentsCss: string
  readonly js: string
  /** What helps to write; loaded where one can. */
  readonly writing: string
  /** Questions under the search box; loaded once that has the focus. */
  readonly suggestions: string
  /** For the few pages that work with passkeys. */
  readonly passkeys: string
  /** For the settings that switch pushes on. */
  readonly push: string
  /** For the pages on which a course is run. */
  readonly running: string
  /** For what waits for moderation. */
  readonly queue: string
  /** For the settings, which have several forms on a page. */
  readonly settings: string
  /** For the forms that choose a time zone. */
  readonly timeZones: string
  /** For the search's own pages. */
  readonly searching: string
  readonly icons: string
  readonly favicon: string
  readonly touchIcon: string
  /** What browsers may fetch before it is asked for. */
  readonly speculationRules: string
}

const YEAR = 'public, max-age=31536000, immutable'

/** Stylesheets and modules made of the files in public/ at start, and its pictures; compressed once. */
export async function registerAssets(app: FastifyInstance): Promise<Assets> {
  const made = await assetFiles()
  const files = new Map(Object.values(made).map((file: AssetFile) => [file.plainName, file]))
  // The same for everybody, so that pictures come even when nobody can tell who is signed in.
  app.get('/assets/:file', { config: { isPublic: true } }, async (request, reply) => {
    const file = files.get(textParam(request, 'file').replace(/\.[\w-]{10}(?=\.)/, ''))
    if (file === undefined) return reply.callNotFound()
    keepHeadersOfFile(reply)
    return sendFile(request, reply, file)
  })
  // At the root, as what it may show and open is what lies beside it or below.
  app.get('/sw.js', { config: { isPublic: true } }, async (request, reply) =>
    sendFile(request, reply, made.serviceWorker),
  )
  return {
    css: made.css.path,
    textCss: made.textCss.path,
    staffCss: made.staffCss.path,
    accentsCss: made.accentsCss.path,
    js: made.js.path,
    writing: made.writing.path,
    suggestions: made.suggestions.path,
    passkeys: made.passkeys.path,
    push: made.push.path,
    running: made.running.path,
    queue: made.queue.path,
    settings: made.settings.path,
    timeZones: made.timeZones.path,
    searching: made.searching.path,
    icons: made.icons.path,
    favicon: made.favicon.path,
    touchIcon: made.touchIcon.path,
    speculationRules: made.speculationRules.path,
  }
}

/**
 * Under the name of another version, while an old and a new process run side by side, comes this process's: a page looks
 * nearly right instead of having no styles, and nobody keeps it.
 */
function sendFile(request: FastifyRequest, reply: FastifyReply, file: AssetFile): FastifyReply {
  const [path] = request.url.split('?')
  const encoding = encodingOf(request)
  const compressed = encoding === null ? undefined : file.compressed[encoding]
  reply
    .type(file.type)
    .header('cache-control', path === file.path ? YEAR : 'no-cache')
    .header('vary', 'accept-encoding')
    .header('etag', `"${file.hash}${compressed === undefined ? '' : `-${encoding}`}"`)
  if (compressed === undefined) return reply.send(file.content)
  return reply.header('content-encoding', encoding).send(compressed)
}

export const PUBLIC = join(import.meta.dirname, '../../public')

/** A file browsers may keep for good, as its name changes with its content. */
export interface AssetFile {
  /** Without the hash: main.css. */
  readonly plainName: string
  readonly path: string
  readonly hash: string
  readonly type: string
  readonly content: Buffer
  /** Only what is smaller than the content itself. */
  readonly compressed: Readonly<Partial<Record<Encoding, Buffer>>>
}

/** What is bundled of public/, minified, with all that each imports. */
const BUNDLES = {
  css: 'css/main.css',
  textCss: 'css/text.css',
  staffCss: 'css/staff.css',
  accentsCss: 'css/accents.css',
  js: 'js/main.js',
  writing: 'js/writing.js',
  suggestions: 'js/suggestions.js',
  passkeys: 'js/passkeys.js',
  push: 'js/push.js',
  running: 'js/running.js',
  queue: 'js/queue.js',
  settings: 'js/settings.js',
  timeZones: 'js/time-zones.js',
  searching: 'js/searching.js',
} as const

/** What is sent as it lies in public/. */
const PLAIN_FILES = {
  serviceWorker: 'sw.js',
  icons: 'icons.svg',
  favicon: 'favicon.svg',
  touchIcon: 'apple-touch-icon.png',
  speculationRules: 'speculation-rules.json',
} as const

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/speculationrules+json',
}

export type AssetFiles = Readonly<Record<keyof typeof BUNDLES | keyof typeof PLAIN_FILES, AssetFile>>

let made: Promise<AssetFiles> | null = null

/** Made once a process, however many apps there are in it. esbuild's own process, 18 MB, ends when it has done its work. */
export function assetFiles(): Promise<AssetFiles> {
  made ??= make()
  return made
}

async function make(): Promise<AssetFiles> {
  const [bundles, plainFiles] = await Promise.all([each(BUNDLES, bundle), each(PLAIN_FILES, plainFile)])
  await stop()
  return { ...bundles, ...plainFiles }
}

async function each<Name extends string>(
  entries: Readonly<Record<Name, string>>,
  read: (entry: string) => Promise<Buffer>,
): Promise<Record<Name, AssetFile>> {
  const names = Object.keys(entries) as Name[]
  const files = await Promise.all(
    names.map(async (name) => [name, await fileOf(entries[name], await read(entries[name]))] as const),
  )
  return Object.fromEntries(files) as Record<Name, AssetFile>
}

/** One stylesheet or module with all that it imports, minified. @param entry in public/ */
async function bundle(entry: string): Promise<Buffer> {
  const result = await build({
    entryPoints: [join(PUBLIC, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'esnext',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'silent',
  })
  return Buffer.from(result.outputFiles[0]?.contents ?? [])
}

/** A file of public/ as it is. */
function plainFile(entry: string): Promise<Buffer> {
  return readFile(join(PUBLIC, entry))
}

async function fileOf(entry: string, content: Buffer): Promise<AssetFile> {
  const plainName = basename(entry)
  const type = TYPES[extname(entry)] ?? 'application/octet-stream'
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 10)
  const path = `/assets/${plainName.replace('.', `.${hash}.`)}`
  return { plainName, path, hash, type, content, compressed: await compress(content) }
}

/** As small as they get: it is done once, at start. */
async function compress(content: Buffer): Promise<AssetFile['compressed']> {
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
    promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
  ])
  return {
    ...(br.length < content.length && { br }),
    ...(gz.length < content.length && { gzip: gz }),
  }
}
