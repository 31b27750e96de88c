/**
 * While a word is composed (Korean, Japanese, Chinese) every key is the input method's: the Enter that ends a composition sends no
 * form, takes no suggestion and begins no line, in any field. Safari says so with the key code 229 alone.
 * @param {Window} view
 */
export function leaveKeysToComposition(view) {
  view.addEventListener(
    'keydown',
    (event) => {
      if (event.isComposing || event.keyCode === 229) event.stopImmediatePropagation()
    },
    true,
  )
}
