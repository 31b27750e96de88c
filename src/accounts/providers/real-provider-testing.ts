import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

export const REAL_CLIENT = {
  clientId: 'forum',
  clientSecret: 'a secret that both know',
  label: 'Hanbit University',
}

/**
 * oidc-provider, a certified provider of OpenID Connect, on this machine. Its own pages take any name with any password; the name is
 * the subject, and its address is at school.example.
 * @param forumUrl where people come back to
 */
export async function aRealProvider(forumUrl: string) {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: REAL_CLIENT.clientId,
        client_secret: REAL_CLIENT.clientSecret,
        redirect_uris: [`${forumUrl}/sign-in/with/oidc/return`],
        post_logout_redirect_uris: [`${forumUrl}/`],
        backchannel_logout_uri: `${forumUrl}/sign-in/with/oidc/logout`,
        backchannel_logout_session_required: true,
      },
    ],
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
    // Its own refuses this machine, where the forum is.
    fetch: (url: string | URL, { dispatcher: _, ...options }: RequestInit & { dispatcher?: unknown }) =>
      fetch(url, options),
    cookies: { keys: ['keys of a test'] },
    features: { backchannelLogout: { enabled: true }, devInteractions: { enabled: true } },
    findAccount: async (_context: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({
        sub: id,
        name: `${id} of Hanbit`,
        email: `${id}@school.example`,
        email_verified: true,
      }),
    }),
  })
  server.on('request', provider.callback())
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { issuer, stop }
}
