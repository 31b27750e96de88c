import type { FastifyRequest } from 'fastify'
import type { Language } from '../database/schema.ts'
import { LANGUAGES } from '../messages/catalogue.ts'
import { readAppearance } from './appearance.ts'

/** The language of the page: the person's choice, else this browser's, else what it asks for, else English. */
export function languageOfRequest(request: FastifyRequest): Language {
  if (request.person !== null && request.person.language !== null) return request.person.language
  return readAppearance(request.headers.cookie).language ?? acceptedLanguage(request)
}

/** What the browser asks for in `Accept-Language`, whatever was chosen; else English. */
export function acceptedLanguage(request: FastifyRequest): Language {
  const wished = request.language([...LANGUAGES])
  return LANGUAGES.find((language) => language === wished) ?? 'en'
}
