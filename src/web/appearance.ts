import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Language, Theme } from '../database/schema.ts'
import { LANGUAGES, type Translate, translatorOf } from '../messages/catalogue.ts'
import { cookieOf } from './cookies.ts'

/** What a visitor chose for this browser; who is signed in has settings of their own. */
export interface Appearance {
  /** null: as the browser asks. */
  readonly language: Language | null
  /** 'system': as the device has it. */
  readonly theme: Theme
}

const NOT_CHOSEN: Appearance = { language: null, theme: 'system' }
const THEMES: readonly Theme[] = ['system', 'light', 'dark']
/** A year in seconds, from the last choice. */
const MAX_AGE_SECONDS = 365 * 24 * 60 * 60

/** Reads the choice from a request's `Cookie` header. Any other value than those we set counts as none. */
export function readAppearance(cookie: string | undefined): Appearance {
  if (cookie === undefined) return NOT_CHOSEN
  const chosen = /(?:^|;\s*)language=([a-z]{2})(?:;|$)/.exec(cookie)?.[1]
  const theme = /(?:^|;\s*)theme=([a-z]+)(?:;|$)/.exec(cookie)?.[1]
  return {
    language: LANGUAGES.find((language) => language === chosen) ?? null,
    theme: THEMES.find((known) => known === theme) ?? 'system',
  }
}

/** The attribute of a page's root element, as HTML; '' for the device's theme. */
export function themeAttribute(theme: Theme): string {
  return theme === 'system' ? '' : ` data-theme="${theme}"`
}

/** The `Cookie` header of a request that wants its page in this theme. */
export function themeCookie(theme: Theme): string {
  return `theme=${theme}`
}

/** Keeps the choice in this browser. */
export function keepAppearance(reply: FastifyReply, { language, theme }: Appearance): void {
  const { options } = cookieOf(reply.server.config, 'appearance')
  const keep = (name: string, value: string | null) =>
    value === null
      ? reply.clearCookie(name, options)
      : reply.setCookie(name, value, { ...options, maxAge: MAX_AGE_SECONDS })
  keep('language', language)
  keep('theme', theme === 'system' ? null : theme)
}

/** The page's language: the person's choice, else this browser's, else what it asks for, else English. */
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
