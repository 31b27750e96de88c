import { availableParallelism } from 'node:os'
import { join, relative, resolve, sep } from 'node:path'
import { z } from 'zod'
import { AddressError, readAddresses } from './database/hosts.ts'
import type { Language } from './messages/language.ts'
import { problemOfSecret } from './secrets/keys.ts'
import { isTimeZone, readDuration } from './text/dates.ts'
import {
  isBucket,
  isEmbeddingEndpoint,
  isEndpoint,
  isIssuer,
  isNetwork,
  isOrigin,
  isWebhookHost,
} from './text/hosts.ts'

/** Everything an operator can set, read once at start. docs/configuration.md explains the same variables. */
export interface Config {
  readonly host: string
  readonly port: number
  /** Public address without a trailing slash: what links in mail and feeds begin with. */
  readonly baseUrl: string
  /** null: the embedded database in `dataDir`. */
  readonly databaseUrl: string | null
  readonly dataDir: string
  /** The largest file that a browser may bring for an import, in bytes. */
  readonly importMaxBytes: number
  /** Where uploaded pictures are stored: `https://KEY:SECRET@host/bucket/prefix?region=…`; null: in `dataDir`. */
  readonly s3Url: string | null
  /** Scheduled backups; null: none. */
  readonly backups: { readonly folder: string; readonly everyMs: number; readonly keep: number } | null
  /** An OpenID Connect provider for sign-in, named `oidc`; null: none is set here. */
  readonly oidc: OpenIdClient | null
  /** Hosts in private networks where a provider may be, in lower case. */
  readonly privateHosts: readonly string[]
  /** Hosts that webhooks may reach besides public ones, in lower case; with a port: at that one only, as on this machine. */
  readonly webhookHosts: readonly string[]
  /** One secret, or a new one before an old one (src/secrets/keys.ts); null: made at the first start and kept in `dataDir`. */
  readonly secret: string | null
  /** null: mail stays in the outbox, where an admin reads it. */
  readonly smtpUrl: string | null
  readonly mailFrom: string
  /** How long notifications are collected before they are sent as one mail. */
  readonly mailSoonSeconds: number
  /** How posts of strangers are looked at: src/forum/posts/hold.ts. `sendsMail`: they can confirm an address. null: as all others. */
  readonly careful: { readonly sendsMail: boolean } | null
  /** The most notification mails a minute; null: no limit. */
  readonly mailRate: number | null
  /** Simultaneous deliveries to the mail server, per process. */
  readonly mailConnections: number
  /** Where answers by mail arrive: `reply@host` gets them as `reply+TOKEN@host`; null: nobody can answer by mail. */
  readonly replyAddress: string | null
  /** The port at `host` where the forum receives answers by SMTP; null: a mail server hands them to `handup mail receive`. */
  readonly inboundPort: number | null
  /** The embeddings endpoint: `https://KEY@host/v1/embeddings?model=NAME`; null: search works without one. */
  readonly embeddingsUrl: string | null
  /** Address of a spam check, with its key; null: nobody is asked. */
  readonly spamUrl: string | null
  /** The language of the sample course that a new embedded database gets; null: none. */
  readonly sample: Language | null
  /** Processes that serve, this one included. */
  readonly workers: number
  /** Other origins whose pages may call /mcp. */
  readonly mcpOrigins: readonly string[]
  /** Whether shared pages are cached: src/web/page-cache/README.md. */
  readonly pageCache: boolean
  /** The address of the metrics; null: nothing is measured. */
  readonly metrics: { readonly host: string; readonly port: number } | null
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
  /** Proxies whose X-Forwarded-* headers are trusted, as addresses or networks. */
  readonly trustProxy: readonly string[]
  /** How long a stopping forum keeps serving while /readyz answers 503. */
  readonly drainSeconds: number
  /** The value of Strict-Transport-Security on https; null: the header is not sent. */
  readonly hsts: string | null
  readonly isProduction: boolean
  readonly timeZone: string
}

/** The forum's registration at a provider. */
export interface OpenIdClient {
  readonly issuer: string
  readonly clientId: string
  /** null: a client without a secret, protected by PKCE alone. */
  readonly clientSecret: string | null
  /** The label of its button; null: the issuer's host. */
  readonly label: string | null
}

