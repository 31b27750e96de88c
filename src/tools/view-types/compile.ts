import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

/**
 * Writes each template as a module into `.cache/views`, where tsconfig.json finds it.
 * @param root of the project
 * @throws Error naming a template that says no type
 */
export function writeViewModules(root: string): void {
  const folder = join(root, '.cache/views')
  const names = globSync('**/*.eta', { cwd: join(root, 'views') }).map((path) => `/${path.slice(0, -4)}`)
  rmSync(folder, { recursive: true, force: true })
  for (const name of names) {
    const template = readFileSync(join(root, 'views', `${name}.eta`), 'utf8')
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, `${name}.ts`), moduleOf(name, template))
  }
  const lines = names.map((name) => `    '${name}': import('.${name}.ts').Handed`)
  const views = `  interface Views {\n${lines.join('\n')}\n  }\n`
  writeFileSync(
    join(folder, 'views.ts'),
    `declare module '../../src/web/view-context.ts' {\n${views}}\nexport {}\n`,
  )
}

/** What says at the top of a template what it is handed: a type, and where its names are from. */
const HANDED = /@(it|alone) ([^@]*?)\s*(?=@from|\*\/)/
const FROM = /@from (\S+) ([^@*]+?)\s*(?=@from|\*\/)/g

/**
 * A template as a module that tsc reads, line for line: what it shows is handed to `out`, and of its text only the line breaks stay.
 * @param name `/desk/_row`, as includes have it
 */
export function moduleOf(name: string, template: string): string {
  const [, kind, type = ''] = HANDED.exec(template) ?? []
  if (kind === undefined)
    throw new Error(`views${name}.eta: end its first comment with "@it TYPE" and "@from src/… NAMES"`)
  const up = '../'.repeat(name.split('/').length)
  const imports = [...template.matchAll(FROM)].map(
    ([, path = '', names = '']) => `import type { ${names} } from '${up}${path}'`,
  )
  const context = kind === 'alone' ? [] : ['Context']
  const shown = type.includes('Shown<') ? ['Shown'] : []
  const head = [
    `import type { ${[...context, ...shown, 'Engine', 'Include'].join(', ')} } from '${up}src/web/view-context.ts'`,
    ...imports,
    `export type Handed = ${type.replaceAll(/\s+/g, ' ')}`,
    'declare const include: Include, out: (shown: string | number | boolean) => void',
    'declare const icons: string, writing: string',
    `export default function (this: Engine, it: ${[...context, 'Handed'].join(' & ')}) { void it`,
  ].join('; ')
  const code = template.replaceAll(/<%([=~]?)([\s\S]*?)%>|[^\n<]+|</g, (_, shows: string, inner?: string) => {
    if (inner === undefined) return ''
    const named = inner.replaceAll(
      /include\('(\.[^']+)'/g,
      (_, path) => `include('${posix.join(dirname(name), path)}'`,
    )
    return shows === '' ? `${named};` : `out(${named});`
  })
  return `${head} ${code}}\n`
}
