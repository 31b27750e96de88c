import { resolve } from 'node:dns/promises'
import { authenticate } from 'mailauth'

/** Where a mail came from, as its SMTP connection said. */
export interface Delivery {
  readonly ip: string
  readonly helo: string
  /** Of the envelope; '' for reports. */
  readonly sender: string
}

export type Resolver = (name: string, type: string) => Promise<unknown>

/** What no mail program writes, and what takes the square of its length to read: lines of the headers, and blanks in a row. */
const MAX_HEADER_LINES = 1000
const MANY_BLANKS = /\s{200}/

/** 'unknown': DNS did not answer, so that the mail has to come again. */
export type Authenticity = 'authentic' | 'forged' | 'unknown'

/**
 * Whether a mail is from the address in its From, by SPF, DKIM and DMARC (RFC 7208, 6376, 7489). Where the address's domain has no
 * DMARC policy, a signature or SPF must still be of this very domain: whoever has neither is not known.
 * @param from as the mail was read; one that can be read in two ways is forged
 */
export async function authenticityOf(
  raw: Buffer,
  from: string,
  { ip, helo, sender }: Delivery,
  resolver: Resolver = resolve as Resolver,
): Promise<Authenticity> {
  if (hasStrangeHeaders(raw)) return 'forged'
  const options = { ip, helo, sender, resolver, trustReceived: false, disableArc: true, disableBimi: true }
  const { dkim, spf, dmarc } = await authenticate(raw, options as Parameters<typeof authenticate>[1])
  const [address, ...others] = [dkim.headerFrom].flat()
  if (others.length > 0 || address?.toLowerCase() !== from || from === '' || !dmarc) return 'forged'
  const domain = from.slice(from.lastIndexOf('@') + 1)
  const isSent = spf !== false && spf.status.result === 'pass' && sender.toLowerCase().endsWith(`@${domain}`)
  const isSigned = dkim.results.some(
    ({ status, signingDomain }) =>
      // A signature of the beginning alone says nothing of the rest.
      status.result === 'pass' && !status.underSized && signingDomain?.toLowerCase() === domain,
  )
  const { spf: bySender, dkim: bySignature } = dmarc.alignment ?? {}
  const isAligned = Boolean(bySender?.result) || (Boolean(bySignature?.result) && !bySignature?.underSized)
  if (isSent || isSigned || (dmarc.status.result === 'pass' && isAligned)) return 'authentic'
  const checks = [dmarc.status, spf !== false && spf.status, ...dkim.results.map(({ status }) => status)]
  return checks.some((status) => status && status.result === 'temperror') ? 'unknown' : 'forged'
}

function hasStrangeHeaders(raw: Buffer): boolean {
  const [headers = ''] = raw.toString('latin1').split(/\r?\n\r?\n/, 1)
  return MANY_BLANKS.test(headers) || headers.split('\n').length > MAX_HEADER_LINES
}
