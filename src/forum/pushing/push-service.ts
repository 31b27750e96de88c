import { NotPublic } from '../../web/fetching/guarded-agent.ts'
import { GuardedClient } from '../../web/fetching/guarded-client.ts'

/** An encrypted push, as a push service takes it. */
export interface Push {
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Posts a push. @returns the status of the answer. @throws NotPublic, and of the network */
export type PostPush = (push: Push, signal: AbortSignal) => Promise<number>

export { NotPublic }

/** Push services answer at once, and say nothing but a status. */
const BOUNDS = { deadline: 5_000, maxBytes: 16 * 1024 } as const

/** Posts to a push service, whose address a browser named. */
export function pushService(client: GuardedClient = new GuardedClient()): PostPush {
  return async ({ endpoint, headers, body }, signal) => {
    const { status } = await client.fetch(
      { url: endpoint, method: 'POST', headers, body },
      { ...BOUNDS, signal },
    )
    return status
  }
}
