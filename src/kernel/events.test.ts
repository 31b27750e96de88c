import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { allOperations } from '../rooms.ts'

const SRC = join(import.meta.dirname, '..')

test('each operation notes the events that it names: the compiler lets it note no others', async () => {
  const files = (await readdir(SRC, { recursive: true })).filter((file) => /^(?!.*test).*\.ts$/.test(file))
  const sources = await Promise.all(
    files.map(async (file) => ({ file, text: await readFile(join(SRC, file), 'utf8') })),
  )
  let count = 0
  for (const { file, text } of sources) {
    const room = sources.filter((other) => dirname(other.file) === dirname(file)).map((other) => other.text)
    for (const described of text.split(/\boperation\(\{/).slice(1)) {
      const [, names, run = ''] = /\bevents: \[([^\]]*)\],([\s\S]*)/.exec(described) ?? []
      if (names === undefined) continue
      count += 1
      assert.match(run, /\bnote\b|\bdoing\b/, `${file}: ${names}`)
      for (const [, name = ''] of names.matchAll(/'([a-z-]+)'/g)) {
        const noted = new RegExp(`\\b(?:note|log)\\('${name}'`)
        // What several rooms share gets what an operation does, with the event.
        const shared = new RegExp(`: Doing<[^>]*'${name}'[^>]*>[\\s\\S]*\\bnote\\('${name}'`)
        assert.ok(
          room.some((other) => noted.test(other)) || sources.some((other) => shared.test(other.text)),
          `${file} notes no ${name}`,
        )
      }
    }
  }
  const naming = allOperations().filter(({ events }) => events.length > 0)
  assert.ok(count > 60 && count <= naming.length, 'some are described once for several kinds of posts')
})
