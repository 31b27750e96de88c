import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build, stop } from 'esbuild'
import type { Encoding } from './encoding.ts'

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
