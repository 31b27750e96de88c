import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
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

export interface AssetFiles {
  readonly css: AssetFile
  readonly textCss: AssetFile
  readonly staffCss: AssetFile
  readonly accentsCss: AssetFile
  readonly js: AssetFile
  readonly writing: AssetFile
  readonly passkeys: AssetFile
  readonly push: AssetFile
  readonly serviceWorker: AssetFile
  readonly icons: AssetFile
  readonly favicon: AssetFile
  readonly touchIcon: AssetFile
  readonly speculationRules: AssetFile
}

let made: Promise<AssetFiles> | null = null

/** Made once a process, however many apps there are in it. esbuild's own process, 18 MB, ends when it has done its work. */
export function assetFiles(): Promise<AssetFiles> {
  made ??= make()
  return made
}

async function make(): Promise<AssetFiles> {
  const [
    css,
    textCss,
    staffCss,
    accentsCss,
    js,
    writing,
    passkeys,
    push,
    serviceWorker,
    icons,
    favicon,
    touchIcon,
    speculationRules,
  ] = await Promise.all([
    bundle('css/main.css', 'text/css; charset=utf-8'),
    bundle('css/text.css', 'text/css; charset=utf-8'),
    bundle('css/staff.css', 'text/css; charset=utf-8'),
    bundle('css/accents.css', 'text/css; charset=utf-8'),
    bundle('js/main.js', 'text/javascript; charset=utf-8'),
    bundle('js/writing.js', 'text/javascript; charset=utf-8'),
    bundle('js/passkeys.js', 'text/javascript; charset=utf-8'),
    bundle('js/push.js', 'text/javascript; charset=utf-8'),
    plainFile('sw.js', 'text/javascript; charset=utf-8'),
    plainFile('icons.svg', 'image/svg+xml'),
    plainFile('favicon.svg', 'image/svg+xml'),
    plainFile('apple-touch-icon.png', 'image/png'),
    plainFile('speculation-rules.json', 'application/speculationrules+json'),
  ])
  await stop()
  return {
    css,
    textCss,
    staffCss,
    accentsCss,
    js,
    writing,
    passkeys,
    push,
    serviceWorker,
    icons,
    favicon,
    touchIcon,
    speculationRules,
  }
}

/** One stylesheet or module with all that it imports, minified. @param entry in public/ */
async function bundle(entry: string, type: string): Promise<AssetFile> {
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
  return fileOf(entry.replace(/^.*\//, ''), type, Buffer.from(result.outputFiles[0]?.contents ?? []))
}

/** A file of public/ as it is. */
async function plainFile(name: string, type: string): Promise<AssetFile> {
  return fileOf(name, type, await readFile(join(PUBLIC, name)))
}

async function fileOf(plainName: string, type: string, content: Buffer): Promise<AssetFile> {
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
