import { createHash } from 'node:crypto'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import { build } from 'esbuild'
import type { FastifyInstance } from 'fastify'

export const PUBLIC = join(import.meta.dirname, '../../public')

/** Where the page finds its stylesheet, its script and its icons: names change with the content. */
export interface Assets {
  readonly css: string
  readonly js: string
  readonly icons: string
}

interface Bundle {
  readonly path: string
  readonly type: string
  readonly content: Buffer
}

const YEAR = 'public, max-age=31536000, immutable'

/** One stylesheet and one module made of the files in public/ at start, and the images beside them as they are. */
export async function registerAssets(app: FastifyInstance): Promise<Assets> {
  const [css, js] = await Promise.all([
    bundle('css/main.css', 'text/css'),
    bundle('js/main.js', 'text/javascript'),
  ])
  // The same for everybody, so that pictures come even when nobody can tell who is signed in.
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith('/assets/')) route.config = { ...route.config, isPublic: true }
  })
  for (const file of [css, js]) {
    app.get(file.path, async (_request, reply) =>
      reply.header('cache-control', YEAR).type(`${file.type}; charset=utf-8`).send(file.content),
    )
  }
  await app.register(fastifyStatic, {
    root: PUBLIC,
    prefix: '/assets/',
    index: false,
    dotfiles: 'deny',
    allowedPath: (path) => /\.(svg|png|ico|webmanifest)$/.test(path),
    maxAge: '1d',
    decorateReply: false,
  })
  return { css: css.path, js: js.path, icons: '/assets/icons.svg' }
}

async function bundle(entry: string, type: string): Promise<Bundle> {
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
  const content = Buffer.from(result.outputFiles[0]?.contents ?? [])
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 10)
  return { path: `/assets/${entry.replace(/^.*\//, '').replace('.', `.${hash}.`)}`, type, content }
}
