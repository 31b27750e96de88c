import type { GlobalMeta, z } from 'zod'
import { metaOf } from '../kernel/fields.ts'
import { hasMessage, type MessageValues, type Translate } from '../messages/catalogue.ts'
import type { FormState } from './form.ts'
import type { BoxView, EditorView, FieldView, OptionView, SelectView } from './view-context.ts'

/** A control of a form: views/components/_form-field.eta. */
export type FormField =
  | ({ readonly control: 'field' } & FieldView)
  | ({ readonly control: 'editor' } & EditorView)
  | ({ readonly control: 'select' } & SelectView)
  | ({ readonly control: 'box' } & BoxView)

/** What a page knows of a field that the field itself does not. */
interface Given extends Partial<Omit<FieldView & EditorView, 'name' | 'label' | 'error' | 'value'>> {
  /** Choices of the database, or with other texts than the messages of the form. */
  readonly options?: readonly OptionView[]
  readonly hintValues?: MessageValues
}

/**
 * The controls of an operation's fields, as they were typed.
 * @param words the form's name in messages: `WORDS.FIELD.label`, `.hint` where it has one, and
 *   `WORDS.FIELD.CHOICE`
 */
export const formFieldsIn =
  (t: Translate) =>
  <Fields extends z.ZodRawShape>(
    words: string,
    fields: Fields,
    form: FormState,
    given: { readonly [Name in keyof Fields]?: Given } = {},
  ): Record<keyof Fields & string, FormField> => {
    const controls = Object.entries(fields).flatMap(([name, field]) => {
      const meta = metaOf(field)
      // What says nothing of itself is not typed: a token, where to go on.
      if (meta.type === undefined) return []
      return [[name, controlOf(t, `${words}.${name}`, name, meta, form, given[name])]]
    })
    return Object.fromEntries(controls)
  }

function controlOf(
  t: Translate,
  key: string,
  name: string,
  meta: GlobalMeta,
  { typed, errors }: FormState,
  { options: chosenFrom, hintValues, ...given }: Given = {},
): FormField {
  const { type, format, enum: choices, minimum = 0, minLength = minimum, maxLength, kind } = meta
  const { required = minLength > 0 && meta.isOptional !== true, ...more } = given
  const error = errors.find(({ field }) => field === name)?.message
  const value = typed[name] ?? ''
  const labelled = {
    name,
    label: t(`${key}.label`),
    hint: hasMessage(`${key}.hint`) ? t(`${key}.hint`, hintValues) : null,
    error: error && t(error.key, error.values),
  }
  if (type === 'boolean') return { control: 'box', ...labelled, isChecked: value === '1' }
  const options = chosenFrom ?? choices?.map((choice) => ({ value: choice, text: t(`${key}.${choice}`) }))
  if (options !== undefined) {
    const shown = options.map((option) => ({ ...option, selected: String(option.value) === typed[name] }))
    return { control: 'select', ...labelled, ...more, options: shown }
  }
  if (kind === 'markdown') return { control: 'editor', ...labelled, value, required, max: maxLength, ...more }
  return {
    control: 'field',
    ...labelled,
    value,
    type: format,
    autocomplete: meta.autocomplete,
    minlength: format === 'password' && minLength > 1 ? minLength : undefined,
    spellcheck: format === 'email' ? false : undefined,
    inputmode: type === 'integer' ? 'numeric' : undefined,
    required,
    optional: !required,
    multiline: kind !== undefined,
    // What is left of a long text is counted; a line ends where it is full.
    ...(kind === undefined && !more.isTitle ? { maxlength: maxLength } : { max: maxLength }),
    ...more,
  }
}
