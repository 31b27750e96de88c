import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { satisfies } from 'semver'
import { z } from 'zod'
import { runCommand } from './command.ts'

const ROOT = join(import.meta.dirname, '../..')
const versions = z.record(z.string(), z.string())

test('every direct dependency is one exact version, and docs/dependencies.md says why it is here', async () => {
  const { dependencies, devDependencies } = await packages()
  const page = await readFile(join(ROOT, 'docs/dependencies.md'), 'utf8')
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    assert.match(version, /^\d+\.\d+\.\d+(?:-[\w.]+)?$/, name)
    assert.ok(page.includes(`| ${name} | ${version} |`), `${name} ${version} is not in docs/dependencies.md`)
  }
})

const lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      os: z.array(z.string()).optional(),
      engines: z.union([z.object({ node: z.string().optional() }), z.array(z.string())]).optional(),
    }),
  ),
})

test('every package runs on the Node that the forum runs on', async () => {
  const { packages: all } = lock.parse(JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')))
  const { devDependencies } = await packages()
  assert.equal(process.versions.node, devDependencies.node)
  const unfit = Object.entries(all).filter(([, { engines, os }]) => {
    // Prebuilt for another system: never installed on this one.
    if (os?.includes(process.platform) === false) return false
    const range = engines === undefined || Array.isArray(engines) ? undefined : engines.node
    return range !== undefined && !satisfies(process.versions.node, range)
  })
  assert.deepEqual(unfit, [])
})

test('npm ci says nothing of what is wrong with the Node that npm itself runs on', async () => {
  const { code, output } = await runCommand('npm', ['ci', '--dry-run', '--no-audit'])
  assert.equal(code, 0, output)
  assert.doesNotMatch(output, /EBADENGINE/)
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
