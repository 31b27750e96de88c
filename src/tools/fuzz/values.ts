import { hostileStrings } from '../../testing/hostile-strings.ts'
import type { Random } from '../generate/random.ts'

/** Hostile texts that are in no public list: too long, malformed, invisible, or expensive to render. */
const BROKEN = [
  'a\u0000b',
  '\u0000',
  'a\ud800b',
  '\udfff',
  '\ud83d',
  '\u202e\u2066\u200b',
  '\r\n\r\nHTTP/1.1 200 OK\r\n\r\n',
  'x\r\nset-cookie: session=stolen',
  'a'.repeat(100_000),
  '한'.repeat(30_001),
  '\u0301'.repeat(20_000),
  ' '.repeat(50_000),
  '[('.repeat(10_000),
  `${'> '.repeat(10_000)}x`,
  '*_~`'.repeat(5_000),
  '9'.repeat(400),
  '-1',
  '0',
  '1e309',
  'NaN',
  '9007199254740993',
  '99999999999999999999',
  '2147483648',
  '__proto__',
  'constructor',
  '[object Object]',
  '/\\evil.example',
  '//evil.example',
  'https://evil.example/',
  'resolved',
  '1',
] as const

/** Names of query parameters that some page reads, and some that none does. */
export const PARAMETERS =
  'q sort status tag lecture course mine after before answers next kept token form page show title view question edit reply from to back __proto__ x[]'.split(
    ' ',
  )

const WORDS =
  'why does the client need a token when put is idempotent 왜 요청 본문이 비어 있나요 java c# http'.split(' ')

const hostile = [...BROKEN, ...hostileStrings()]

/** A hostile value. */
export function hostileValue(random: Random): string {
  const value = random.pick(hostile)
  return random.chance(0.2) ? `${value}${random.pick(hostile)}`.slice(0, 200_000) : value
}

/** A plausible value for a field of this name, which is usually accepted. */
export function plausibleValue(name: string, random: Random): string {
  if (name === 'email' || name === 'new_email') return `walker-${random.below(40)}@example.com`
  if (name.includes('password')) return random.pick(['four plain words here', 'other plain words here'])
  if (name === 'audience') return random.pick(['course', 'staff'])
  if (name === 'anonymous') return random.pick(['1', '0'])
  if (name === 'display_name') return `${random.pick(WORDS)} ${random.below(100)}`
  if (name === 'of') return String(1 + random.below(60))
  if (name === 'list') return Array.from({ length: 4 }, () => memberLine(random)).join('\n')
  if (name === 'lectures') return Array.from({ length: 3 }, () => sentence(random)).join('\n')
  if (name === 'tags') return [random.pick(WORDS), random.pick(WORDS)].join(', ')
  if (name === 'body' && random.chance(0.4))
    return `${sentence(random)}\n\n\`\`\`java\nint a = 1;\n\`\`\`\n\n> ${sentence(random)}`
  return sentence(random)
}

/** A day near today, mostly to come. */
export function plausibleDay(random: Random): string {
  return new Date(Date.now() + (random.below(20) - 4) * 86_400_000).toISOString().slice(0, 10)
}

function memberLine(random: Random): string {
  const role = random.pick(['learner', 'assistant', 'instructor', 'king', ''])
  return `walker-${random.below(40)}@example.com${role === '' ? '' : `,${role}`}`
}

function sentence(random: Random): string {
  return Array.from({ length: 3 + random.below(6) }, () => random.pick(WORDS)).join(' ')
}

/** Percent-encoded as UTF-8, including lone surrogates, which no standard encoder would write. */
export function encoded(text: string): string {
  return Array.from(text, (character) =>
    character.isWellFormed() ? encodeURIComponent(character) : loneSurrogate(character.charCodeAt(0)),
  ).join('')
}

function loneSurrogate(code: number): string {
  const bytes = [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)]
  return bytes.map((byte) => `%${byte.toString(16)}`).join('')
}
