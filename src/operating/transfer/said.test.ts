import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { translatorOf } from '../../messages/catalogue.ts'
import { saidOn } from './said.ts'

const OPERATING = join(import.meta.dirname, '..')
/** What converters and the reader tell, where it is written: in a call, as a reason, or as what such a thing is called. */
const TOLD = [
  /\.note\(\s*'([^']+)'/g,
  /\.skipped\([^,]+, [^';]*'([^']+ [^']+)'/g,
  /leftOut: '([^']+)'/g,
  /^(?:export )?const [A-Z]+ = '([a-z]+ [^']+)'/gm,
  /(?:return|\?) '((?:its|below|private|twice|deleted) [^']+)'/g,
]

test('what converters tell of an export is said in the language of the page', async () => {
  const told = new Set([
    'poll',
    ...['a group', 'their time', 'a hidden forum'].map((why) => `questions held because of ${why}`),
  ])
  for await (const path of glob(['imports/**/*.ts', 'exchange/*.ts'], { cwd: OPERATING }))
    if (!path.endsWith('.test.ts')) {
      const code = await readFile(join(OPERATING, path), 'utf8')
      for (const like of TOLD) for (const [, sentence = ''] of code.matchAll(like)) told.add(sentence)
    }
  assert.ok(told.size > 50, `${told.size} sentences`)
  const english = [...told].filter((sentence) => saidOn(translatorOf('ko'), sentence).lang !== null)
  assert.deepEqual(english, [])
})
