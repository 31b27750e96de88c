import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HUES_COUNT, hueOf, initialsOf } from './face.ts'

test('initials are two letters of a name, and the given name of a Korean one', () => {
  const cases = {
    'Mara Ilić': 'MI',
    'ada king lovelace': 'AL',
    Plato: 'PL',
    박지수: '지수',
    남궁민수: '민수',
    이준: '이준',
    '박 지수': '박지',
    '@ x': 'X',
    '?': '?',
  }
  for (const [name, initials] of Object.entries(cases)) assert.equal(initialsOf(name), initials, name)
})

test('a hue follows from the person alone and is one of twelve', () => {
  assert.equal(hueOf(5), hueOf(5))
  const hues = new Set(Array.from({ length: 100 }, (_, id) => hueOf(id)))
  assert.equal(hues.size, HUES_COUNT)
})
