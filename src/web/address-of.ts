import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'

/** The address a request came from. */
export type AddressOf = (request: IncomingMessage) => string

/** As Fastify's `request.ip`: what proxies say counts only as far as they are trusted. */
export function addressOf(trustProxy: readonly string[]): AddressOf {
  if (trustProxy.length === 0) return ({ socket }) => socket.remoteAddress ?? ''
  const isTrusted = proxyAddr.compile([...trustProxy])
  return (request) => proxyAddr(request, isTrusted)
}
