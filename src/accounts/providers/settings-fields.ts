import type { Preset } from '../../database/schema.ts'
import { refusal } from '../../operations/refused.ts'

/** One label of a domain after another; a dot between at least two. */
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/
const MAX_DOMAINS = 100
const MAX_SCOPES = 20

/** Domains of email addresses, with commas or blanks between. @throws Refused */
export function domainsIn(text: string): string[] {
  const names = text
    .toLowerCase()
    .split(/[\s,;]+/)
    .map((name) => name.replace(/^@/, ''))
    .filter((name) => name !== '')
  if (names.length > MAX_DOMAINS || !names.every((name) => name.length <= 253 && DOMAIN.test(name)))
    throw refusal('domains', 'providers.domains.wrong')
  return [...new Set(names)]
}

/** Scopes with blanks or commas between, in the characters that RFC 6749, section 3.3, has for them. @throws Refused */
export function scopesIn(text: string): string[] {
  const scopes = [...new Set(text.split(/[\s,]+/).filter((scope) => scope !== ''))]
  if (scopes.length > MAX_SCOPES || !scopes.every((scope) => /^[!#-[\]-~]{1,200}$/.test(scope)))
    throw refusal('scopes', 'providers.scopes.wrong', { max: MAX_SCOPES })
  return scopes
}

const GOOGLE = 'https://accounts.google.com'
/** Tenants of Entra that are many: whoever has a Microsoft account would be in. */
const ANY_TENANT = /^https:\/\/login\.microsoftonline\.com\/(?:common|organizations|consumers)(?:\/|$)/

/** The issuer of a provider that an admin adds: https, as only the environment names one on this machine. null: GitHub has none. @throws Refused */
export function issuerOf(preset: Preset, typed: string): string | null {
  if (preset === 'github') return null
  if (preset === 'google') return GOOGLE
  const issuer = typed.trim()
  if (!URL.canParse(issuer) || issuer.length > 500) throw refusal('issuer', 'providers.issuer.wrong')
  const { protocol, search, hash, username } = new URL(issuer)
  if (protocol !== 'https:' || search !== '' || hash !== '' || username !== '')
    throw refusal('issuer', 'providers.issuer.wrong')
  if (ANY_TENANT.test(issuer)) throw refusal('issuer', 'providers.issuer.tenant')
  return issuer
}
