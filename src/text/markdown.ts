import { createRequire } from 'node:module'
import { LRUCache } from 'lru-cache'
import { Task } from './thread/thread.ts'

type Pipeline = typeof import('./markdown/pipeline.ts')

const require = createRequire(import.meta.url)
let loaded: Pipeline | null = null

/** UTF-16 units of ordinary text that cost as much as one character that begins a formula, a cell or code; none: one. */
const WEIGHTS: Readonly<Record<string, number>> = { $: 60, '\\': 60, '|': 30, '`': 10 }
/** The weight of texts that are rendered where they stand: the worst takes 20 ms at most on a quiet machine. */
const MAX_AT_ONCE = 6_000
/** Milliseconds; the longest post takes a fifth of a second, the thread begins in one, and the machine may be busy. */
const MAX_RENDERING_MS = 25_000
/** UTF-16 units of texts and their HTML: some of the longest posts, or a page of usual ones. */
const MAX_PREPARED = 5_000_000

const rendering = new Task<Pipeline['render']>(
  new URL('./markdown/pipeline.ts', import.meta.url),
  'render',
  MAX_RENDERING_MS,
)
/** HTML by source of what the thread rendered. */
const prepared = new LRUCache<string, string>({
  maxSize: MAX_PREPARED,
  sizeCalculation: (html, source) => html.length + source.length,
})

/** Stored with each post's HTML: increase it with every change of the output, so that posts render again. */
export const RENDERER_VERSION: number = 11

/**
 * A text and what our renderer makes of it: safe HTML, CommonMark with GitHub's tables, strikethrough, task lists and literal links, and
 * formulas as MathML, through an allow-list. Only prepareMarkdown makes one: what takes it renders nothing, and so holds up nobody.
 */
class Rendered {
  readonly source: string
  readonly #html: string

  constructor(source: string, html: string) {
    this.source = source
    this.#html = html
  }

  /** Deterministic; no ids, no styles, no classes but ours. */
  get html(): string {
    return this.#html
  }
}

export type RenderedText = Rendered

/**
 * Renders texts: a few short ones at once, more of them in a thread of its own, so that no request waits for them. Not in a transaction:
 * what it has locked would wait, too. The latest long texts are remembered.
 * @param sources normalized Markdown (characters.ts); half of a surrogate pair, which is no text, is replaced
 * @returns them in their order. @throws NotDone
 */
export function prepareMarkdown(sources: readonly [string]): Promise<readonly [RenderedText]>
export function prepareMarkdown(sources: readonly string[]): Promise<readonly RenderedText[]>
export async function prepareMarkdown(sources: readonly string[]): Promise<readonly RenderedText[]> {
  const texts = sources.map((source) => source.toWellFormed())
  const isLong = isLaborious(texts.filter((text) => prepared.get(text) === undefined).join('\n'))
  return Promise.all(
    texts.map(async (text) => {
      const html = prepared.get(text) ?? (isLong ? await rendering.call(text) : renderHere(text))
      if (isLong) prepared.set(text, html)
      return new Rendered(text, html)
    }),
  )
}

function renderHere(source: string): string {
  // Loaded with the first post that is written: parser, highlighter and sanitizer take 10 MB.
  const pipeline: Pipeline = loaded ?? require('./markdown/pipeline.ts')
  loaded = pipeline
  return pipeline.render(source)
}

/** Whether rendering a text may take longer than others may be kept waiting. Errs on the side of the thread. */
export function isLaborious(source: string): boolean {
  let weight = source.length
  for (let index = 0; index < source.length && weight <= MAX_AT_ONCE; index += 1)
    weight += WEIGHTS[source.charAt(index)] ?? 0
  return weight > MAX_AT_ONCE
}
