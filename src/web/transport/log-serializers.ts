interface Logged {
  readonly url: string
  readonly routeOptions?: { readonly url?: string | undefined }
}

/**
 * What the log may know of an address: everything but the query, which may hold a token, and the slug, which
 * repeats a name or the title of a question that may be private by now.
 */
export function loggedPath({ url, routeOptions }: Logged): string {
  const path = url.split('?')[0] ?? '/'
  return /\/:(slug|token)$/.test(routeOptions?.url ?? '') ? path.slice(0, path.lastIndexOf('/')) : path
}

export const logSerializers = {
  req: (request: Logged & { method: string; host: string; ip: string }) => ({
    method: request.method,
    url: loggedPath(request),
    host: request.host,
    remoteAddress: request.ip,
  }),
}
