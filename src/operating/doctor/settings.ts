import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { tlsOf } from '../../mail/tls.ts'
import { type Finding, ok, problem, type WordedFinding, warning, worded } from './finding.ts'

/** The major version of Node that Handup is developed on, as in package.json. */
const NODE_MAJOR = 24
const LOCAL = /^(localhost|127(\.\d+){3}|\[::1\])$/

export function checkNode(version: string): Finding {
  const major = Number(version.split('.')[0])
  return major >= NODE_MAJOR
    ? ok('Node', version)
    : warning('Node', version, `npm ci installs Node ${NODE_MAJOR}, which npm start uses`)
}

export function checkAddress({ baseUrl, isProduction, trustProxy }: Config): WordedFinding {
  const { protocol, hostname } = new URL(baseUrl)
  if (protocol === 'https:' && trustProxy.length === 0)
    return worded('warning', 'address', 'untrusted', { baseUrl })
  if (protocol === 'https:') return worded('ok', 'address', 'https', { baseUrl })
  if (!LOCAL.test(hostname)) return worded('problem', 'address', 'http', { baseUrl })
  return isProduction
    ? worded('warning', 'address', 'lost', { baseUrl })
    : worded('ok', 'address', 'local', { baseUrl })
}

/** Checks where the secret is, and that no other user can read it. */
export async function checkSecret({ secret, dataDir }: Config): Promise<Finding> {
  if (secret !== null) return ok('SECRET', 'set; keep a copy apart: backups don’t contain it')
  const file = join(dataDir, 'secret')
  const found = await stat(file).catch(() => null)
  if (found === null) return ok('SECRET', `not set: the first start creates ${file}`)
  if ((found.mode & 0o077) !== 0) return problem('SECRET', `others can read ${file}`, `chmod 600 ${file}`)
  return ok('SECRET', `in ${file}; keep a copy apart: backups don’t contain it`)
}

const TIMEOUT_MS = 5000

/** Checks that the mail server answers and accepts the credentials. Sends nothing. */
export async function checkMailServer({ smtpUrl, mailFrom, isProduction }: Config): Promise<WordedFinding> {
  if (smtpUrl === null) return worded(isProduction ? 'warning' : 'ok', 'mail', 'unset')
  const { host } = new URL(smtpUrl)
  // Loaded where mail is sent: it brings the client of fetch, megabytes that the admin's overview does not need.
  const { createTransport } = await import('nodemailer')
  const times = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS }
  const transport = createTransport({ ...times, url: smtpUrl, tls: tlsOf(smtpUrl) })
  try {
    await transport.verify()
    return worded('ok', 'mail', 'accepted', { host, from: mailFrom })
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    return worded('problem', 'mail', 'refused', { host, reason })
  } finally {
    transport.close()
  }
}
