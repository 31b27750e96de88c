import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')
/** In backquotes: a file, a pattern of files, or a folder that ends in a slash. */
const PATH = /`((?:[\w.-]+\/)[\w./*-]*)`/g

for (const page of ['README.md', 'docs/security.md']) {
  test(`each file of the repository that ${page} names is there`, async () => {
    const text = await readFile(join(ROOT, page), 'utf8')
    const named = [...text.matchAll(PATH)].flatMap(([, path]) => (path === undefined ? [] : [path]))
    const missing: string[] = []
    for (const path of new Set(named.filter(isOurs))) if (!(await isThere(path))) missing.push(path)
    assert.deepEqual(missing, [])
  })
}

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
