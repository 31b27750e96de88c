import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Third-party lists, laid beside the checkout; without them a few strings of our own are used. */
const FOLDER = join(import.meta.dirname, '../../../shared/data/hostile')

/** One of this many XSS payloads is tried; all of them with HOSTILE=all. */
const SAMPLE = 10

const OURS = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onfocus=alert(1) autofocus '",
  '</title><script>alert(1)</script>',
  '</textarea><svg onload=alert(1)>',
  '[x](javascript:alert(1)) ![x](javascript:alert(1))',
  '<%= 7*7 %> {{7*7}} #{7*7} <% throw 1 %>',
  "'; drop table people; --",
  '\u202Etxt.exe \u0000 \u0007',
  '__proto__',
  '../../../../etc/passwd',
  'Z̮̞̠͙͔ͅḀ̗̞͈̻̗Ḷ͙͎̯̹̞͓G̻O̭̗̮ 👨‍👩‍👧‍👦 مرحبا 한국어',
]

/** Strings that break programs: all naughty strings, and a sample of the payloads. */
export function hostileStrings(): readonly string[] {
  if (!existsSync(FOLDER)) return OURS
  const naughty = JSON.parse(read('naughty-strings.json')) as string[]
  const step = process.env.HOSTILE === 'all' ? 1 : SAMPLE
  const attacks = read('xss.txt').split('\n')
  const sample = attacks.filter((_attack, index) => index % step === 0)
  return [...OURS, ...naughty, ...read('markdown-xss.txt').split('\n'), ...sample]
}

function read(name: string): string {
  return readFileSync(join(FOLDER, name), 'utf8')
}
