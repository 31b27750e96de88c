/**
 * Puts a list below a character of a text, as far as there is room beside it. Browsers do not tell where that is: a copy of the text does.
 * @param {HTMLTextAreaElement} area
 * @param {number} at of the character
 * @param {HTMLElement} list in a place that it is positioned in
 */
export function placeBelow(area, at, list) {
  const place = list.offsetParent
  if (!(place instanceof HTMLElement)) return
  const copy = document.createElement('div')
  const style = getComputedStyle(area)
  for (const name of style) copy.style.setProperty(name, style.getPropertyValue(name))
  const width = `${area.clientWidth}px`
  Object.assign(copy.style, {
    position: 'absolute',
    visibility: 'hidden',
    inset: 'auto',
    height: 'auto',
    width,
  })
  const mark = document.createElement('span')
  mark.textContent = area.value.slice(at).split(/\s/, 1)[0] || '.'
  copy.append(area.value.slice(0, at), mark)
  place.append(copy)
  const [own, around] = [area.getBoundingClientRect(), place.getBoundingClientRect()]
  const left = own.left - around.left + mark.offsetLeft
  const top = own.top - around.top + mark.offsetTop - area.scrollTop + mark.offsetHeight
  copy.remove()
  list.style.left = `${Math.max(0, Math.min(left, place.clientWidth - list.offsetWidth))}px`
  list.style.top = `${Math.min(top, own.bottom - around.top)}px`
}
