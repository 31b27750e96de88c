import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { aToken } from '../../../accounts/tokens/testing.ts'
import { aCourse, aMember } from '../../../testing/builders.ts'
import { aForum } from '../../../testing/forum.ts'
import { openApi } from '../openapi.ts'
import type { Seen, Setting } from './setting.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../../..')
const JOURNEY = join(import.meta.dirname, 'journey.ts')

test('a client that others make of the document compiles, and asks, answers, votes and accepts', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'handup-typed-client-'))
  t.after(() => rm(folder, { recursive: true }))
  const types = join(folder, 'api.d.ts')
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(openApi('https://forum.example')))
  await run(process.execPath, [
    `--import=${pathToFileURL(join(import.meta.dirname, 'typescript-of-generator.ts'))}`,
    join(root, 'node_modules/openapi-typescript/bin/cli.js'),
    ...[join(folder, 'openapi.json'), '-o', types],
  ])
  const config = join(folder, 'tsconfig.json')
  const compilerOptions = { paths: { '#api': [types] }, typeRoots: [join(root, 'node_modules/@types')] }
  const program = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files: [JOURNEY] }
  await writeFile(config, JSON.stringify(program))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const compiled = run(process.execPath, [tsc, '-p', config])
  await compiled.catch(({ stdout }: { readonly stdout: string }) => assert.fail(stdout))

  const { app, db } = await aForum(t)
  const course = await aCourse(db)
  const tokenOf = async () => aToken({ db }, await aMember(db, course), ['read', 'write'])
  const host = await app.listen({ port: 0, host: '127.0.0.1' })
  const setting = { host, course: course.slug, asker: await tokenOf(), helper: await tokenOf() }
  const { journey }: { journey(setting: Setting): Promise<Seen> } = await import(JOURNEY)
  const { answer, ...seen } = await journey(setting)
  assert.deepEqual(seen, {
    ...{ status: 'resolved', title: 'May PUT create?', votes: 1, acceptedAnswer: answer },
    ...{ stale: 412, refused: ['/body'] },
    titles: ['May PUT create?', 'What is a verb?', 'What is HATEOAS?'],
  })
})
