import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { z } from 'zod'
import { runCommand } from './testing/command.ts'

const ROOT = join(import.meta.dirname, '..')
const versions = z.record(z.string(), z.string())

test('every direct dependency is one exact version, and docs/dependencies.md says why it is here', async () => {
  const { dependencies, devDependencies } = await packages()
  const page = await readFile(join(ROOT, 'docs/dependencies.md'), 'utf8')
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    assert.match(version, /^\d+\.\d+\.\d+(?:-[\w.]+)?$/, name)
    assert.ok(page.includes(`| ${name} | ${version} |`), `${name} ${version} is not in docs/dependencies.md`)
  }
})

const component = z.object({
  name: z.string(),
  version: z.string(),
  properties: z.array(z.object({ name: z.string(), value: z.string() })),
})
const bill = z.object({ bomFormat: z.literal('CycloneDX'), components: z.array(component) })

test('npm run sbom lists everything, and marks what is for development', async () => {
  const { dependencies, devDependencies } = await packages()
  const { code, output } = await runCommand('npm', ['run', '--silent', 'sbom'])
  assert.equal(code, 0, output)
  const { components } = bill.parse(
    JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1)),
  )
  const isShipped = new Map(
    components.map(({ name, version, properties }) => [
      `${name} ${version}`,
      !properties.some((property) => property.name === 'cdx:npm:package:development'),
    ]),
  )
  for (const [name, version] of Object.entries(dependencies))
    assert.equal(isShipped.get(`${name} ${version}`), true, name)
  for (const [name, version] of Object.entries(devDependencies))
    assert.ok(isShipped.has(`${name} ${version}`), name)
  // Others may be shipped as a dependency of a dependency.
  assert.equal(isShipped.get(`typescript ${devDependencies.typescript}`), false)
})

async function packages() {
  const text = await readFile(join(ROOT, 'package.json'), 'utf8')
  return z.object({ dependencies: versions, devDependencies: versions }).parse(JSON.parse(text))
}
