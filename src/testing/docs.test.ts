import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')
/** In backquotes: a file, a pattern of files, or a folder that ends in a slash. */
const PATH = /`((?:[\w.-]+\/)[\w./*-]*)`/g
/** pin, pins, pinned, is_pinned, isPinned, pinQuestion, MAX_PINS, and not `spinner`. */
const PIN = /(?:(?<![a-zA-Z])[pP]in|[a-z]Pin)(?:s|ned|Question)?(?![a-zA-Z])|PINS/

const PAGES = [
  ...['README.md', 'README.ko.md', 'docs/security.md', 'docs/adding-a-feature.md'],
  ...['docs/contributing.md', 'docs/commands.md', 'docs/configuration.md', 'docs/writing.md'],
]

for (const page of PAGES) {
  test(`each file of the repository that ${page} names is there`, async () => {
    const text = await readFile(join(ROOT, page), 'utf8')
    const named = [...text.matchAll(PATH)].flatMap(([, path]) => (path === undefined ? [] : [path]))
    const missing: string[] = []
    for (const path of new Set(named.filter(isOurs))) if (!(await isThere(path))) missing.push(path)
    assert.deepEqual(missing, [])
  })
}

test('every link between pages of the docs leads to a file, and docs/README.md leads to each page', async () => {
  const dead: string[] = []
  const pages = ['README.md', 'README.ko.md']
  for await (const page of glob('docs/*.md', { cwd: ROOT })) pages.push(page)
  for (const page of pages) {
    const text = await readFile(join(ROOT, page), 'utf8')
    for (const [, target = ''] of text.matchAll(/\]\((?!\w+:|#|\/)([^)#\s]+)/g))
      if (!(await isThere(join(dirname(page), target)))) dead.push(`${page}: ${target}`)
  }
  assert.deepEqual(dead, [])
  const index = await readFile(join(ROOT, 'docs/README.md'), 'utf8')
  const unlisted = pages.filter((page) => page.startsWith('docs/') && !index.includes(`](${basename(page)})`))
  assert.deepEqual(unlisted, ['docs/README.md'])
})

test('docs/adding-a-feature.md lists each file that pinned questions touch', async () => {
  const text = await readFile(join(ROOT, 'docs/adding-a-feature.md'), 'utf8')
  const example = text.slice(text.indexOf('## Example'))
  const listed = [...example.matchAll(PATH)].flatMap(([, path]) => (path === undefined ? [] : [path]))
  const touched: string[] = []
  for await (const path of glob(['src/**/*.{ts,json}', 'views/**/*.eta', 'db/**/*.sql'], {
    cwd: ROOT,
  }))
    if (!path.endsWith('.test.ts') && PIN.test(await readFile(join(ROOT, path), 'utf8'))) touched.push(path)
  assert.deepEqual(touched.sort(), listed.filter((path) => !path.endsWith('.test.ts')).sort())
})

/** Other paths in backquotes are addresses of pages, media types, or folders of the operator's machine. */
function isOurs(path: string): boolean {
  return /\.(ts|sql|eta|css|js|md)$/.test(path) || /^(src|views|public|db|e2e|docs)\//.test(path)
}

/** Paths of docs/security.md begin below src/. */
async function isThere(path: string): Promise<boolean> {
  for (const base of [ROOT, join(ROOT, 'src')]) {
    for await (const _ of glob(path, { cwd: base })) return true
  }
  return false
}
