import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Command } from 'commander'
import { testApp } from '../testing/app.ts'
import { testDatabase } from '../testing/database.ts'
import { routesOf } from '../testing/routes-of.ts'
import { handup } from '../tools/cli/program.ts'
import { EXEMPT_COMMANDS, EXEMPT_ROUTES, PERFORMING_COMMANDS } from './exempt-testing.ts'

test('each route that takes something performs an operation, or is exempt by name', async (t) => {
  const app = await testApp(t, await testDatabase(t))
  const taking = routesOf(app).filter(({ method }) => !/^(?:GET|HEAD)$/.test(method))
  const others = taking.map(({ path }) => path).filter((path) => !app.forms.has(path))
  assert.deepEqual([...new Set(others)].sort(), Object.keys(EXEMPT_ROUTES).sort())
})

test('each command performs operations, or is exempt by name', async () => {
  const known = [...Object.keys(PERFORMING_COMMANDS), ...Object.keys(EXEMPT_COMMANDS)]
  assert.deepEqual(commandsOf(handup('0')).sort(), known.sort())
  const sources = await sourcesOf(join(import.meta.dirname, '../tools/cli'))
  const performed = sources.flatMap(({ text }) =>
    [...text.matchAll(/performAsOperator\(\s*\w+,\s*(\w+)/g)].map(([, name]) => name),
  )
  assert.deepEqual(
    [...new Set(performed)].sort(),
    [...new Set(Object.values(PERFORMING_COMMANDS).flat())].sort(),
  )
})

test('no command writes to a table itself', async () => {
  const sources = await sourcesOf(join(import.meta.dirname, '../tools/cli'))
  const writing = sources.filter(({ text }) =>
    /\.(?:transaction|insertInto|updateTable|deleteFrom)\(/.test(withoutTexts(text)),
  )
  assert.ok(sources.length > 30)
  assert.deepEqual(
    writing.map(({ name }) => name),
    [],
  )
})

/** Names of all commands that do something, such as `course create`; of a group, where it does something by its options. */
function commandsOf(command: Command, path: readonly string[] = []): string[] {
  return command.commands.flatMap((one) => {
    const name = [...path, one.name()]
    const isLeaf = one.commands.length === 0
    return [...(isLeaf || one.options.length > 0 ? [name.join(' ')] : []), ...commandsOf(one, name)]
  })
}

/** Source text of the modules in a folder, without tests. */
async function sourcesOf(folder: string): Promise<{ readonly name: string; readonly text: string }[]> {
  const names = (await readdir(folder)).filter((name) => /^(?!.*test).*\.ts$/.test(name))
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(join(folder, name), 'utf8') })))
}

/** Without comments and what is printed. */
const withoutTexts = (source: string) => source.replace(/\/\*\*[\s\S]*?\*\/|\/\/.*|'(?:[^'\n]*)'/g, '')
