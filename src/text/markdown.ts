import { createRequire } from 'node:module'
import { LRUCache } from 'lru-cache'
import { Task } from './thread/thread.ts'

type Pipeline = typeof import('./markdown/pipeline.ts')

const require = createRequire(import.meta.url)
let loaded: Pipeline | null = null

/** UTF-16 units of ordinary text that cost as much as one character that begins a formula, a cell or code; none: one. */
const WEIGHTS: Readonly<Record<string, number>> = { $: 60, '\\': 60, '|': 30, '`': 10 }
/** The weight of a text that is rendered where it stands: the worst takes 20 ms at most on a quiet machine. */
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
/** HTML of long texts by their source: those that are on their way. */
const prepared = new LRUCache<string, string>({
  maxSize: MAX_PREPARED,
  sizeCalculation: (html, source) => html.length + source.length,
})

/**
 * Version of the renderer, stored with each post's HTML. Increase it with every change of renderMarkdown's output, so
 * that stored posts are rendered again.
 */
export const RENDERER_VERSION: number = 10

/**
 * Renders long texts in a thread of its own, so that no request waits for them: renderMarkdown has them at once then. Call it before
 * any text that a person sent is rendered: web/body-texts.ts does for the fields of forms.
 * @param sources normalized Markdown. @param personId who sent them: people take turns. @throws NotDone
 */
export async function prepareMarkdown(sources: readonly string[], personId?: number): Promise<void> {
  const long = sources.filter((source) => isLaborious(source) && prepared.get(source) === undefined)
  await Promise.all(
    long.map(async (source) => {
      prepared.set(source, await rendering.call(source, personId))
    }),
  )
}

/**
 * Renders a post to safe HTML: CommonMark with GitHub's tables, strikethrough, task lists and literal links, and formulas
 * as MathML, through an allow-list. Deterministic; no ids, no styles, no classes but ours.
 * @param source normalized Markdown (characters.ts); time is linear in its length
 */
export function renderMarkdown(source: string): string {
  const known = prepared.get(source)
  if (known !== undefined) return known
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
