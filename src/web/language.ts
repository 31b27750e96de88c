import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Language } from '../database/schema.ts'
import { LANGUAGES, type Translate, translatorOf } from '../messages/catalogue.ts'
import { readAppearance } from './appearance.ts'

/** The language of the page: the person's choice, else this browser's, else what it asks for, else English. */
export function languageOfRequest(request: FastifyRequest): Language {
  if (request.person !== null && request.person.language !== null) return request.person.language
  return readAppearance(request.headers.cookie).language ?? acceptedLanguage(request)
}

/** The translator of the page's language. */
export function translatorFor(request: FastifyRequest): Translate {
  return translatorOf(languageOfRequest(request))
}

/** What the browser asks for in `Accept-Language`, whatever was chosen; else English. */
export function acceptedLanguage(request: FastifyRequest): Language {
  const header = request.headers['accept-language'] ?? ''
  const known = accepted.get(header)
  if (known !== undefined) return known
  const wished = request.language([...LANGUAGES])
  const language = LANGUAGES.find((one) => one === wished) ?? 'en'
  if (header.length <= MAX_HEADER_LENGTH) accepted.set(header, language)
  return language
}

/** By header: browsers send some hundred different ones, and each page asks several times. */
const accepted = new LRUCache<string, Language>({ max: 500 })
const MAX_HEADER_LENGTH = 200
