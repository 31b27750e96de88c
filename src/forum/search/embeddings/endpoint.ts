import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { atMost } from '../../../text/words/remembered.ts'
import { type FetchBounds, OperatorService } from '../../../web/guarded-fetch.ts'

/** Characters of a text that are sent; small models take about as many. */
const MAX_CHARACTERS = 2000
/** Characters that a model of 512 tokens takes, in Korean as well. */
const FEWER_CHARACTERS = 400
/** What servers answer to a text with more tokens than their model takes: llama.cpp 500, text-embeddings-inference 413, others 400 or 422. */
const REFUSED: ReadonlySet<number> = new Set([400, 413, 422, 500])
/** Milliseconds that a page, and a job, wait for a vector. */
const PAGE_DEADLINE = 300
const JOB_DEADLINE = 20_000
/** After a failure pages don't wait for the endpoint for so long. */
const REST_MS = 30_000
const MAX_BYTES = 4 * 1024 * 1024
const REMEMBERED = { count: 500, ttl: 600_000 } as const

/** As OpenAI's API has it, and those that copy it (llama.cpp, Ollama, vLLM, text-embeddings-inference). */
const answered = z.object({
  data: z.array(
    z.object({ index: z.number().int().min(0), embedding: z.array(z.number()).min(1).max(4096) }),
  ),
})

/** The operator's service that turns texts into vectors. */
export class EmbeddingEndpoint {
  readonly model: string
  private readonly service: OperatorService
  private readonly remembered = new LRUCache<string, Promise<Vector | null>>({
    ...atMost(REMEMBERED.count),
    ttl: REMEMBERED.ttl,
  })
  private restsUntil = 0

  /** @param url EMBEDDINGS_URL: the address of the request, with the key as its user or password and the model in its query */
  constructor(url: string) {
    this.model = new URL(url).searchParams.get('model') ?? ''
    this.service = new OperatorService(url)
  }

  /** Vectors of texts in their order. @throws what the network says, and Error for an answer that is none */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Vector[]> {
    return this.ask(texts, { deadline: JOB_DEADLINE, maxBytes: MAX_BYTES, signal })
  }

  /**
   * The vector of what somebody typed, soon or not at all.
   * @returns null: the endpoint was too slow, failed, or did so a moment ago
   */
  async embedTyped(text: string): Promise<Vector | null> {
    const known = this.remembered.get(text)
    if (known !== undefined) return known
    if (Date.now() < this.restsUntil) return null
    const asked = this.askSoon(text)
    this.remembered.set(text, asked)
    const vector = await asked
    if (vector === null) this.remembered.delete(text)
    return vector
  }

  private async askSoon(text: string): Promise<Vector | null> {
    try {
      const [vector = null] = await this.ask([text], { deadline: PAGE_DEADLINE, maxBytes: MAX_BYTES })
      return vector
    } catch {
      // Jobs tell the operator of an endpoint that fails (docs/searching.md).
      this.restsUntil = Date.now() + REST_MS
      return null
    }
  }

  close(): void {
    this.service.close()
  }

  private async ask(texts: readonly string[], bounds: FetchBounds): Promise<Vector[]> {
    const input = texts.map((text) => text.slice(0, MAX_CHARACTERS).toWellFormed())
    const asked = { model: this.model, input, encoding_format: 'float' }
    const { status, body: answer, isWhole } = await this.service.post(asked, bounds)
    const [only = '', ...more] = input
    if (REFUSED.has(status) && more.length === 0 && only.length > FEWER_CHARACTERS)
      return this.ask([only.slice(0, FEWER_CHARACTERS)], bounds)
    if (status !== 200 || !isWhole) throw new Error(`the embedding endpoint answered ${status}`)
    const { data } = answered.parse(JSON.parse(answer.toString('utf8')))
    const vectors = data.toSorted((one, other) => one.index - other.index).map(({ embedding }) => embedding)
    if (vectors.length !== texts.length) throw new Error('the embedding endpoint left out texts')
    return vectors.map(normalized)
  }
}

/** A vector of length 1: the product of two is their similarity. */
export type Vector = Float32Array

/** @throws Error for one without a direction, or with a number that is none */
function normalized(numbers: readonly number[]): Vector {
  const length = Math.hypot(...numbers)
  if (!(length > 0 && Number.isFinite(length))) throw new Error('a vector without a direction')
  return Float32Array.from(numbers, (number) => number / length)
}

export function bytesOf(vector: Vector): Buffer {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [index, number] of vector.entries()) bytes.writeFloatLE(number, index * 4)
  return bytes
}

export function vectorIn(bytes: Buffer): Vector {
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4))
}

/** From -1 to 1, by their cosine; -1 for vectors that can't be compared. */
export function nearness(one: Vector, other: Vector): number {
  if (one.length !== other.length) return -1
  return one.reduce((sum, number, index) => sum + number * (other[index] ?? 0), 0)
}
