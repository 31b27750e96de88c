interface Logged {
  readonly url: string
  readonly routeOptions?: { readonly url?: string | undefined }
}

/** An address without its query, which may hold a token, and without a slug, which repeats a name or a private title. */
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
