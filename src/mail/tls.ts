import { isLoopbackHost } from '../text/hosts.ts'

/**
 * How a mail server's certificate is checked. One on this machine needs none to be believed, and a fresh
 * Debian's has one that nobody signed.
 * @param url SMTP_URL
 */
export function tlsOf(url: string): { readonly rejectUnauthorized: boolean } {
  return { rejectUnauthorized: !isLoopbackHost(new URL(url).hostname) }
}
