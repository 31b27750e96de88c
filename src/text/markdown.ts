import { createRequire } from 'node:module'

type Pipeline = typeof import('./markdown/pipeline.ts')

const require = createRequire(import.meta.url)
let loaded: Pipeline | null = null

/**
 * Version of the renderer, stored with each post's HTML. Increase it with every change of renderMarkdown's output, so
 * that stored posts are rendered again.
 */
export const RENDERER_VERSION: number = 8

/**
 * Renders a post to safe HTML: CommonMark with GitHub's tables, strikethrough, task lists and literal links, and formulas
 * as MathML, through an allow-list. Deterministic; no ids, no styles, no classes but ours.
 * @param source normalized Markdown (characters.ts); time is linear in its length
 */
export function renderMarkdown(source: string): string {
  // Loaded with the first post that is written: parser, highlighter and sanitizer take 10 MB.
  const pipeline: Pipeline = loaded ?? require('./markdown/pipeline.ts')
  loaded = pipeline
  return pipeline.render(source)
}
