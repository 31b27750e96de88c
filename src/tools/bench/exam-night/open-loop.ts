import { Agent, get, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../generate/random.ts'
import type { Asked } from './mix.ts'

export interface Answered {
  readonly kind: string
  readonly ms: number
  /** Of HTTP; or what went wrong. */
  readonly status: number | string
}

const TIMEOUT_MS = 20_000
const agent = new Agent({ keepAlive: true, maxSockets: 400 })

/** Sends one request and reads the answer. */
export function send(url: string, asked: Asked): Promise<Answered> {
  const { kind, path, method, headers, body } = asked
  const began = performance.now()
  return new Promise((resolve) => {
    const end = (status: number | string) => resolve({ kind, ms: performance.now() - began, status })
    const sent = request(new URL(path, url), { method, agent, headers: { ...headers, origin: url } })
    sent.setTimeout(TIMEOUT_MS, () => sent.destroy(new Error('no answer')))
    sent.once('error', (error) => end(error.message))
    sent.once('response', (answer) => answer.resume().once('end', () => end(answer.statusCode ?? 0)))
    sent.end(body ?? undefined)
  })
}

/**
 * Sends requests at a rate, whatever the answers take, at random moments as independent people do (a Poisson process).
 * @returns all answers, once each has come
 */
export async function openLoop(
  random: Random,
  perSecond: number,
  seconds: number,
  ask: () => Promise<Answered>,
): Promise<Answered[]> {
  const answers: Promise<Answered>[] = []
  const end = performance.now() + seconds * 1000
  const pause = () =>
    perSecond === 0 ? Number.POSITIVE_INFINITY : (-Math.log(1 - random.next()) * 1000) / perSecond
  let next = performance.now() + pause()
  while (performance.now() < end) {
    for (; next <= performance.now(); next += pause()) answers.push(ask())
    await sleep(2)
  }
  return await Promise.all(answers)
}

/** Opens live streams of questions, and keeps them. @returns how many were opened, and what closes them */
export async function openStreams(
  url: string,
  streams: readonly { readonly path: string; readonly cookie: string }[],
): Promise<{ readonly open: number; close(): void }> {
  const own = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  const opened = await Promise.all(
    streams.map(
      ({ path, cookie }) =>
        new Promise<boolean>((resolve) => {
          get(new URL(path, url), { agent: own, headers: { cookie } }, (answer) => {
            answer.on('error', () => {}).resume()
            resolve(answer.statusCode === 200)
          }).on('error', () => resolve(false))
        }),
    ),
  )
  return { open: opened.filter(Boolean).length, close: () => own.destroy() }
}
