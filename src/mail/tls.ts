import { isLoopbackHost } from '../text/hosts.ts'

/** A mail server on this machine needs no certificate: a fresh Debian's is one that nobody signed. @param url SMTP_URL */
export function tlsOf(url: string): { readonly rejectUnauthorized: boolean } {
  return { rejectUnauthorized: !isLoopbackHost(new URL(url).hostname) }
}
