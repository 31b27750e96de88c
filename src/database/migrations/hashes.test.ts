import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { MIGRATIONS, migrationFiles, tableFiles } from './files.ts'

const LINE = /^([0-9a-f]{64}) {2}(\d+_\w+)\.sql$/

for (const [what, folder, read] of [
  ['migration', MIGRATIONS, migrationFiles],
  ['chapter of tables', join(MIGRATIONS, '../schema/tables'), tableFiles],
] as const)
  test(`each ${what} has its line in hashes.sha256, and what landed was not changed`, async () => {
    const text = await readFile(join(folder, 'hashes.sha256'), 'utf8')
    const kept = new Map(
      text
        .trimEnd()
        .split('\n')
        .map((line) => {
          const [, hash = '', name = ''] = LINE.exec(line) ?? assert.fail(`not a line of sha256sum: ${line}`)
          return [name, hash]
        }),
    )
    const files = await read()
    const add = (name: string) => `(cd ${folder} && sha256sum ${name}.sql >> hashes.sha256)`
    for (const { name, hash } of files) {
      assert.ok(kept.has(name), `${name}.sql has no line in hashes.sha256. Add it: ${add(name)}`)
      assert.equal(
        hash,
        kept.get(name),
        `${name}.sql differs from its line in hashes.sha256. If it has landed, restore it and write a new migration. If not: ` +
          `sed -i /${name}/d hashes.sha256 && ${add(name)}`,
      )
    }
    const names = new Set(files.map(({ name }) => name))
    for (const name of kept.keys()) assert.ok(names.has(name), `${name}.sql is gone: what landed stays`)
  })
