import { lookup } from 'node:dns'
import type { Agent, AgentOptions } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'

// An `import` of these would load the client of `fetch` as well, which takes 11 MB.
const [http, https] = [process.getBuiltinModule('node:http'), process.getBuiltinModule('node:https')]

/** A name or an address leads into a network of its own: to us, or to a neighbour. */
export class NotPublic extends Error {
  constructor() {
    super('the address is not public')
  }
}

/** Whether an address may be connected to. @param host the name or address that was asked for */
export type AddressRule = (address: string, host: string) => boolean

/**
 * An agent that connects to allowed addresses only. Names are looked up for each connection, which goes to what was found and checked:
 * a name cannot lead elsewhere a moment later. Addresses in the place of a name are checked, too.
 */
export function guardedAgent(
  protocol: 'http:' | 'https:',
  isAllowed: AddressRule,
  options: AgentOptions,
): Agent {
  const agent = protocol === 'https:' ? new https.Agent(options) : new http.Agent(options)
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (to, callback) => {
    const host = to.host ?? to.hostname ?? ''
    if (isIP(host) !== 0 && !isAllowed(host, host)) {
      // Not at once: the request cannot hear of it yet.
      process.nextTick(() => callback?.(new NotPublic(), undefined as never))
      return undefined as never
    }
    return connect({ ...to, lookup: guardedLookup(isAllowed) }, callback)
  }
  return agent
}

function guardedLookup(isAllowed: AddressRule): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const [first] = found ?? []
      if (error !== null || first === undefined) return callback(error ?? new NotPublic(), '')
      if (!found.every(({ address }) => isAllowed(address, hostname))) return callback(new NotPublic(), '')
      return options.all === true ? callback(null, found) : callback(null, first.address, first.family)
    })
  }
}
