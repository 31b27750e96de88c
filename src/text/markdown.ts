import { createRequire } from 'node:module'

type Pipeline = typeof import('./markdown/pipeline.ts')

const require = createRequire(import.meta.url)
let loaded: Pipeline | null = null

/**
 * Which renderer made a stored HTML. Raise it with every change of what renderMarkdown gives for any source,
 * so that stored posts are found and rendered again.
 */
export const RENDERER_VERSION: number = 1

/**
 * HTML of a post, safe to put on any page: CommonMark with GitHub's tables, strikethrough, task lists and
 * literal links, through an allow-list. The same source gives the same HTML; no ids, no styles, no classes
 * but ours.
 * @param source normalized Markdown (characters.ts); time is linear in its length
 */
export function renderMarkdown(source: string): string {
  // With the first post that is written: parser, highlighter and sanitizer take 10 MB.
  const pipeline: Pipeline = loaded ?? require('./markdown/pipeline.ts')
  loaded = pipeline
  return pipeline.render(source)
}
