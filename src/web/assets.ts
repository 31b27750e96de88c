import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AssetFile, assetFiles } from './asset-files.ts'
import { encodingOf } from './encoding.ts'
import { keepHeadersOfFile } from './headers.ts'
import { textParam } from './params.ts'

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
