import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { IntlMessageFormat } from 'intl-messageformat'
import type { Language } from '../database/schema.ts'
import { catalogueOf, LANGUAGES, translatorOf } from './catalogue.ts'
import { keysUsed } from './testing.ts'

const english = catalogueOf('en')

/** Types of a parsed message's parts that carry a value, and of `#`. */
const [SELECT, PLURAL, POUND] = [5, 6, 7]

interface Part {
  readonly type: number
  readonly value?: string
  readonly options?: Readonly<Record<string, { readonly value: readonly Part[] }>>
}

/** Names of the values a message takes, at any depth: all of them, and those a reader sees. */
function valuesOf(message: string, language: Language): { all: string[]; shown: string[] } {
  const [all, shown] = [new Set<string>(), new Set<string>()]
  const walk = (parts: readonly Part[], counted: string) => {
    for (const { type, value = '', options = {} } of parts) {
      if (type === POUND) shown.add(counted)
      if (type === 0 || type === POUND) continue
      all.add(value)
      // A month is chosen in English by its number, to be shown by its name.
      if ((type !== SELECT && type !== PLURAL) || value === 'month') shown.add(value)
      for (const option of Object.values(options)) walk(option.value, type === PLURAL ? value : counted)
    }
  }
  walk(new IntlMessageFormat(message, language, undefined, { ignoreTag: true }).getAst() as Part[], '')
  return { all: [...all].sort(), shown: [...shown].sort() }
}

suite('messages', () => {
  test('are the same in every language', () => {
    for (const language of LANGUAGES) {
      assert.deepEqual(Object.keys(catalogueOf(language)).sort(), Object.keys(english).sort(), language)
    }
  })

  test('show the same values in every language', () => {
    for (const [key, message] of Object.entries(catalogueOf('ko'))) {
      const [korean, original] = [valuesOf(message, 'ko'), valuesOf(english[key] ?? '', 'en')]
      assert.deepEqual(korean.shown, original.shown, key)
      // Korean has no plural: where English chooses a word by a number, it may do without.
      assert.deepEqual(
        korean.all.filter((name) => !original.all.includes(name)),
        [],
        key,
      )
    }
  })

  test('can be said, and say something', () => {
    for (const language of LANGUAGES) {
      const t = translatorOf(language)
      for (const [key, message] of Object.entries(catalogueOf(language))) {
        for (const number of [0, 1, 2, 5, 1000]) {
          const values = Object.fromEntries(valuesOf(message, language).all.map((name) => [name, number]))
          const said = Object.keys(values).length === 0 ? t(key) : t(key, values)
          assert.match(said, /^\S(?:.*\S)?$/u, `${language} ${key}`)
          assert.doesNotMatch(said, /[{}]|, plural|undefined/, `${language} ${key}`)
        }
      }
    }
  })

  test('stand in one file each', () => {
    for (const language of LANGUAGES) {
      const folder = join(import.meta.dirname, language)
      const keys = readdirSync(folder).flatMap((file) =>
        [...readFileSync(join(folder, file), 'utf8').matchAll(/^ {2}"([^"]+)":/gm)].map((match) => match[1]),
      )
      const doubled = keys.filter((key, index) => keys.indexOf(key) !== index)
      assert.deepEqual(doubled, [], language)
      assert.equal(keys.length, Object.keys(catalogueOf(language)).length)
    }
  })

  test('that code and templates name are there, and none is there for nothing', () => {
    const { missing, used } = keysUsed(Object.keys(english))
    assert.deepEqual(missing, [])
    const unused = Object.keys(english).filter((key) => !used.has(key))
    assert.deepEqual(unused, [])
  })

  test('that nobody wrote are a mistake that shows', () => {
    assert.throws(() => translatorOf('en')('no.such.key'), /No message no\.such\.key in en/)
  })

  test('tell their values apart, in whatever order these come', () => {
    const t = translatorOf('en')
    const lecture = (position: number, title: string) => t('questions.lecture.option', { position, title })
    const said = [
      lecture(1, '2'),
      lecture(2, '1'),
      t('questions.lecture.option', { title: '2', position: 1 }),
    ]
    assert.deepEqual(said, ['1 · 2', '2 · 1', '1 · 2'])
    assert.deepEqual(
      [t('answers.count', { count: 1 }), t('answers.count', { count: 2 })],
      ['1 answer', '2 answers'],
    )
    assert.equal(
      translatorOf('ko')('answers.count', { count: 1 }) === t('answers.count', { count: 1 }),
      false,
    )
  })

  test('take text as it is: no markup, no surprises', () => {
    const t = translatorOf('en')
    assert.equal(t('questions.tag.named', { tag: "<b>{x}</b> it's '{y}'" }), "Tagged <b>{x}</b> it's '{y}'")
  })
})
