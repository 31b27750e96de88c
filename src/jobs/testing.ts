import type { Timing } from './kind.ts'

/** Production settings, except for delays that a test would have to wait for. */
export const FAST: Timing = {
  pause: 20,
  leaseMargin: 600,
  backOff: () => 0.05,
  takeoverDelay: 100,
  stopTimeout: 100,
}
