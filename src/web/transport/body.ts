import { MIMEType } from 'node:util'
import formbody from '@fastify/formbody'
import type { FastifyInstance } from 'fastify'
import { BODY_LIMIT, FIELDS_LIMIT, SELECTION_FIELDS_LIMIT } from '../../kernel/limits.ts'
import { Problem } from '../../kernel/problem.ts'

/**
 * Plain form posts, in UTF-8 and not compressed. Repeated fields stay arrays, which no field takes; broken
 * percent-encoding is a bad request.
 */
export async function registerBodies(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers()
  app.addHook('preParsing', async ({ method, headers }) => {
    if (method === 'GET' || method === 'HEAD') return
    const isRead = isUtf8(headers['content-type']) && isPlain(headers['content-encoding'])
    if (!isRead) throw new Problem('notAForm')
  })
  await app.register(formbody, { bodyLimit: BODY_LIMIT, parser: parseBody })
}

/** Takes the forms of a scope in which each selected row is a field. */
export function takeSelections(scope: FastifyInstance): void {
  const type = 'application/x-www-form-urlencoded'
  scope.removeContentTypeParser(type)
  scope.addContentTypeParser(
    type,
    { parseAs: 'string', bodyLimit: BODY_LIMIT },
    async (_request: unknown, body: string) => parseBody(body, SELECTION_FIELDS_LIMIT),
  )
}

/** @throws Problem 400 when the bytes are no UTF-8 or no such encoding (WHATWG URL, application/x-www-form-urlencoded) */
export function parseBody(body: string, maxFields = FIELDS_LIMIT): Record<string, string | string[]> {
  // The body was decoded as UTF-8 before: what was not UTF-8 became U+FFFD. A browser writes that one as %EF%BF%BD.
  if (body.includes('\uFFFD')) throw new Problem('badRequest')
  const pairs = body.split('&').filter((pair) => pair !== '')
  if (pairs.length > maxFields) throw new Problem('badRequest')
  const fields = new Map<string, string[]>()
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    const name = decode(at < 0 ? pair : pair.slice(0, at))
    const value = at < 0 ? '' : decode(pair.slice(at + 1))
    fields.set(name, [...(fields.get(name) ?? []), value])
  }
  // fromEntries defines properties, so a field named __proto__ is a plain field nobody reads.
  return Object.fromEntries(
    [...fields].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  )
}

/** Whether a body of this type is read as it was written: a charset that is named has to be UTF-8 (WHATWG Encoding, 4.2). */
function isUtf8(contentType: string | undefined): boolean {
  if (contentType === undefined) return true
  try {
    const charset = new MIMEType(contentType).params.get('charset') ?? 'utf-8'
    return new TextDecoder(charset).encoding === 'utf-8'
  } catch {
    // Not a media type, or a charset that does not exist.
    return false
  }
}

/** RFC 9110, 15.5.16: a content coding that is not understood is answered like a type that is not. */
function isPlain(contentEncoding: string | undefined): boolean {
  return contentEncoding === undefined || contentEncoding.toLowerCase() === 'identity'
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new Problem('badRequest')
  }
}
