import { distanceOf } from '../../text/words/spelling.ts'

export interface Placeholders {
  /** Who asked, under the name that classmates see. */
  readonly name: string
  readonly title: string
  readonly lecture: string
}

const NAMES: readonly (keyof Placeholders)[] = ['name', 'title', 'lecture']
const PLACEHOLDER = /\{(name|title|lecture)\}/g
/** A word in braces, and what could be meant to be one. */
const IN_BRACES = /\{\s*(\p{L}{2,12})\s*\}/gu
/** Blocks of code, and code within a line: braces there are text. */
const CODE =
  /^([ \t]*)(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^\s*\2[`~]*[ \t]*$|(?![\s\S]))|(`+)(?!`)[^\n]*?[^`\n]\3(?!`)/gm

/**
 * The text with what its placeholders, such as {name}, stand for. Other braces stay as they are, and so does code. A sentence with a
 * placeholder that stands for nothing is left out: "See lecture {lecture}." says nothing of a question about none.
 */
export function filledIn(body: string, values: Placeholders): string {
  return outsideCode(withoutEmpty(body, values), (text) =>
    text.replaceAll(PLACEHOLDER, (_, name: keyof Placeholders) => values[name]),
  )
}

function withoutEmpty(body: string, values: Placeholders): string {
  const empty = NAMES.filter((name) => values[name] === '').map((name) => `{${name}}`)
  const isEmpty = (text: string) => empty.some((placeholder) => text.includes(placeholder))
  if (!isEmpty(body)) return body
  const said = outsideCode(body, (text) =>
    sentencesOf(text)
      .map((sentence) => (isEmpty(sentence) ? sentence.replaceAll(/[^\n]/g, '') : sentence))
      .join(''),
  )
  return said.replaceAll(/\n{3,}/g, '\n\n').trim()
}

/** A sentence may begin with a placeholder, as with a capital letter. */
function sentencesOf(text: string): string[] {
  const read = text.replaceAll(PLACEHOLDER, (placeholder) => 'X'.repeat(placeholder.length))
  const sentences = new Intl.Segmenter('en', { granularity: 'sentence' }).segment(read)
  return [...sentences].map(({ index, segment }) => text.slice(index, index + segment.length))
}

/** The first word in braces that is nearly a placeholder, such as {Name}, and the one it may be meant to be; null: there is none. */
export function nearMissIn(body: string): { typed: string; meant: string } | null {
  let found: ReturnType<typeof nearMissIn> = null
  outsideCode(body, (text) => {
    for (const [typed, word = ''] of text.matchAll(IN_BRACES)) {
      const name = NAMES.find((one) => isNear(word.toLowerCase(), one))
      if (found === null && name !== undefined && typed !== `{${name}}`) found = { typed, meant: `{${name}}` }
    }
    return text
  })
  return found
}

/** The same letters but for one, or for two that are swapped. The first is right: {game} is no {name}. */
const isNear = (word: string, name: string) => word[0] === name[0] && distanceOf(word, name) <= 1

function outsideCode(body: string, change: (text: string) => string): string {
  let [changed, from] = ['', 0]
  for (const match of body.matchAll(CODE)) {
    changed += change(body.slice(from, match.index)) + match[0]
    from = match.index + match[0].length
  }
  return changed + change(body.slice(from))
}
