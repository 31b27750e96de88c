/**
 * Markdown that shows a text exactly as it is: a backslash before what would be taken for Markdown, and nowhere else, so
 * that words and TeX stay readable in the editor. It may stand anywhere in a line and hold several lines.
 */
export function literally(text: string): string {
  return text
    .replace(/\\(?=[!-/:-@[-`{-~]|\s|$)/g, '\\\\')
    .replace(/[*`]/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replace(/~~/g, '\\~\\~')
    .replace(/&(?=#?\w+;)/g, '\\&')
    .replace(/<(?=[a-z/!?])/gi, '\\<')
    .replace(/[[\]]/g, '\\$&')
    .replace(/!$/, '\\!')
    .replace(/^([ \t]*)([#>=+-]|\|)/gm, '$1\\$2')
    .replace(/^([ \t]*\d+)([.)])(?=\s|$)/gm, '$1\\$2')
    .replace(/(?<=\s)#+\s*$/, '\\$&')
}
