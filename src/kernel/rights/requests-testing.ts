import type { Route } from '../../testing/routes-of.ts'
import { claimsOf } from './routes-testing.ts'
import { type Addressed, SUBJECT, WORDS } from './secrets-testing.ts'

/** Something that can be asked of the forum. */
export interface Request {
  readonly method: string
  readonly url: string
  readonly fields: Readonly<Record<string, string>>
}

const encoded = encodeURIComponent(SUBJECT)

/** What lists, searches and forms are asked with: to be near what is private, or to name it. */
const QUERIES = [
  '',
  `course=${WORDS.slug}`,
  `tag=${WORDS.tag}`,
  'lecture=1',
  'sort=active',
  'status=unresolved&sort=votes',
  `q=${encoded}`,
  'q=zyxqu',
  'q=zyxquorktitle',
  'q=zyxquorkquestion',
  'q=zyxquorktag',
  `q=course%3A${WORDS.slug}`,
  `q=tag%3A${WORDS.tag}`,
  `title=${encoded}`,
  `title=${encoded}&course=${WORDS.slug}`,
]
const QUERIED =
  /^\/$|^\/(questions|questions\/(new|similar)|courses\/:course|tags(\/:tag)?|search|search\/suggestions)$/

/** Every request that a route could be made with: every address there is, and every query where there are any. */
export function requestsOf({ method, path }: Route, addressed: Addressed): Request[] {
  const urls = addressesOf(path, addressed)
  const queries = method !== 'GET' ? [''] : queriesOf(path)
  const claims = claimsOf(`${method} ${path}`) ?? []
  const filled = addressed.course.map((slug) =>
    Object.fromEntries(
      claims
        .flatMap((claim) => Object.entries('fields' in claim ? (claim.fields ?? {}) : {}))
        .map(([name, value]) => [name, name === 'title' ? SUBJECT : value.replace(':course', slug)]),
    ),
  )
  return urls.flatMap((url) =>
    queries.flatMap((query) =>
      (method === 'POST' ? filled : [{}]).map((fields) => ({
        method,
        url: query === '' ? url : `${url}?${query}`,
        fields,
      })),
    ),
  )
}

function queriesOf(path: string): readonly string[] {
  if (path === '/people/:id/:slug') return ['', 'show=answers']
  return QUERIED.test(path) ? QUERIES : ['']
}

export function addressesOf(path: string, addressed: Addressed): string[] {
  const ids = /^\/(?:admin\/)?(answers|replies|people)\//.exec(path)?.[1]
  const kind = ids === 'answers' || ids === 'replies' || ids === 'people' ? ids : 'questions'
  const values: Readonly<Record<string, readonly (string | number)[]>> = {
    ':course': addressed.course,
    ':tag': addressed.tag,
    ':id': addressed[kind],
    ':part': [1],
  }
  const name = /:\w+/.exec(path)?.[0]
  if (name === undefined) return [path]
  return (values[name] ?? ['x']).flatMap((value) => addressesOf(path.replace(name, String(value)), addressed))
}
