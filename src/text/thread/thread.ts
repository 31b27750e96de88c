import { AsyncLocalStorage } from 'node:async_hooks'
import { Worker } from 'node:worker_threads'

/** Those who wait take turns: who has much waiting is served one piece, then everybody else one. */
export class RoundRobin<Item> {
  /** Who was served last comes last. */
  private readonly waiting = new Map<string, Item[]>()

  add(item: Item, of: string): void {
    const own = this.waiting.get(of)
    if (own === undefined) this.waiting.set(of, [item])
    else own.push(item)
  }

  take(): Item | undefined {
    for (const [of, items] of this.waiting) {
      const item = items.shift()
      this.waiting.delete(of)
      if (items.length > 0) this.waiting.set(of, items)
      return item
    }
    return undefined
  }
}

/** Milliseconds without work after which the thread ends, and its memory is given back. */
const IDLE_MS = 60_000
const MAX_MEMORY_MB = 256
/** Milliseconds that a piece of work may take where its kind says nothing else: the longest takes half a second, and the machine may be busy. */
const MAX_WORK_MS = 20_000

/** Work took longer than it may, or its thread died. */
export class NotDone extends Error {}

/** What the thread is sent (worker.ts): a function that a module exports, and its argument. */
export interface Piece {
  readonly module: string
  readonly name: string
  readonly given: unknown
}

export type Answer = { readonly made: unknown } | { readonly failed: string }

interface Call {
  readonly piece: Piece
  readonly timeout: number
  readonly end: (answer: Answer | NotDone) => void
}

/** A thread for slow work on texts, piece by piece. It ends after a minute without any. */
class Thread {
  private readonly waiting = new RoundRobin<Call>()
  private current: Call | null = null
  private worker: Worker | null = null
  private timer: NodeJS.Timeout | null = null

  call(call: Call, of: string): void {
    this.waiting.add(call, of)
    this.next()
  }

  private next(): void {
    if (this.current !== null) return
    if (this.timer !== null) clearTimeout(this.timer)
    const call = this.waiting.take()
    if (call === undefined) {
      this.timer = setTimeout(() => this.drop(), IDLE_MS).unref()
      this.worker?.unref()
      return
    }
    this.current = call
    this.worker ??= this.begin()
    this.worker.ref()
    this.worker.postMessage(call.piece)
    this.timer = setTimeout(() => this.drop(), call.timeout)
  }

  private begin(): Worker {
    const file = new URL('./worker.ts', import.meta.url)
    const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB } })
    const died = (error?: unknown) => {
      if (this.worker === worker) this.finish(new NotDone('the thread died', { cause: error }), true)
    }
    worker.on('message', (answer: Answer) => {
      if (this.worker === worker) this.finish(answer, false)
    })
    worker.on('error', died)
    worker.on('exit', () => died())
    return worker
  }

  private drop(): void {
    const { worker } = this
    this.finish(new NotDone('it took too long'), true)
    void worker?.terminate()
  }

  private finish(answer: Answer | NotDone, isOver: boolean): void {
    if (isOver) this.worker = null
    const { current } = this
    this.current = null
    current?.end(answer)
    if (current !== null) this.next()
  }
}

/** One for a process: each takes some 100 MB. */
const thread = new Thread()

const turns = new AsyncLocalStorage<number | null>()

/** Runs what gives the thread work as one person's: people take turns. @param person null: no one's */
export function inTurnOf<Result>(person: { readonly id: number } | null, work: () => Result): Result {
  return turns.run(person?.id ?? null, work)
}

/** A kind of work that the thread does: a function of one argument that a module exports. */
export class Task<Work extends (given: never) => unknown> {
  private readonly module: string
  private readonly name: string
  private readonly timeout: number

  /** @param timeout of one piece of work in milliseconds, the beginning of the thread included */
  constructor(module: URL | string, name: string, timeout = MAX_WORK_MS) {
    this.module = String(module)
    this.name = name
    this.timeout = timeout
  }

  /** @param given anything that can be cloned. @throws NotDone; Error with the message of what the work threw */
  call(given: Parameters<Work>[0]): Promise<Awaited<ReturnType<Work>>> {
    return new Promise((resolve, reject) => {
      const end = (answer: Answer | NotDone) => {
        if (answer instanceof NotDone) reject(answer)
        else if ('failed' in answer) reject(new Error(answer.failed))
        else resolve(answer.made as Awaited<ReturnType<Work>>)
      }
      const piece = { module: this.module, name: this.name, given }
      thread.call({ piece, timeout: this.timeout, end }, String(turns.getStore() ?? this.module))
    })
  }
}
