import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Config } from '../../config.ts'
import { readAddresses } from '../../database/hosts.ts'
import { refusal } from '../../kernel/problem.ts'
import { bareHost, isLoopbackHost } from '../../text/hosts.ts'
import { type AddressRule, isPublic } from '../../web/guarded-fetch.ts'
import type { WebhookKind } from './kinds.ts'

export type Reach = Pick<Config, 'webhookHosts' | 'databaseUrl'>

const MAX_LENGTH = 2000
const POSTGRES_PORT = 5432

/** Where clouds give secrets to their machines, though the address is in no range of its own. */
const METADATA: readonly string[] = ['fd00:ec2::254', 'fd20:ce::254', '168.63.129.16'].map(plainAddress)
const METADATA_NAMES: readonly string[] = ['metadata.google.internal', 'instance-data.ec2.internal']

/** What the addresses of each chat begin with, as their services document them. */
const OF_KIND: Readonly<Record<WebhookKind, RegExp>> = {
  slack: /^hooks\.slack(?:-gov)?\.com\/services\/./,
  discord: /^(?:(?:canary|ptb)\.)?discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/\d+\/./,
  // Of a workflow: addresses of connectors (webhook.office.com) answer no more.
  teams: /^[a-z0-9.-]+\.(?:logic\.azure\.com|api\.powerplatform\.com)\/./,
  standard: /^/,
}

/**
 * Which addresses webhooks may connect to: public ones, at 443 or from 1024 on, and the hosts of WEBHOOK_HOSTS; this machine only at a
 * port that is named there. Never where clouds give secrets, nor at the port of our database.
 */
export function webhookAddressRule(reach: Reach): AddressRule {
  const closed = databasePorts(reach)
  return (address, host, port) => {
    if (!ipaddr.isValid(address) || METADATA.includes(plainAddress(address)) || closed.includes(port))
      return false
    const named = namedHost(reach, host, port)
    if (named === undefined) return isPublic(address) && isOpen(port)
    if (named.port === null && port !== 80 && !isOpen(port)) return false
    const range = ipaddr.process(address).range()
    return range === 'loopback' ? named.port !== null : ['unicast', 'private', 'uniqueLocal'].includes(range)
  }
}

/**
 * The address of a webhook, as somebody typed it. Names are looked up at each connection, by the rule above.
 * @throws Refused with what to type instead
 */
export function readWebhookAddress(reach: Reach, kind: WebhookKind, typed: string): URL {
  const text = typed.trim()
  const wrong = (key: string) => refusal('url', `webhooks.url.${key}`)
  if (text.length > MAX_LENGTH || !URL.canParse(text)) throw wrong('wrong')
  const url = new URL(text)
  const { protocol, username, password, hash, hostname, pathname } = url
  if (!['http:', 'https:'].includes(protocol) || hash !== '') throw wrong('wrong')
  if (username !== '' || password !== '') throw wrong('user')
  const host = bareHost(hostname)
  const port = url.port === '' ? (protocol === 'http:' ? 80 : 443) : Number(url.port)
  const isNamed = namedHost(reach, host, port) !== undefined
  if (isNamed ? !mayLead(reach, host, port) : isLocal(host)) throw wrong('private')
  if (protocol === 'http:' && !isNamed) throw wrong('https')
  if (databasePorts(reach).includes(port) || !(isNamed || isOpen(port))) throw wrong('port')
  if (!isNamed && !OF_KIND[kind].test(`${host}${pathname}`)) throw wrong(kind)
  return url
}

/** What is shown of an address: its host, and the last characters of a long one, which is a secret as a whole. */
export function shownAddress({ host, pathname, search }: URL): string {
  const rest = `${pathname}${search}`
  if (rest === '/') return host
  return `${host}/…${rest.length < 24 ? '' : rest.slice(-4)}`
}

/** An address, or a name that by itself says that it leads nowhere public. */
function isLocal(host: string): boolean {
  const name = host.replace(/\.$/, '')
  if (isIP(name) !== 0) return !isPublic(name) || METADATA.includes(plainAddress(name))
  return isLoopbackHost(name) || !name.includes('.') || METADATA_NAMES.includes(name)
}

/** Whether a host that was named may be where its address says, if it is an address. */
function mayLead(reach: Reach, host: string, port: number): boolean {
  return isIP(host) === 0 || webhookAddressRule(reach)(host, host, port)
}

const isOpen = (port: number) => port === 443 || port >= 1024

/** The entry of WEBHOOK_HOSTS for a host and port. `port` null: any. */
function namedHost({ webhookHosts }: Reach, hostname: string, port: number) {
  const host = bareHost(hostname)
  const entries = webhookHosts.map((entry) => {
    const [, name = entry, own] = /^(.*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? []
    return { host: bareHost(name), port: own === undefined ? null : Number(own) }
  })
  return entries.find((entry) => entry.host === host && (entry.port === null || entry.port === port))
}

function databasePorts({ databaseUrl }: Reach): number[] {
  if (databaseUrl === null) return [POSTGRES_PORT]
  return readAddresses(databaseUrl).urls.map((url) => Number(new URL(url).port) || POSTGRES_PORT)
}

/** One form of an address that has many. */
function plainAddress(address: string): string {
  return ipaddr.process(address).toString()
}
