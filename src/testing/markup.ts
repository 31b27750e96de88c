import { HtmlValidate } from 'html-validate'

const validator = new HtmlValidate({
  extends: ['html-validate:recommended'],
  rules: {
    // Taste: the HTML standard takes both.
    'doctype-style': ['error', { style: 'lowercase' }],
    // Taste: HTML5 needs no slash at the end of void elements, and our templates indent for their own readers.
    'no-trailing-whitespace': 'off',
    // Taste: the style of names is the stylesheets' affair.
    'class-pattern': 'off',
    'id-pattern': 'off',
    'name-pattern': 'off',
    // Taste: a button in a form sends it, which is HTML's default.
    'no-implicit-button-type': 'off',
    // `list-style: none` takes the list from VoiceOver; role="list" gives it back.
    'no-redundant-role': ['error', { exclude: ['list'] }],
    // Long lines and addresses as people wrote them.
    'long-title': 'off',
    'tel-non-breaking': 'off',
  },
})

/** What is wrong with a page's HTML as it was sent, a line each. */
export async function markupMistakes(html: string): Promise<string[]> {
  const report = await validator.validateString(html)
  return report.results.flatMap((result) =>
    result.messages.map(
      (message) => `${message.line}:${message.column} ${message.ruleId}: ${message.message}`,
    ),
  )
}
