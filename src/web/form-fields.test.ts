import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { z } from 'zod'
import { line, secret } from '../kernel/fields.ts'
import { translatorOf } from '../messages/catalogue.ts'
import { freshForm } from './form.ts'
import { formFieldsIn } from './form-fields.ts'

const formFields = formFieldsIn(translatorOf('en'))
const LIMITS = { min: 8, max: 256 }

suite('the controls of a form', () => {
  test('of passwords tell browsers which to fill in, and cut none off', () => {
    const known = formFields('signIn', { password: secret({ ...LIMITS, min: 1 }) }, freshForm()).password
    const chosen = formFields('signUp', { password: secret(LIMITS, 'new-password') }, freshForm()).password
    const { type, required, label, maxlength } = asField(known)
    assert.deepEqual({ type, required, label, maxlength }, { ...PASSWORD, maxlength: undefined })
    assert.deepEqual([asField(known).autocomplete, asField(known).minlength], ['current-password', undefined])
    assert.deepEqual([asField(chosen).autocomplete, asField(chosen).minlength], ['new-password', 8])
  })

  test('are those of fields that are typed: a token has none', () => {
    const fields = { token: z.string(), password: line(LIMITS) }
    assert.deepEqual(Object.keys(formFields('signIn', fields, freshForm())), ['password'])
  })

  test('have the hint that a page hands in, and none where it says so', () => {
    const hints = ['Another', null, undefined].map((hint) => {
      const given = hint === undefined ? {} : { hint }
      return formFields('signUp', { password: line(LIMITS) }, freshForm(), { password: given }).password.hint
    })
    assert.deepEqual(hints, ['Another', null, 'At least 8 characters. Several words work well.'])
  })
})

const PASSWORD = { type: 'password', required: true, label: 'Password' }

function asField(control: ReturnType<typeof formFields>[string]) {
  assert.ok(control?.control === 'field')
  return control
}
