import { HtmlValidate } from 'html-validate'

const validator = new HtmlValidate({
  extends: ['html-validate:recommended'],
  rules: {
    // Style only: HTML accepts both.
    'doctype-style': ['error', { style: 'lowercase' }],
    // Style only: void elements need no slash, and templates have their own indentation.
    'no-trailing-whitespace': 'off',
    // Style only: names are up to the style sheets.
    'class-pattern': 'off',
    'id-pattern': 'off',
    'name-pattern': 'off',
    // Style only: submit is HTML's default type of a button in a form.
    'no-implicit-button-type': 'off',
    // `list-style: none` removes the list from VoiceOver; role="list" restores it.
    'no-redundant-role': ['error', { exclude: ['list'] }],
    // Checkboxes of one name are one field with several values, as of the selected rows of a list.
    'form-dup-name': ['error', { shared: ['radio', 'checkbox', 'submit', 'button', 'reset'] }],
    // Long lines and URLs written by people.
    'long-title': 'off',
    'tel-non-breaking': 'off',
  },
})

/** Errors in a page's HTML, one line each. */
export async function markupMistakes(html: string): Promise<string[]> {
  const report = await validator.validateString(html)
  return report.results.flatMap((result) =>
    result.messages.map(
      (message) => `${message.line}:${message.column} ${message.ruleId}: ${message.message}`,
    ),
  )
}
