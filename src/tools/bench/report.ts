import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../../../docs/bench')

/**
 * Writes a report that is a whole page to docs/bench/<name>.md.
 * @param text Markdown; headings from the second level on
 */
export async function writePage(name: string, title: string, text: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true })
  await writeFile(join(FOLDER, `${name}.md`), `# ${title}\n\n${text.trim()}\n`)
}

/**
 * Merges numbered sections into docs/bench/<name>.md: each replaces the section with the same second-level heading, the
 * others stay, sorted by number.
 */
export async function writeParts(name: string, beginning: string, parts: readonly string[]): Promise<void> {
  await mkdir(FOLDER, { recursive: true })
  const file = join(FOLDER, `${name}.md`)
  const [, ...known] = (await readFile(file, 'utf8').catch(() => '')).split(/^(?=## )/m)
  const headings = new Map([...known, ...parts].map((part) => [part.split('\n')[0] ?? '', part.trim()]))
  const numberOf = (heading: string) => Number(heading.replace(/\D/g, ''))
  const sorted = [...headings].sort(([one], [other]) => numberOf(one) - numberOf(other))
  await writeFile(file, `${[beginning, ...sorted.map(([, part]) => part)].join('\n\n')}\n`)
}

/** Reports composed of sections that are measured separately: the sections' names, in order. */
const REPORTS = {
  finding: { title: 'Finding, measured', sections: ['finding-goals', 'similar', 'recall', 'growth'] },
} as const

export type Section = (typeof REPORTS)[keyof typeof REPORTS]['sections'][number]

/**
 * Writes a section to docs/bench/<name>.md, and recomposes the reports that contain it.
 * @param text Markdown; headings from the second level on
 */
export async function writeSection(name: Section, text: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true })
  await writeFile(join(FOLDER, `${name}.md`), `${text.trim()}\n`)
  for (const [report, { title, sections }] of Object.entries(REPORTS)) {
    const parts = await Promise.all(
      sections.map((section) => readFile(join(FOLDER, `${section}.md`), 'utf8').catch(() => '')),
    )
    const written = 'Written by `npm run bench -- finding`, `recall` and `growth`.'
    const all = [`# ${title}`, written, ...parts.map((part) => part.trim())].filter((part) => part !== '')
    await writeFile(join(FOLDER, `${report}.md`), `${all.join('\n\n')}\n`)
  }
}
