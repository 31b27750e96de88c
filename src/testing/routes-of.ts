import type { FastifyInstance } from 'fastify'

/** A registered route of the app: `GET`, `/questions/:id/edit`. */
export interface Route {
  readonly method: string
  readonly path: string
}

/** All routes for people, parsed from the tree that the router prints: each level is indented by four characters. Those for programs are tried by
 * the tests of src/doors/api. */
export function routesOf(app: FastifyInstance): Route[] {
  const above: string[] = []
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] =
        /^([│ ]*)[├└]── (\S*?)(?: \(([A-Z, ]+)\))?$/u.exec(line) ?? []
      const depth = indent.length / 4
      above.splice(depth, above.length, part)
      const path = above.join('')
      return methods === '' || path.startsWith('/api/') || path === '/mcp'
        ? []
        : methods.split(', ').map((method) => ({ method, path }))
    })
}