/** A variable has a value that can't be used: `message`, in one line, names it and says what is allowed. */
export class ConfigError extends Error {}

const url = (...protocols: string[]) =>
  z.string().refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
    message: `must be an address beginning with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  })

export const MAIL_CONNECTIONS = 5

/** SAMPLE as the language of the sample course. */
const SAMPLES = { on: 'en', ko: 'ko', off: null } as const

const port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a number from 0 to 65535')
  .transform(Number)
  .refine((number) => number <= 65535, 'must be a number from 0 to 65535')

const [MIN_BACKUP_EVERY, MAX_BACKUP_EVERY] = ['15m', '31d']

/** RFC 6797, section 6.1; or off. */
const HSTS_VALUE = /^(?:off|max-age=\d{1,10}(?:; ?(?:includeSubDomains|preload)){0,2})$/
/** Two years, for this host alone: its subdomains may be others' and without TLS. */
const HSTS_DEFAULT = 'max-age=63072000'

const variables = z.object({
  HOST: z
    .string()
    .regex(/^[\w.:-]+$/, 'must be an address such as 127.0.0.1, or a name')
    .default('127.0.0.1'),
  PORT: port.default(3000),
  OIDC_ISSUER: z
    .string()
    .max(500)
    .refine(isIssuer, 'must be the https address of an OpenID Connect provider (http only on this machine)')
    .optional(),
  OIDC_CLIENT_ID: z.string().max(500, 'must be at most 500 characters').optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_LABEL: z.string().max(40, 'must be at most 40 characters').optional(),
  PRIVATE_HOSTS: z
    .string()
    .default('')
    .transform((value) => namesIn(value).map((name) => name.toLowerCase()))
    .refine(
      (names) => names.every((name) => /^[a-z0-9][a-z0-9.-]{0,252}$/.test(name)),
      'must be names of hosts such as sso.school.internal, with commas between',
    ),
  WEBHOOK_HOSTS: z
    .string()
    .default('')
    .transform((value) => namesIn(value).map((name) => name.toLowerCase()))
    .refine(
      (names) => names.every(isWebhookHost),
      'must be hosts such as chat.school.internal, or 127.0.0.1:9000 with a port where it is this machine, with commas between',
    ),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: port.optional(),
  BASE_URL: url('http:', 'https:')
    .refine(isOrigin, 'must be an address without a path, such as https://forum.example')
    .optional(),
  DATABASE_URL: z.string().superRefine(checkDatabaseUrl).optional(),
  DATA_DIR: z.string().default('.data'),
  IMPORT_MAX_MB: z
    .string()
    .regex(/^[1-9]\d{0,4}$/, 'must be a number of megabytes from 1 to 99999')
    .transform(Number)
    .default(200),
  S3_URL: url('http:', 'https:')
    .refine(
      isBucket,
      'must be the address of a bucket with key and secret, such as https://KEY:SECRET@s3.eu-central-1.amazonaws.com/bucket?region=eu-central-1; / and + in the secret are %2F and %2B',
    )
    .optional(),
  BACKUP_EVERY: z
    .string()
    .refine(
      isBackupInterval,
      `must be a number of minutes, hours or days such as 6h, from ${MIN_BACKUP_EVERY} to ${MAX_BACKUP_EVERY}`,
    )
    .transform((value) => readDuration(value) ?? 0)
    .optional(),
  BACKUP_DIR: z.string().optional(),
  BACKUP_KEEP: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, 'must be a number of backups from 1 to 999')
    .transform(Number)
    .default(14),
  SECRET: z.string().superRefine(checkSecret).optional(),
  SMTP_URL: url('smtp:', 'smtps:')
    .refine(
      (value) => URL.canParse(value) && new URL(value).hostname !== '',
      'must be an address with a mail server, such as smtps://mail.example.org',
    )
    .optional(),
  MAIL_FROM: z
    .string()
    .regex(/^[^\s@<>",;:]{1,64}@[^\s@<>",;:]{1,189}$/, 'must be an email address such as forum@example.org')
    .optional(),
  MAIL_SOON_SECONDS: z
    .string()
    .regex(/^\d{1,5}$/, 'must be a number of seconds from 0 to 99999')
    .transform(Number)
    .default(300),
  MAIL_RATE: z
    .string()
    .regex(/^[1-9]\d{0,5}$/, 'must be a number of emails per minute, at least 1')
    .transform(Number)
    .optional(),
  MAIL_CONNECTIONS: z
    .string()
    .regex(/^[1-9]\d?$/, 'must be a number of connections from 1 to 99')
    .transform(Number)
    .default(MAIL_CONNECTIONS),
  REPLY_ADDRESS: z
    .string()
    .regex(
      /^[^\s@<>",;:+]{1,20}@[^\s@<>",;:]{1,189}$/,
      'must be an email address without a +, such as reply@example.org',
    )
    .optional(),
  INBOUND_PORT: port.optional(),
  EMBEDDINGS_URL: url('http:', 'https:')
    .refine(
      isEmbeddingEndpoint,
      'must be the address of an OpenAI-compatible endpoint with a model, such as https://KEY@api.example.org/v1/embeddings?model=NAME',
    )
    .optional(),
  SPAM_URL: url('http:', 'https:')
    .refine(isEndpoint, 'must be the address of a spam check, such as https://KEY@api.example.org/check')
    .optional(),
  MCP_ORIGINS: z
    .string()
    .default('')
    .transform((value) => namesIn(value).map((origin) => origin.replace(/\/$/, '')))
    .refine(
      (origins) => origins.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin),
      'must be origins such as https://assistant.example, with commas between',
    ),
  PAGE_CACHE: z.enum(['on', 'off'], 'must be on or off').default('on'),
  WORKERS: z
    .string()
    .regex(/^(auto|[1-9]\d?)$/, 'must be auto or a number from 1 to 99')
    .transform((value) => (value === 'auto' ? availableParallelism() : Number(value)))
    .default(1),
  STRANGERS: z.enum(['careful', 'relaxed'], 'must be careful or relaxed').optional(),
  SAMPLE: z.enum(['on', 'off', 'ko'], 'must be on, off or ko').optional(),
  LOG_LEVEL: z
    .enum(
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      'must be one of fatal, error, warn, info, debug, trace, silent',
    )
    .default('info'),
  DRAIN_SECONDS: z
    .string()
    .regex(/^\d{1,4}$/, 'must be a number of seconds from 0 to 9999')
    .transform(Number)
    .default(0),
  HSTS: z
    .string()
    .regex(HSTS_VALUE, 'must be off or a value such as max-age=63072000; includeSubDomains')
    .transform((value) => (value === 'off' ? null : value))
    .default(HSTS_DEFAULT),
  TRUST_PROXY: z
    .string()
    .default('')
    .transform(namesIn)
    .refine(
      (entries) => entries.every(isNetwork),
      'must be addresses or networks such as 10.0.0.0/8, with commas between',
    ),
  NODE_ENV: z.string().default('development'),
  TIME_ZONE: z
    .string()
    .refine(isTimeZone, 'must be a time zone such as Europe/Berlin')
    .default(Intl.DateTimeFormat().resolvedOptions().timeZone),
})

/**
 * Reads and checks the environment. Empty variables count as unset, as compose files write them so.
 * @throws ConfigError naming the first variable that cannot be used
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = variables.safeParse(set)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw new ConfigError(`${String(issue?.path[0])} ${issue?.message}`)
  }
  const values = parsed.data
  const baseUrl = (values.BASE_URL ?? `http://${localName(values.HOST)}:${values.PORT}`).replace(/\/+$/, '')
  const isProduction = values.NODE_ENV === 'production'
  if (isProduction && values.DATABASE_URL !== undefined && values.SECRET === undefined) {
    throw new ConfigError(
      'SECRET must be set with NODE_ENV=production and DATABASE_URL: try openssl rand -base64 48',
    )
  }
  if (values.INBOUND_PORT !== undefined && values.REPLY_ADDRESS === undefined)
    throw new ConfigError(
      'INBOUND_PORT must be set together with REPLY_ADDRESS: it receives answers by email',
    )
  return {
    host: values.HOST,
    port: values.PORT,
    baseUrl,
    databaseUrl: values.DATABASE_URL ?? null,
    dataDir: resolve(values.DATA_DIR),
    importMaxBytes: values.IMPORT_MAX_MB * 1024 * 1024,
    s3Url: values.S3_URL ?? null,
    backups: backupsOf(values),
    oidc: openIdOf(values),
    privateHosts: values.PRIVATE_HOSTS,
    webhookHosts: values.WEBHOOK_HOSTS,
    secret: values.SECRET ?? null,
    smtpUrl: values.SMTP_URL ?? null,
    careful:
      (values.STRANGERS ?? (isProduction ? 'careful' : 'relaxed')) === 'careful'
        ? { sendsMail: values.SMTP_URL !== undefined }
        : null,
    mailFrom: values.MAIL_FROM ?? `handup@${new URL(baseUrl).hostname}`,
    mailSoonSeconds: values.MAIL_SOON_SECONDS,
    mailRate: values.MAIL_RATE ?? null,
    mailConnections: values.MAIL_CONNECTIONS,
    replyAddress: values.REPLY_ADDRESS ?? null,
    inboundPort: values.INBOUND_PORT ?? null,
    embeddingsUrl: values.EMBEDDINGS_URL ?? null,
    spamUrl: values.SPAM_URL ?? null,
    workers: values.WORKERS,
    mcpOrigins: values.MCP_ORIGINS,
    pageCache: values.PAGE_CACHE === 'on',
    metrics:
      values.METRICS_PORT === undefined ? null : { host: values.METRICS_HOST, port: values.METRICS_PORT },
    sample: SAMPLES[values.SAMPLE ?? (isProduction ? 'off' : 'on')],
    logLevel: values.LOG_LEVEL,
    trustProxy: values.TRUST_PROXY,
    drainSeconds: values.DRAIN_SECONDS,
    hsts: values.HSTS,
    isProduction,
    timeZone: values.TIME_ZONE,
  }
}

