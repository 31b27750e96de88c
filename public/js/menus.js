/**
 * Menus are <details>. One is open at a time; Escape, a click elsewhere and the focus elsewhere close it.
 * @param {Document} page
 */
export function closeMenus(page) {
  for (const kind of ['click', 'focusin'])
    page.addEventListener(kind, ({ target }) => {
      for (const menu of openMenus(page))
        if (!(target instanceof Node && menu.contains(target))) menu.open = false
    })
  page.addEventListener('keydown', (event) => {
    const [menu] = openMenus(page)
    if (event.key !== 'Escape' || event.defaultPrevented || menu === undefined) return
    // Escape is for the dialog, which gives the focus back to the menu it was opened from.
    if (page.querySelector(':modal')) return
    const hadFocus = menu.contains(page.activeElement)
    menu.open = false
    if (hadFocus) menu.querySelector('summary')?.focus()
  })
}

/** @param {Document} page */
function openMenus(page) {
  return [...page.querySelectorAll('details')].filter((details) => details.matches('.menu[open]'))
}
