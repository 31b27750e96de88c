import { plainly, withoutBlocks } from '../foreign/literally.ts'
import { formulaOrText, mapCode, mapTex } from '../foreign/tex.ts'

/** Kept as typed: escaped delimiters, and URLs of links or in running text. */
const KEPT = /\\[*_`[\]]|\]\(https?:\/\/[^\s)]*(?:\s+"[^"\n]*")?\)|https?:\/\/[^\s<>)\]]+/g

/**
 * Converts a comment to the forum's Markdown. In comments, Stack Exchange supports only **bold**, _italic_, `code` and
 * [links](…), so everything else that is Markdown here is escaped: lists, quotes, headings, HTML references.
 */
export function commentMarkdown(text: string): string {
  const lines = text.replace(/^[ \t]+/gm, '')
  return withoutBlocks(mapCode(lines, (code) => code, prose))
}

function prose(text: string): string {
  return mapTex(text, formulaOrText, (words) => {
    let from = 0
    const pieces = Array.from(words.matchAll(KEPT), ({ 0: kept, index }) => {
      const before = plain(words.slice(from, index))
      from = index + kept.length
      return before + kept
    })
    return pieces.join('') + plain(words.slice(from))
  })
}

/** In a comment, an image is an exclamation mark and a link. */
function plain(text: string): string {
  return plainly(text).replace(/!(?=\[)/g, '\\!')
}
