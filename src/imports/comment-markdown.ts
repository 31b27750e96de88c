import { literally, plainly, withoutBlocks } from './literally.ts'
import { mapCode, mapTex } from './tex.ts'

/** What stays as it was typed: escaped marks, and addresses, of links or in running text. */
const KEPT = /\\[*_`[\]]|\]\(https?:\/\/[^\s)]*(?:\s+"[^"\n]*")?\)|https?:\/\/[^\s<>)\]]+/g

/**
 * A comment as Markdown for the forum. In comments, Stack Exchange knows **bold**, _italic_, `code` and [links](…) only, so
 * everything else that would be Markdown here is shown as it was typed: lists, quotes, headings, HTML references, TeX.
 */
export function commentMarkdown(text: string): string {
  const lines = text.replace(/^[ \t]+/gm, '')
  return withoutBlocks(mapCode(lines, (code) => code, prose))
}

function prose(text: string): string {
  return mapTex(text, literally, (words) => {
    let from = 0
    const pieces = Array.from(words.matchAll(KEPT), ({ 0: kept, index }) => {
      const before = plain(words.slice(from, index))
      from = index + kept.length
      return before + kept
    })
    return pieces.join('') + plain(words.slice(from))
  })
}

/** A picture is a mark and a link in a comment. */
function plain(text: string): string {
  return plainly(text).replace(/!(?=\[)/g, '\\!')
}
