import { isRefusedForGood } from './refusal.ts'

/** Failures in a row after which a mail server is left alone. */
const MAX_FAILURES = 5
/** Deliveries that succeed before one more is tried at once. */
const GROWTH = 50

/** Milliseconds that a server is left alone, by how often it was in a row: 5 seconds to 10 minutes. */
export const PAUSE = (times: number): number =>
  1000 * Math.min(600, 5 * 2 ** (times - 1)) * (0.8 + Math.random() * 0.4)

/**
 * How many deliveries a mail server takes at once. One that takes none is left alone as a whole, and then asked with a single mail;
 * one that refuses connections gets fewer of them.
 */
export class Patience {
  private readonly max: number
  private readonly pause: typeof PAUSE
  private atOnce: number
  private failures = 0
  private pauses = 0
  private restsUntil = 0

  /** @param max MAIL_CONNECTIONS */
  constructor(max: number, pause: typeof PAUSE = PAUSE) {
    this.max = max
    this.atOnce = max
    this.pause = pause
  }

  /** Deliveries that may be under way now. */
  capacity(): number {
    if (performance.now() < this.restsUntil) return 0
    return this.pauses > 0 ? 1 : Math.floor(this.atOnce)
  }

  /** The server took a mail. */
  worked(): void {
    this.failures = 0
    this.pauses = 0
    this.atOnce = Math.min(this.max, this.atOnce + 1 / GROWTH)
  }

  /** A delivery failed. @returns the seconds that the server is left alone for, where this begins a pause; null otherwise */
  failed(error: unknown): number | null {
    // A server that refuses one mail for good works.
    if (isRefusedForGood(error)) {
      this.worked()
      return null
    }
    if (isAboutConnection(error)) this.atOnce = Math.max(1, Math.floor(this.atOnce / 2))
    this.failures += 1
    const isResting = performance.now() < this.restsUntil
    if (isResting || (this.pauses === 0 && this.failures < Math.min(MAX_FAILURES, this.max))) return null
    this.pauses += 1
    const milliseconds = this.pause(this.pauses)
    this.restsUntil = performance.now() + milliseconds
    return Math.round(milliseconds / 1000)
  }
}

/** Refused before it was about a mail, or not answered. */
function isAboutConnection(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return true
  const isAboutMail = error.code === 'EENVELOPE' || error.code === 'EMESSAGE'
  return !isAboutMail || ('responseCode' in error && error.responseCode === 421)
}
