import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { choice, line, markdown, metaOf, optional, secret, text, whole } from '../kernel/fields.ts'
import { Problem } from '../kernel/problem.ts'
import { assertLinear } from '../testing/processor-time.ts'
import { holds } from '../testing/properties.ts'
import { form, typedFields } from './form.ts'
import { parseBody } from './transport/body.ts'

const aForm = form({
  name: line({ min: 2, max: 5 }),
  body: text({ min: 1, max: 20, long: 'posts.body.long' }),
  role: choice(['one', 'two']),
  more: optional(line({ min: 1, max: 3 })),
  password: secret({ min: 8, max: 10 }),
})
const good = { name: 'Mina', body: 'x', role: 'one', more: '', password: '        ' }

/** Keys of what is wrong, by field. */
const errorsOf = (body: unknown) =>
  Object.fromEntries(aForm.parse(body).errors.map(({ field, message }) => [field, message.key]))

suite('a form', () => {
  test('gives values in the spelling in which they are stored', () => {
    const typed = { name: ' a \u00a0 b ', body: '\r\n \r\n  x\r\ny \r\n', password: ' pass word' }
    const result = aForm.parse({ ...good, ...typed })
    assert.ok(result.ok)
    const stored = { name: 'a b', body: '  x\ny', role: 'one', more: null, password: ' pass word' }
    assert.deepEqual(result.values, stored)
  })

  test('says for each field what is wrong, with the limits', () => {
    const wrong = { name: 'x', body: 'x'.repeat(21), role: 'three', more: 'abcd', password: 'short' }
    assert.deepEqual(errorsOf({ ...good, ...wrong }), {
      ...{ name: 'forms.tooShort', body: 'posts.body.long', role: 'forms.choice' },
      ...{ more: 'forms.tooLong', password: 'forms.tooShort' },
    })
    const { errors } = aForm.parse({ ...good, name: 'too long' })
    const message = { key: 'forms.tooLong', values: { min: 2, max: 5 } }
    assert.deepEqual(errors, [{ field: 'name', message }])
  })

  test('refuses control characters, lone surrogates and what leaves no ink', () => {
    for (const name of ['a\u0000b', 'a\tb', 'a\nb', 'a\u007fb', 'a\u202eb', 'a\ud800b', 'a\uffff']) {
      assert.deepEqual(errorsOf({ ...good, name }), { name: 'forms.forbidden' }, JSON.stringify(name))
    }
    for (const name of ['\u200b\u200b', '\u3164\u3164', '\u2800\u2800', '\u00ad\u200d']) {
      assert.deepEqual(errorsOf({ ...good, name }), { name: 'forms.tooShort' }, JSON.stringify(name))
    }
    for (const body of ['a\tb', 'a\r\nb', 'a\u200db', '\u202aC:\\x'])
      assert.deepEqual(errorsOf({ ...good, body }), {})
  })

  test('takes whole numbers up to a limit, with blanks around and zeros before them', () => {
    const numbers = form({ months: whole(120, 'site.months.wrong') })
    const taken = ['7', ' 120 ', '007'].map((typed) => {
      const result = numbers.parse({ months: typed })
      return result.ok && result.values.months
    })
    assert.deepEqual(taken, [7, 120, 7])
    const wrong = { key: 'site.months.wrong', values: { min: 1, max: 120 } }
    for (const months of ['', '0', '121', '-1', '1.5', '1e2', '\uff11', '1'.repeat(16)])
      assert.deepEqual(numbers.parse({ months }).errors, [{ field: 'months', message: wrong }], months)
  })

  test('knows of a field what the one says that it goes on from', () => {
    const said = { type: 'string', minLength: 2, maxLength: 5 }
    const length = line({ min: 2, max: 5 }).transform((typed) => typed.length)
    assert.deepEqual(metaOf(length.refine((count) => count !== 3)), said)
    assert.deepEqual(metaOf(optional(length)), { ...said, isOptional: true })
    assert.deepEqual(metaOf(markdown({ min: 2, max: 5 })), { ...said, kind: 'markdown' })
  })

  test('takes a field once, and keeps the first of several', () => {
    const result = aForm.parse({ ...good, name: ['Mina', 'Jun'], body: { x: 'y' } })
    assert.deepEqual(result.typed, { ...good, body: '' })
    assert.deepEqual(errorsOf({ ...good, name: ['Mina', 'Jun'] }), { name: 'forms.repeated' })
  })

  test('never throws, whatever is sent', () => {
    const anyText = fc.array(fc.nat(0xffff)).map((codes) => String.fromCharCode(...codes))
    holds(fc.property(fc.jsonValue(), (body) => void aForm.parse(body)))
    const anyBody = fc.dictionary(anyText, fc.oneof(anyText, fc.array(anyText)))
    holds(fc.property(anyBody, (body) => void aForm.parse(body)))
    holds(fc.property(anyText, anyText, (name, body) => void aForm.parse({ ...good, name, body })))
  })

  test('gives only values within its limits, which it would take and give again', () => {
    const somewhat = (unit: fc.Arbitrary<string>) => fc.string({ unit, maxLength: 30 })
    const odd = [' ', '\t', '\r', '\n', '\u200b', '\u0301', '\u3164', '가', 'e\u0301', '😀', '\u202e', 'a']
    const binary = fc.string({ unit: 'binary', maxLength: 25 })
    const value = fc.oneof(somewhat(fc.constantFrom(...odd)), somewhat(fc.constant('a')), binary)
    let taken = 0
    const property = fc.property(value, value, value, (name, body, password) => {
      const result = aForm.parse({ ...good, name, body, password: password.padEnd(8) })
      if (!result.ok) return
      taken += 1
      const { values } = result
      assert.ok([...values.name].length >= 2 && [...values.name].length <= 5)
      assert.ok(values.body !== '' && [...values.body].length <= 20)
      for (const one of Object.values(values))
        assert.equal(one?.normalize('NFC').isWellFormed() ?? true, true)
      const again = aForm.parse({ ...values, more: values.more ?? '' })
      assert.ok(again.ok)
      assert.deepEqual(again.values, values)
    })
    holds(property, 3000)
    assert.ok(taken > 50, `only ${taken} were taken`)
  })

  test('is read in linear time: half a million blanks, line ends or marks', () => {
    for (const filler of [' ', '\n', '\t\n', ' \n', '\u200b', '\u0301', '\r\n']) {
      assertLinear(JSON.stringify(filler), 500_000, (size) => {
        const body = `x${filler.repeat(size / filler.length)}x`
        assert.equal(aForm.parse({ ...good, name: body, body }).ok, false)
        aForm.parse({ ...good, body: body.slice(1) })
      })
    }
  })

  test('keeps no secrets and none of our own fields where its text is kept', () => {
    const fields = { title: 'x', _csrf: 'token', password: 'p', current_password: 'p', new_password: 'p' }
    assert.deepEqual(typedFields(fields), { title: 'x' })
    for (const body of [null, undefined, 'x', ['x'], 7]) assert.deepEqual(typedFields(body), {})
    assert.deepEqual(typedFields({ 'body[]': 'x', '': 'x', '<b>': 'x', 'a b': 'x', __x: 'x' }), {})
  })
})

suite('a body', () => {
  test('is read as browsers write it', () => {
    assert.deepEqual(parseBody('a=1&b=x+y%0D%0A%26&c&=&a=2'), { a: ['1', '2'], b: 'x y\r\n&', c: '', '': '' })
    const pair = fc.tuple(fc.string({ minLength: 1 }), fc.string({ unit: 'grapheme' }))
    const property = fc.property(fc.array(pair, { maxLength: 20 }), (pairs) => {
      const unique = new Map(pairs.filter(([, value]) => !value.includes('\ufffd')))
      const sent = new URLSearchParams([...unique]).toString()
      assert.deepEqual(new Map(Object.entries(parseBody(sent))), unique)
    })
    holds(property)
  })

  test('has no prototype to be changed', () => {
    const fields = parseBody('__proto__=x&constructor=y')
    assert.deepEqual(Object.keys(fields), ['__proto__', 'constructor'])
    assert.equal(Object.getPrototypeOf(fields), Object.prototype)
  })

  test('that no browser would write is a bad request', () => {
    for (const body of ['%', 'a=%ff', '%zz=1', 'a=\ufffd', Array(51).fill('a=1').join('&')])
      assert.throws(() => parseBody(body), new Problem('badRequest'), body)
  })
})
