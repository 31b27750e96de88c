import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { MIGRATIONS, migrationFiles } from './files.ts'

const LINE = /^([0-9a-f]{64}) {2}(\d{3}_\w+)\.sql$/

test('each migration has its line in db/migrations/hashes.sha256, and what landed was not changed', async () => {
  const text = await readFile(join(MIGRATIONS, 'hashes.sha256'), 'utf8')
  const kept = new Map(
    text
      .trimEnd()
      .split('\n')
      .map((line) => {
        const [, hash = '', name = ''] = LINE.exec(line) ?? assert.fail(`not a line of sha256sum: ${line}`)
        return [name, hash]
      }),
  )
  const files = await migrationFiles()
  const add = (name: string) => `(cd db/migrations && sha256sum ${name}.sql >> hashes.sha256)`
  for (const { name, hash } of files) {
    assert.ok(kept.has(name), `${name}.sql has no line in db/migrations/hashes.sha256. Add it: ${add(name)}`)
    assert.equal(
      hash,
      kept.get(name),
      `${name}.sql differs from its line in db/migrations/hashes.sha256. If it has landed, restore it (git checkout ` +
        `main -- db/migrations/${name}.sql) and write a new migration. If not: sed -i /${name}/d ` +
        `db/migrations/hashes.sha256 && ${add(name)}`,
    )
  }
  const names = new Set(files.map(({ name }) => name))
  for (const name of kept.keys())
    assert.ok(names.has(name), `db/migrations/${name}.sql is gone: a migration that landed stays`)
})
