import { Worker } from 'node:worker_threads'

/** Milliseconds without work after which the thread ends, and its memory is given back. */
const IDLE_MS = 60_000
const MAX_MEMORY_MB = 256

/** Work took longer than it may, or its thread died. */
export class NotDone extends Error {}

/** What a thread is sent, and answers (serve.ts). */
export type Answer = { readonly made: unknown } | { readonly failed: string }

interface Call {
  readonly given: unknown
  readonly end: (answer: Answer | NotDone) => void
}

/**
 * A thread for work on texts of people that takes longer than requests may be kept waiting: one piece after the other, each
 * within a time. It begins with the first and ends when there was none for a minute.
 */
export class Thread<Given, Made> {
  private readonly file: URL
  private readonly timeout: number
  private readonly waiting: Call[] = []
  private current: Call | null = null
  private worker: Worker | null = null
  private timer: NodeJS.Timeout | null = null

  /** @param file calls `serve`. @param timeout of one piece of work in milliseconds, the beginning of the thread included */
  constructor(file: URL, timeout: number) {
    this.file = file
    this.timeout = timeout
  }

  /** @throws NotDone; Error with the message of what the work threw */
  call(given: Given): Promise<Made> {
    return new Promise((resolve, reject) => {
      const end = (answer: Answer | NotDone) => {
        if (answer instanceof NotDone) reject(answer)
        else if ('failed' in answer) reject(new Error(answer.failed))
        else resolve(answer.made as Made)
      }
      this.waiting.push({ given, end })
      this.next()
    })
  }

  private next(): void {
    if (this.current !== null) return
    if (this.timer !== null) clearTimeout(this.timer)
    const call = this.waiting.shift()
    if (call === undefined) {
      this.timer = setTimeout(() => this.drop(), IDLE_MS).unref()
      this.worker?.unref()
      return
    }
    this.current = call
    this.worker ??= this.begin()
    this.worker.ref()
    this.worker.postMessage(call.given)
    this.timer = setTimeout(() => this.drop(), this.timeout)
  }

  private begin(): Worker {
    const worker = new Worker(this.file, { resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB } })
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

  /** Ends the thread, and what it was doing. */
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
