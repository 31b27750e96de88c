/** Longer addresses are nobody's links. */
const LONGEST_URL = 500
/** What a URL parser would make another address of: the request that makes the page goes through one. */
const CROOKED = /[\\#]|\.\.|%2e|\/\.|\/\//i
/** The parameters of lists and pages. With any other one, the page is made for the one who asks. */
const PARAMETERS = ['course', 'status', 'tag', 'lecture', 'sort', 'answers', 'show', 'after', 'before', 'q']
/** Whether the page at an address may be kept, as far as the address goes: it is one that others ask for too. */
export function isKeepable(url: string): boolean {
  return url.length <= LONGEST_URL && !CROOKED.test(url) && hasKnownParameters(url)
}

function hasKnownParameters(url: string): boolean {
  const [, query] = url.split('?')
  if (query === undefined) return true
  const names = query.split('&').map((part) => part.split('=')[0] ?? '')
  return names.every((name) => PARAMETERS.includes(name)) && new Set(names).size === names.length
}
