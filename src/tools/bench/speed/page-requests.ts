import type { Server } from './processes.ts'

/**
 * The result of a run: requests per second, latencies in milliseconds, and the server's processor time per request in
 * microseconds.
 */
export interface Result {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** null: not available on this system. */
  readonly processor: number | null
  /** Requests per second of each round, where several make one result. */
  readonly rounds?: readonly number[]
}

/** A request for a page; without a cookie: as a visitor. */
export interface PageRequest {
  readonly path: string
  readonly cookie?: string
}

/** Simulated readers: their requests, repeated in order. */
export interface Load {
  readonly server: Server
  readonly requests: readonly PageRequest[]
}

/** Chromium's headers for a page that a person opens. */
export const BROWSER_HEADERS = {
  'user-agent':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'accept-encoding': 'gzip, deflate, br, zstd',
  'accept-language': 'en-US,en;q=0.9',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'same-origin',
  'sec-fetch-user': '?1',
  'upgrade-insecure-requests': '1',
}
