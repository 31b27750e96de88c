import TurndownService from 'turndown'

export interface PostMarkdown {
  readonly markdown: string
  /** What it was made of. */
  readonly origin: 'source' | 'html'
  /** Whether the forum shows the same words in the same structure as the dump's HTML. */
  readonly isExact: boolean
}

const turndown = new TurndownService({ codeBlockStyle: 'fenced', headingStyle: 'atx' })

export function postMarkdown(html: string, source: string | null): PostMarkdown {
  return {
    markdown: source ?? turndown.turndown(html),
    origin: source === null ? 'html' : 'source',
    isExact: true,
  }
}
