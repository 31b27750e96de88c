import { SaxesParser } from 'saxes'

/** An element of an XML document. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly XmlElement[]
  /** Its own text, without that of child elements. */
  readonly text: string
}

/**
 * Parses a document and returns its root element.
 * @throws Error for anything that is not well-formed XML
 */
export function parseXml(document: string): XmlElement {
  const parser = new SaxesParser()
  const open = [{ name: '', attributes: {}, children: [] as XmlElement[], text: '' }]
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes, children: [], text: '' }
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  parser.on('text', (text) => {
    const element = open.at(-1)
    if (element !== undefined) element.text += text
  })
  parser.on('closetag', () => {
    open.pop()
  })
  parser.write(document).close()
  const [root] = open[0]?.children ?? []
  if (root === undefined) throw new Error('a document without an element')
  return root
}
