/** Which of several servers to use: the values of libpq's target_session_attrs that let the forum write. */
export type SessionTarget = 'any' | 'read-write' | 'primary'

/** The target of a DATABASE_URL. */
export interface DatabaseAddresses {
  /** A URL for each host, in the order of attempts. */
  readonly urls: readonly string[]
  readonly target: SessionTarget
  readonly timeouts: Timeouts
}

/** Milliseconds that the URL names; what it leaves out is the forum's choice. */
export interface Timeouts {
  /** libpq's `connect_timeout`, which is in seconds. */
  readonly connectionTimeout?: number
  /** `statement_timeout`, in milliseconds as in PostgreSQL; 0: none. */
  readonly statementTimeout?: number
}

/**
 * An invalid DATABASE_URL: `message` says what is expected, and does not repeat the value, which may hold a password.
 */
export class AddressError extends Error {}

interface Host {
  readonly name: string
  /** '': the default. */
  readonly port: string
}

const SHAPE =
  /^(?<scheme>postgres(?:ql)?:\/\/)(?<account>[^/?#]*@)?(?<hosts>[^/?#]*)(?<path>[^?#]*)(?:\?(?<query>[^#]*))?$/
const HOST = /^(\[[\d:a-f.%]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i

/** Parameters that the forum reads itself and no connection is sent: poolers refuse those they don't know. */
const TAKEN = ['host', 'port', 'target_session_attrs', 'connect_timeout', 'statement_timeout']

/**
 * Parses a URL like libpq (PostgreSQL documentation, "Connection URIs" and "Specifying Multiple Hosts"): several hosts
 * separated by commas, before the path or as parameters `host` and `port`, and the target session attributes.
 * @throws AddressError when it is invalid
 */
export function readAddresses(databaseUrl: string): DatabaseAddresses {
  const parts = SHAPE.exec(databaseUrl)?.groups
  if (parts === undefined)
    throw new AddressError('must be an address beginning with postgres:// or postgresql://')
  const parameters = new URLSearchParams(parts.query ?? '')
  const target = readTarget(parameters.get('target_session_attrs') ?? 'any')
  const inParameters = parameters.get('host')
  const hosts =
    inParameters === null
      ? readHosts(parts.hosts ?? '')
      : listedHosts(inParameters, parameters.get('port') ?? '')
  const timeouts = readTimeouts(parameters)
  for (const name of TAKEN) parameters.delete(name)
  const { scheme = '', account = '', path = '' } = parts
  return { urls: hosts.map((host) => addressOf(host, scheme + account, path, parameters)), target, timeouts }
}

function readTimeouts(parameters: URLSearchParams): Timeouts {
  const [seconds, milliseconds] = ['connect_timeout', 'statement_timeout'].map((name) => {
    const value = parameters.get(name)
    if (value === null || /^\d{1,7}$/.test(value)) return value
    throw new AddressError(`must be an address whose ${name} is a whole number`)
  })
  return {
    ...(seconds == null ? {} : { connectionTimeout: Number(seconds) * 1000 }),
    ...(milliseconds == null ? {} : { statementTimeout: Number(milliseconds) }),
  }
}

function readTarget(value: string): SessionTarget {
  if (value === 'any' || value === 'read-write' || value === 'primary') return value
  throw new AddressError(
    'must be an address whose target_session_attrs is read-write, primary or any: the forum writes',
  )
}

/** The hosts between credentials and path. An empty host is the local machine. */
function readHosts(text: string): Host[] {
  if (text === '') return [{ name: 'localhost', port: '' }]
  return text.split(',').map((entry) => {
    const [, name, port = ''] = HOST.exec(entry) ?? []
    if (name === undefined || Number(port) > 65_535)
      throw new AddressError('must be an address with hosts such as db.example.org:5432, with commas between')
    return { name, port }
  })
}

/** A single port applies to all hosts, otherwise each has its own. */
function listedHosts(hosts: string, ports: string): Host[] {
  const names = hosts.split(',')
  const numbers = ports.split(',')
  if (names.includes('') || (numbers.length !== 1 && numbers.length !== names.length))
    throw new AddressError('must be an address with one port for each host, or one for all')
  return names.map((name, index) => ({ name, port: numbers[index] ?? numbers[0] ?? '' }))
}

/** The folder of a Unix socket can only be a parameter. */
function addressOf({ name, port }: Host, begin: string, path: string, others: URLSearchParams): string {
  const isFolder = name.startsWith('/')
  const parameters = new URLSearchParams(others)
  if (isFolder) parameters.set('host', name)
  if (isFolder && port !== '') parameters.set('port', port)
  const isBareIpv6 = name.includes(':') && !name.startsWith('[')
  const host = isFolder ? 'localhost' : `${isBareIpv6 ? `[${name}]` : name}${port === '' ? '' : `:${port}`}`
  const query = parameters.size === 0 ? '' : `?${parameters}`
  const url = `${begin}${host}${path}${query}`
  if (!URL.canParse(url))
    throw new AddressError('must be an address such as postgres://user:password@host/database')
  return url
}
