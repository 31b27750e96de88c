const BLOCKS = new Set([
  ...[
    'P',
    'DIV',
    'HR',
    'H1',
    'H2',
    'H3',
    'H4',
    'H5',
    'H6',
    'BLOCKQUOTE',
    'UL',
    'OL',
    'LI',
    'DL',
    'DT',
    'DD',
    'PRE',
  ],
  ...['TABLE', 'THEAD', 'TBODY', 'TR', 'TH', 'TD', 'X-TURNDOWN'],
])

/** Whether an element is a block, which ends a line of running text. */
export function isBlock(node: Node): boolean {
  return BLOCKS.has(node.nodeName)
}

/** The nearest ancestor of a node with one of these names. */
export function isInside(node: Node, names: readonly string[]): boolean {
  for (let parent = node.parentNode; parent !== null; parent = parent.parentNode) {
    if (names.includes(parent.nodeName)) return true
  }
  return false
}
