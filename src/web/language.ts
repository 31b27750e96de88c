import type { FastifyRequest } from 'fastify'
import type { Language } from '../database/schema.ts'
import { LANGUAGES } from '../messages/catalogue.ts'

/** The language of the page: the person's choice, else what the browser asks for, else English. */
export function languageOfRequest(request: FastifyRequest): Language {
  if (request.person !== null && request.person.language !== null) return request.person.language
  const wished = request.language([...LANGUAGES])
  return LANGUAGES.find((language) => language === wished) ?? 'en'
}