/** @throws ConfigError: a part of it is missing */
function openIdOf(values: z.infer<typeof variables>): OpenIdClient | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET, OIDC_LABEL } = values
  if (issuer === undefined && clientId === undefined) return null
  if (issuer === undefined || clientId === undefined)
    throw new ConfigError(
      `${issuer === undefined ? 'OIDC_ISSUER' : 'OIDC_CLIENT_ID'} must be set: OIDC_ISSUER and OIDC_CLIENT_ID belong together`,
    )
  return { issuer, clientId, clientSecret: OIDC_CLIENT_SECRET ?? null, label: OIDC_LABEL ?? null }
}

/** @throws ConfigError: one of the two is missing, or each backup would hold those before */
function backupsOf({
  BACKUP_EVERY,
  BACKUP_DIR,
  BACKUP_KEEP,
  DATA_DIR,
}: z.infer<typeof variables>): Config['backups'] {
  if (BACKUP_EVERY === undefined && BACKUP_DIR === undefined) return null
  if (BACKUP_DIR === undefined)
    throw new ConfigError('BACKUP_DIR must be set together with BACKUP_EVERY: the folder of the backups')
  if (BACKUP_EVERY === undefined)
    throw new ConfigError(
      'BACKUP_EVERY must be set together with BACKUP_DIR: how often to back up, such as 6h',
    )
  const folder = resolve(BACKUP_DIR)
  for (const kept of ['uploads', 'postgres'])
    if (isWithin(folder, join(resolve(DATA_DIR), kept)))
      throw new ConfigError(`BACKUP_DIR must not be in ${kept} of DATA_DIR: choose a folder on another disk`)
  return { folder, everyMs: BACKUP_EVERY, keep: BACKUP_KEEP }
}

function namesIn(value: string): string[] {
  return value
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way.split(sep)[0] !== '..'
}

function isBackupInterval(value: string): boolean {
  const [every, min, max] = [value, MIN_BACKUP_EVERY, MAX_BACKUP_EVERY].map(readDuration)
  return every != null && every >= (min ?? 0) && every <= (max ?? 0)
}

function checkSecret(value: string, context: z.RefinementCtx): void {
  const message = problemOfSecret(value)
  if (message !== null) context.addIssue({ code: 'custom', message })
}

function checkDatabaseUrl(value: string, context: z.RefinementCtx): void {
  try {
    readAddresses(value)
  } catch (error) {
    if (!(error instanceof AddressError)) throw error
    context.addIssue({ code: 'custom', message: error.message })
  }
}

/** The name a browser on this machine can open when the server listens on every address. */
function localName(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
