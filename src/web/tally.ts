import type { ServerResponse } from 'node:http'
import type { Histogram } from 'prom-client'

/** Counts the responses of one route by status, and records their durations. */
export class Tally {
  readonly method: string
  /** The pattern, such as `/questions/:id/:slug`: URLs contain people's words and are too many. */
  readonly route: string
  readonly statuses = new Map<number, number>()
  private readonly durations: Histogram<'route' | 'status'>

  constructor(method: string, route: string, durations: Histogram<'route' | 'status'>) {
    this.method = method
    this.route = route
    this.durations = durations
  }

  /** @param milliseconds null: an endless response, which has no meaningful duration */
  answered(status: number, milliseconds: number | null): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    // The class of the status: a series for each status would be too many.
    const labels = { route: this.route, status: `${Math.floor(status / 100)}xx` }
    if (milliseconds !== null) this.durations.observe(labels, milliseconds / 1000)
  }

  /** For a response outside the framework: call it before sending. */
  answeredBy(response: ServerResponse): void {
    const begun = performance.now()
    response.once('finish', () => this.answered(response.statusCode, performance.now() - begun))
  }
}
