/** What the log may know of an address with a token in it: everything but the token. */
export const logSerializers = {
  req: (request: { method: string; url: string; host: string; ip: string }) => ({
    method: request.method,
    url: request.url.split('?')[0] ?? '/',
    host: request.host,
    remoteAddress: request.ip,
  }),
}
