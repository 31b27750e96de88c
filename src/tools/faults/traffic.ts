import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { atEnd, type Ending } from '../../testing/at-end.ts'
import { textOf } from '../../testing/page.ts'
import type { SignedIn } from '../bench/speed/people.ts'
import { getPage, sendForm } from './client.ts'

/** A request of the traffic and its outcome. */
export interface Sent {
  readonly kind: 'read' | 'write'
  /** The written answer's text; '' for a read. */
  readonly text: string
  /** By performance.now(). */
  readonly begun: number
  readonly ended: number
  /** null: there was no response. */
  readonly status: number | null
  readonly retryAfter: string | null
  /** Why there was no response, or the beginning of an error page. */
  readonly failure: string | null
}

export interface TrafficOptions {
  readonly readers: number
  readonly writers: number
  /** Milliseconds between two requests of one client. */
  readonly pause: number
  /** Whether connections are kept alive, as in browsers. */
  readonly isKeptAlive?: boolean
}

export interface Traffic {
  /** So far. */
  readonly sent: readonly Sent[]
  /** Stops sending, and waits for pending requests. */
  stop(): Promise<readonly Sent[]>
}

let written = 0

/** A unique text of an answer. */
export function newText(): string {
  written += 1
  return `Answer number ${written} of process ${process.pid}`
}

/** Clients that read a question's page, each their own, and clients that answer it, until they are stopped. */
export function startTraffic(
  end: Ending,
  url: string,
  people: readonly SignedIn[],
  question: { readonly id: number; readonly path: string },
  { readers, writers, pause, isKeptAlive = false }: TrafficOptions,
): Traffic {
  const sent: Sent[] = []
  let isStopping = false
  const personAt = (index: number) => {
    const person = people[index % people.length]
    if (person === undefined) throw new Error('nobody is there')
    return person
  }
  const goOn = async (kind: Sent['kind'], person: SignedIn) => {
    const agent = isKeptAlive ? new Agent({ keepAlive: true, maxSockets: 1 }) : undefined
    while (!isStopping) {
      const text = kind === 'write' ? newText() : ''
      sent.push(
        await note(kind, text, () =>
          kind === 'read'
            ? getPage(url, question.path, person, agent)
            : sendForm(url, person, `/questions/${question.id}/answers`, { body: text }, agent),
        ),
      )
      await sleep(pause)
    }
    agent?.destroy()
  }
  const all = [
    ...Array.from({ length: readers }, (_, index) => goOn('read', personAt(index))),
    ...Array.from({ length: writers }, (_, index) => goOn('write', personAt(readers + index))),
  ]
  const stop = async () => {
    isStopping = true
    await Promise.all(all)
    return sent
  }
  atEnd(end, async () => void (await stop()))
  return { sent, stop }
}

/** Sends one request, and never throws. */
export async function note(
  kind: Sent['kind'],
  text: string,
  send: () => ReturnType<typeof getPage>,
): Promise<Sent> {
  const begun = performance.now()
  try {
    const { status, headers, body } = await send()
    const retryAfter = headers['retry-after'] ?? null
    const failure = status < 400 ? null : `${status} ${textOf(body).slice(0, 60)}`
    return { kind, text, begun, ended: performance.now(), status, retryAfter, failure }
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error)
    return { kind, text, begun, ended: performance.now(), status: null, retryAfter: null, failure }
  }
}

/** Whether a request was served normally. */
export function isServed({ kind, status }: Sent): boolean {
  return status === (kind === 'read' ? 200 : 303)
}
