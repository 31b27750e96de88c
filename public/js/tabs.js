/**
 * A row of tabs that is wider than a phone scrolls inside itself: the tab one is on comes into its middle, where it could be
 * beyond the edge.
 * @param {ParentNode} root
 */
export function showCurrentTabs(root) {
  for (const tab of root.querySelectorAll('nav [aria-current]')) {
    const row = tab.closest('nav')
    if (row === null || row.scrollWidth <= row.clientWidth) continue
    const [around, own] = [row.getBoundingClientRect(), tab.getBoundingClientRect()]
    row.scrollLeft += own.left + own.width / 2 - around.left - around.width / 2
  }
}
