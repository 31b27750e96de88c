import type { Facts } from './side.ts'

/** Lists and pages that a route alone doesn't show. */
const MORE = [
  ...['newest', 'active', 'votes', 'views'].map((sort) => `/questions?sort=${sort}`),
  ...['unresolved', 'resolved', 'unanswered'].map((status) => `/questions?status=${status}`),
  ...['/questions?mine=1', '/questions?following=1', '/questions?tag=http', '/api/v1/openapi.json'],
  ...['/search?q=put', '/search?q=PUT+405', '/search?q=요청이', '/search?q=%22no+such+words%22'],
  ...['waiting', 'mine', 'asker', 'closed', 'private', 'all'].map(
    (view) => `/courses/:course/desk?view=${view}`,
  ),
  ...['held', 'objections', 'decided'].map((view) => `/courses/:course/moderation?view=${view}`),
  ...['oldest', 'newest'].map((order) => `/questions/:id/slug?answers=${order}`),
  ...['courses', 'courses/:course', 'courses/:course/questions', 'courses/:course/tags', 'questions/:id'],
  ...['questions/:id/answers', 'questions/:id/replies', 'answers/:id', 'answers/:id/replies', 'people/:id'],
].map((path) => (path.startsWith('/') ? path : `/api/v1/${path}`))
/** Values of parameters that are no id of a table. */
const VALUES: Readonly<Record<string, readonly string[]>> = { slug: ['slug'], provider: ['oidc'] }

/** Every GET route of either forum, with the subjects of its world; streams aside, which never end, and what only leads to another. */
export function pathsOf(before: Facts, now: Facts): string[] {
  const routes = new Set([...before.routes, ...now.routes])
  const paths = [...routes].filter((route) => route.startsWith('GET ')).map((route) => route.slice(4))
  const all = [...paths, ...MORE].filter((path) => !/\/(live|events|stream)\b|\*$/.test(path))
  return [...new Set(all.flatMap((path) => filled(path, now.subjects)))]
}

function filled(path: string, subjects: Facts['subjects']): string[] {
  return path
    .split('/')
    .reduce<string[]>(
      (begun, part, at, parts) => {
        const [, name = null, rest = ''] = /^:(\w+)(.*)$/.exec(part) ?? []
        const values = name === null ? [part] : (VALUES[name] ?? subjects[parts[at - 1] ?? ''] ?? ['1'])
        return begun.flatMap((so) =>
          values.map((value) => `${so}/${name === null ? value : encodeURIComponent(value) + rest}`),
        )
      },
      [''],
    )
    .map((whole) => whole.slice(1))
}
