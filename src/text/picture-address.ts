const SHOWN = /<img src="\/uploads\/([\w-]+)"/g

/** @param name of an uploaded picture, which carries its size (markdown/images.ts) */
export function pictureAddress(name: string): string {
  return `/uploads/${name}`
}

/** The names of the pictures that a post shows. @param html from prepareMarkdown */
export function picturesIn(html: string): string[] {
  return [...new Set(Array.from(html.matchAll(SHOWN), ([, name = '']) => name))]
}

/** A picture in a text. @param words that stand for it; empty: none */
export function pictureMarkdown(words: string, address: string): string {
  return `![${words.replace(/[\\[\]]/g, '\\$&')}](${address})`
}

/** The rest of a picture's address behind the forum's own, and what ends it in Markdown. */
const REST = /^\/uploads\/[\w-]+(?=[\s)])/

/**
 * A text in which pictures of ours are named by their paths, whichever way they were: the path stays right when the forum moves.
 * @param baseUrl of the forum
 */
export function withOwnPictures(text: string, baseUrl: string): string {
  const [first = '', ...others] = text.split(`](${baseUrl}/`)
  let before = first
  const parts = others.map((part) => {
    const words = before.slice(before.lastIndexOf('\n') + 1)
    const isPicture = words.slice(words.lastIndexOf(']') + 1).includes('![') && REST.test(`/${part}`)
    before = part
    return `](${isPicture ? '' : baseUrl}/${part}`
  })
  return [first, ...parts].join('')
}

/** A picture of ours that stands in Markdown. */
export interface WrittenPicture {
  /** From its `!` to its `)`. */
  readonly at: number
  readonly end: number
  readonly words: string
  readonly address: string
}

const WRITTEN = /!\[((?:\\.|[^\\\]\n])*)\]\((\/uploads\/[\w-]+)\)/g

/** The pictures of ours in a text, as they stand in it. In code they count as well: there they are nobody's loss. */
export function writtenPictures(text: string): WrittenPicture[] {
  return Array.from(text.matchAll(WRITTEN), ({ 0: all, 1: words = '', 2: address = '', index }) => ({
    at: index,
    end: index + all.length,
    words: words.replace(/\\([\\[\]])/g, '$1'),
    address,
  }))
}
