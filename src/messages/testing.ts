import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

/** Where keys are named: the code but its tests, and the templates. */
const SOURCES = ['src/**/*.ts', 'views/**/*.eta']

/** What code and templates say of message keys: those they name, and names of the same form that are no key. */
export function keysUsed(keys: readonly string[]) {
  const known = new Set(keys)
  const features = [...new Set(keys.map((key) => key.split('.')[0]))].join('|')
  // Names in quotes. A template literal names every key that fits it, `questions.sort.${name}` those of all sorts.
  const quoted = new RegExp(`(['"\`])((?:${features})(?:\\.\\w+)+)\\1`, 'g')
  const composed = /`([^`\n]*\$\{[^`\n]*)`/g
  // A form names the label, the hint and the choices of each field; what has no label is no field.
  const form = /formFields\(\s*'(\w+)'/g
  const columns = columnNames()
  const used = new Set<string>()
  const missing: string[] = []
  for (const file of files()) {
    const text = readFileSync(join(ROOT, file), 'utf8')
    for (const [, , name = ''] of text.matchAll(quoted)) {
      if (known.has(name)) used.add(name)
      else if (!isColumn(name, columns)) missing.push(`${file}: ${name}`)
    }
    for (const [, words = ''] of text.matchAll(form)) {
      const ofField = new RegExp(`^(${words}\\.\\w+)\\.\\w+$`)
      for (const key of keys) if (known.has(`${ofField.exec(key)?.[1]}.label`)) used.add(key)
    }
    for (const [, literal = ''] of text.matchAll(composed)) {
      const pattern = patternOf(literal)
      const fitting = pattern === null ? [] : keys.filter((key) => pattern.test(key))
      for (const key of fitting) used.add(key)
      if (fitting.length === 0 && new RegExp(`^(?:${features})\\.[A-Za-z.]*\\$`).test(literal)) {
        if (!isColumn(literal, columns)) missing.push(`${file}: ${literal}`)
      }
    }
  }
  return { used, missing }
}

function files(): string[] {
  return globSync(SOURCES, { cwd: ROOT }).filter((file) => !/testing|\.test\.ts$/.test(file))
}

/** The keys a template literal can become: any one part of a key where a value is put in. null: it is no key's. */
function patternOf(literal: string): RegExp | null {
  const parts = literal.split(/\$\{[^}]*\}/)
  if (!/[A-Za-z]{3}/.test(parts.join('')) || parts.some((part) => /[^A-Za-z0-9.]/.test(part))) return null
  return new RegExp(`^${parts.map((part) => part.replaceAll('.', '\\.')).join('[A-Za-z0-9_-]+')}$`)
}

/** `questions.id` has the form of a key and is a column. */
function isColumn(name: string, columns: ReadonlySet<string>): boolean {
  const parts = name.split('.')
  return parts.length === 2 && columns.has(parts[1] ?? '')
}

function columnNames(): Set<string> {
  const tables = readFileSync(join(ROOT, 'src/database/tables.ts'), 'utf8')
  return new Set([...tables.matchAll(/^ {2,4}(\w+):/gm)].map((match) => match[1] ?? ''))
}
