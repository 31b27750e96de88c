import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseMemberName } from './manifest.ts'

test('a member of a backup that would leave the uploads folder is no part of a backup', () => {
  for (const path of [
    '../x',
    'a/../../x',
    'a/..',
    '..',
    '.',
    './x',
    'a//x',
    '/etc/passwd',
    'a\\..\\x',
    'a\0',
  ])
    assert.equal(parseMemberName(`uploads/${path}`), null, path)
  for (const path of ['x.png', 'a/x.png', 'a/..x', 'a/x..'])
    assert.deepEqual(parseMemberName(`uploads/${path}`), { kind: 'upload', path })
})
