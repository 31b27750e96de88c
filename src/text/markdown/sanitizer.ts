import sanitizeHtml from 'sanitize-html'
import {
  formulaAttributeNames,
  formulaAttributes,
  formulaClasses,
  formulaElements,
} from '../formulas/vocabulary.ts'
import { codeClasses } from './code-classes.ts'
import { sizeOfPicture } from './images.ts'
import { isAllowedLink } from './links.ts'

/** Everything a post's HTML may contain. Anything else is removed; attribute values are set by us. */
const allowed: sanitizeHtml.IOptions = {
  allowedTags: [
    ...['p', 'br', 'hr', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'ul', 'ol', 'li', 'pre', 'code', 'span'],
    ...['em', 'strong', 's', 'a', 'div', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'label', 'input'],
    ...['details', 'summary', 'mark', 'img'],
    ...formulaElements,
  ],
  allowedAttributes: {
    a: ['href', 'title', 'rel'],
    div: ['tabindex', 'role', 'aria-label'],
    img: ['src', 'alt', 'width', 'height', 'loading', 'decoding'],
    input: ['type', 'disabled', 'checked'],
    ol: ['start'],
    pre: ['tabindex'],
    span: ['tabindex', 'data-person'],
    th: ['scope'],
    ...eachFormulaElement(formulaAttributeNames),
  },
  allowedClasses: {
    code: ['numbered'],
    details: ['fold', 'tall'],
    div: ['scroll'],
    li: ['task-list-item'],
    mark: ['line'],
    span: [...codeClasses, 'formula', 'line', 'mention'],
    td: ['column-center', 'column-end'],
    th: ['column-center', 'column-end'],
    ...eachFormulaElement(() => [...formulaClasses]),
  },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  exclusiveFilter: ({ tag, attribs }) => tag === 'img' && attribs.src === undefined,
  transformTags: {
    a: (tagName, { href, title }) => ({ tagName, attribs: linkAttributes(href, title) }),
    div: (tagName, attributes) => ({ tagName, attribs: boxAttributes(attributes['aria-label']) }),
    img: (tagName, { src, alt }) => ({ tagName, attribs: pictureAttributes(src, alt) }),
    input: (tagName, { checked }) => ({
      tagName,
      attribs: { type: 'checkbox', disabled: '', ...(checked === undefined ? {} : { checked: '' }) },
    }),
    ol: (tagName, { start = '' }) => ({ tagName, attribs: /^\d{1,9}$/.test(start) ? { start } : {} }),
    pre: (tagName) => ({ tagName, attribs: { tabindex: '0' } }),
    span: (tagName, attributes) => ({ tagName, attribs: spanAttributes(attributes) }),
    th: (tagName, attributes) => ({ tagName, attribs: { ...attributes, scope: 'col' } }),
    ...eachFormulaElement((tagName) => (_tag, attributes) => ({
      tagName,
      attribs: formulaAttributes(tagName, attributes),
    })),
  },
}

/** Sanitizes HTML and writes it as HTML: `<br>`. The last step: safety doesn't depend on the earlier ones. */
export function sanitize(html: string): string {
  return sanitizeHtml(html, allowed)
    .replaceAll(' />', '>') // every other > is &gt;, so this only affects void elements
    .replace(/[ \t](?=\n)/g, (blank) => `&#${blank.charCodeAt(0)};`) // keeps white space at line ends of code
}

/** Removes the target of a forbidden link and keeps its words. Search engines give no credit for links in posts. */
function linkAttributes(href = '', title = ''): sanitizeHtml.Attributes {
  if (!isAllowedLink(href)) return {}
  return { href, ...(title === '' ? {} : { title }), rel: 'nofollow ugc noopener' }
}

/** A word of code, a mention, or the scroll container of a formula on its own lines. */
function spanAttributes({ class: name = '', 'data-person': id = '' }: sanitizeHtml.Attributes) {
  if (name === 'formula') return { class: name, tabindex: '0' }
  if (name === 'mention' && /^[1-9]\d{0,14}$/.test(id)) return { class: name, 'data-person': id }
  return name === '' ? {} : { class: name }
}

function eachFormulaElement<Value>(of: (element: string) => Value): Record<string, Value> {
  return Object.fromEntries(formulaElements.map((element) => [element, of(element)]))
}

/** A picture of ours, with the size that its address tells; none otherwise: it would tell its owner who reads. */
function pictureAttributes(src = '', alt = ''): sanitizeHtml.Attributes {
  const picture = sizeOfPicture(src)
  if (picture === null) return {}
  const [width, height] = [String(picture.width), String(picture.height)]
  return { src, alt, width, height, loading: 'lazy', decoding: 'async' }
}

/** The scroll container of a table: a group when it has a name. */
function boxAttributes(name = ''): sanitizeHtml.Attributes {
  return { class: 'scroll', tabindex: '0', ...(name === '' ? {} : { role: 'group', 'aria-label': name }) }
}
