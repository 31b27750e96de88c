import { SaxesParser } from 'saxes'

/** An element of an XML document. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly XmlElement[]
  /** Its own, without that of the elements in it. */
  readonly text: string
}

/** The outermost element of a document. @throws Error for anything that is no well-formed XML */
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
