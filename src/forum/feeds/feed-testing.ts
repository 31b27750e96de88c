import assert from 'node:assert/strict'
import { parseXml, type XmlElement } from '../../testing/xml.ts'

/** A feed as a reader of feeds understands it. */
export interface ReadFeed extends ReadEntry {
  /** Where it says it is. */
  readonly self: string
  readonly entries: readonly (ReadEntry & {
    readonly author: string
    readonly published: string
    /** HTML, and what addresses in it begin from. */
    readonly html: string
    readonly base: string
  })[]
}

interface ReadEntry {
  readonly id: string
  readonly title: string
  readonly updated: string
  /** The page where a person reads the same. */
  readonly page: string
}

/** Reads an Atom feed. @throws AssertionError for what RFC 4287 does not allow, or an address that is not absolute */
export function readFeed(document: string): ReadFeed {
  const feed = parseXml(document)
  assert.deepEqual([feed.name, feed.attributes.xmlns], ['feed', 'http://www.w3.org/2005/Atom'])
  const entries = childrenOf(feed, 'entry').map((entry) => {
    const content = only(entry, 'content')
    assert.equal(content.attributes.type, 'html')
    return {
      ...headOf(entry),
      author: only(only(entry, 'author'), 'name').text,
      published: instantOf(only(entry, 'published').text),
      html: content.text,
      base: absolute(content.attributes['xml:base']),
    }
  })
  assert.equal(new Set(entries.map(({ id }) => id)).size, entries.length, 'each entry has an id of its own')
  return { ...headOf(feed), self: linkOf(feed, 'self'), entries }
}

/** What a feed and each entry must have, once each. */
function headOf(element: XmlElement): ReadEntry {
  return {
    id: absolute(only(element, 'id').text),
    title: only(element, 'title').text,
    updated: instantOf(only(element, 'updated').text),
    page: linkOf(element, 'alternate'),
  }
}

function linkOf(element: XmlElement, rel: string): string {
  const links = childrenOf(element, 'link').filter(({ attributes }) => attributes.rel === rel)
  assert.equal(links.length, 1, `links ${rel}`)
  return absolute(links[0]?.attributes.href)
}

function only(element: XmlElement, name: string): XmlElement {
  const [child, ...others] = childrenOf(element, name)
  assert.ok(child !== undefined && others.length === 0, `one <${name}> in <${element.name}>`)
  return child
}

function childrenOf({ children }: XmlElement, name: string): XmlElement[] {
  return children.filter((child) => child.name === name)
}

/** RFC 3339. */
function instantOf(text: string): string {
  assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/)
  return text
}

function absolute(address = ''): string {
  assert.match(address, /^https?:\/\/[^/]+\//)
  return address
}
