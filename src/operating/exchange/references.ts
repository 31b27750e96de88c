import { BEFORE } from '../../text/markdown/mentions.ts'
import { mapProse } from './prose.ts'
import { withoutTypedNames } from './typed-names.ts'

/** What the text of a post may refer to. */
export type Referred = 'question' | 'answer' | 'reply' | 'person' | 'file'

/** What stands in an exported text for what the forum's own text refers to. */
export interface ReferenceNames {
  /** The id in the export; null: it isn't in it. */
  idOf(kind: Referred, id: string): string | null
  /** What somebody is called in the export; null: nobody of it. */
  nameOf(personId: string): string | null
  /** Whether ids, names and names of files of the forum must not be in the text. */
  readonly isPseudonymous: boolean
  /** Of people whom the export must not name, as they are typed: typedNames. */
  readonly hidden: ReadonlySet<string>
  /** The text stays in the forum: what isn't in the export is reached all the same, but people who aren't are no one. */
  readonly isCopy: boolean
}

/** An address in an exported text: nothing else in it leads to a post, a person or a file of the export. */
export const addressOf = (kind: Referred, id: string) => `exchange:${kind}/${id}`
/** Of what isn't in a pseudonymous export. */
const ELSEWHERE = 'exchange:elsewhere'

/**
 * A text of the forum as an export has it: mentions, numbers of questions and addresses of the forum's own lead to the ids of the export.
 * What is not in it is named by its full address, or stays text.
 * @param baseUrl of the forum
 */
export function exportedText(markdown: string, baseUrl: string, names: ReferenceNames): string {
  const pattern = patternFor(baseUrl)
  const { hidden, isPseudonymous } = names
  const shown = (prose: string) =>
    hidden.size === 0 && !isPseudonymous ? prose : withoutTypedNames(prose, hidden, isPseudonymous)
  return mapProse(markdown, (prose) =>
    // What somebody typed leads to nothing of the export.
    shown(prose)
      .replace(/(?<!\\)\](?=\(<?exchange:)/g, '\\]')
      .replace(pattern, (written: string, ...rest: unknown[]) => {
        const found = rest.at(-1) as Readonly<Record<string, string | undefined>>
        return exported(written, found, baseUrl, names)
      }),
  )
}

/** What texts refer to, whether it is there or not. */
export function referencesIn(markdowns: readonly string[], baseUrl: string): [Referred, string][] {
  const found: [Referred, string][] = []
  const note: ReferenceNames = {
    idOf: (kind, id) => {
      found.push([kind, id])
      return null
    },
    nameOf: () => null,
    isPseudonymous: false,
    hidden: new Set(),
    isCopy: false,
  }
  for (const markdown of markdowns) exportedText(markdown, baseUrl, note)
  return found
}

const patterns = new Map<string, RegExp>()

function patternFor(baseUrl: string): RegExp {
  const known = patterns.get(baseUrl)
  if (known !== undefined) return known
  const base = baseUrl.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const rest = String.raw`[^\s)>\]\uE000]*`
  const pattern = new RegExp(
    [
      String.raw`(?<!\\)@\[(?<name>[^[\]\n]{1,100})\]\(person:(?<mentioned>[1-9]\d{0,14})\)`,
      String.raw`(?<!\\)!\[(?<words>(?:\\.|[^\\\]\n])*)\]\((?:${base})?/uploads/(?<picture>[\w-]+)\)`,
      String.raw`(?<![\\@!])\[(?<called>[^[\]\n]{1,100})\]\((?:${base})?/people/(?<person>[1-9]\d{0,14})${rest}\)`,
      String.raw`(?<=\](?:\(|:)\s{0,9}<?)(?:${base})?/(?<place>questions|people|uploads)/(?<target>[\w-]+)(?<rest>${rest})`,
      // Not in the words of another link.
      String.raw`<?${base}/questions/(?<bare>[1-9]\d{0,14})(?<bareRest>(?:${rest}[^\s)>\]\uE000.,;:!?'"*_])?)>?(?![^[\]\n]{0,200}\]\()`,
      String.raw`<?${base}/people/(?<profile>[1-9]\d{0,14})(?:${rest}[^\s)>\]\uE000.,;:!?'"*_])?>?(?![^[\]\n]{0,200}\]\()`,
      String.raw`(?<=^|${BEFORE.source})#(?<number>[1-9]\d{0,8})(?![\w/-]|\.\w|[^[\]\n]{0,200}\]\()`,
    ].join('|'),
    'gm',
  )
  patterns.set(baseUrl, pattern)
  return pattern
}

function exported(
  written: string,
  found: Readonly<Record<string, string | undefined>>,
  baseUrl: string,
  names: ReferenceNames,
): string {
  const {
    name,
    mentioned,
    words,
    picture,
    place,
    target = '',
    rest = '',
    called,
    person = '',
    bare,
    bareRest = '',
    profile,
    number,
  } = found
  const { isPseudonymous, isCopy } = names
  if (mentioned !== undefined) return mention(name ?? '', mentioned, names)
  if (picture !== undefined) {
    const id = names.idOf('file', picture)
    return `![${isPseudonymous ? '' : (words ?? '')}](${id === null ? ELSEWHERE : addressOf('file', id)})`
  }
  if (called !== undefined) {
    const known = address('people', person, '', names)
    const isHidden = isPseudonymous || (isCopy && names.nameOf(person) === null)
    const words = isHidden ? (names.nameOf(person) ?? 'someone') : called
    return `[${words}](${known ?? (isHidden ? ELSEWHERE : `${baseUrl}/people/${person}`)})`
  }
  if (place !== undefined) {
    const known = address(place, target, rest, names)
    const isHidden = isPseudonymous || place === 'uploads' || (isCopy && place === 'people')
    return known ?? (isHidden ? ELSEWHERE : `${baseUrl}/${place}/${target}${rest}`)
  }
  if (profile !== undefined)
    return isPseudonymous || (isCopy && names.nameOf(profile) === null) ? baseUrl : written
  const question = bare ?? number ?? ''
  const known = address('questions', question, bareRest, names)
  if (known !== null) return `[#${names.idOf('question', question) ?? ''}](${known})`
  if (bare !== undefined) return isPseudonymous ? baseUrl : written
  if (isCopy) return `[#${question}](${baseUrl}/questions/${question})`
  return isPseudonymous ? String.raw`\#?` : String.raw`\#${question}`
}

function mention(typed: string, personId: string, names: ReferenceNames): string {
  const [id, name] = [names.idOf('person', personId), names.nameOf(personId)]
  if (id === null || name === null) return names.isPseudonymous || names.isCopy ? '@someone' : `@${typed}`
  return `@[${name.replace(/[[\]\n]/g, '') || '-'}](${addressOf('person', id)})`
}

const KIND_OF = { questions: 'question', people: 'person', uploads: 'file' } as const

function address(place: string, target: string, rest: string, { idOf }: ReferenceNames): string | null {
  const [, below, number] = /#(answer|reply)-([1-9]\d{0,14})$/.exec(rest) ?? []
  if (place === 'questions' && (below === 'answer' || below === 'reply')) {
    const id = idOf(below, number ?? '')
    if (id !== null) return addressOf(below, id)
  }
  const kind = KIND_OF[place as keyof typeof KIND_OF]
  const id = idOf(kind, target)
  return id === null ? null : addressOf(kind, id)
}
