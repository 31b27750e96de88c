import { addressOf } from '../exchange/references.ts'
import type { DumpFolder } from './dump.ts'

/** LinkTypeId of a question that another one answers. */
const DUPLICATE = 3

/** The question that answers each, as PostLinks.xml has it: the last link of several. */
export async function duplicatesIn(dump: DumpFolder): Promise<Map<number, number>> {
  const found = new Map<number, number>()
  for await (const row of dump.rows('postlinks'))
    if (row.id('LinkTypeId') === DUPLICATE) found.set(row.id('PostId'), row.id('RelatedPostId'))
  return found
}

/** Sites that are not below stackexchange.com. */
const OWN_DOMAINS = new Set([
  'stackoverflow',
  'superuser',
  'serverfault',
  'askubuntu',
  'stackapps',
  'mathoverflow',
])

/** The hosts of a dump's site, by the name of its folder: `bicycles-meta`, `bicycles.meta.stackexchange.com`. */
export function hostsOf(name: string): string[] {
  if (/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(name)) return [name]
  const [, site = '', meta = ''] = /^([a-z0-9]+)(?:[-.](meta))?$/.exec(name.toLowerCase()) ?? []
  if (site === '') return []
  const domain =
    site === 'mathoverflow'
      ? 'mathoverflow.net'
      : OWN_DOMAINS.has(site)
        ? `${site}.com`
        : `${site}.stackexchange.com`
  if (meta === '') return [domain]
  return OWN_DOMAINS.has(site) ? [`meta.${domain}`] : [`${site}.meta.stackexchange.com`, `meta.${domain}`]
}

/** Which kind of post a number of the dump is; null: it is none. */
export type KindOf = (id: number) => 'question' | 'answer' | null

/** A post at an address of a site, as the export has it: `/questions/12/…`, `/q/12`, `/a/34`, `/questions/12/…/34#34`; null: it is none. */
export function ownPost(address: string, hosts: readonly string[], kindOf: KindOf): string | null {
  const [, host = '', path = ''] = /^https?:\/\/(?:www\.)?([^/?#]+)(\/.*)?$/i.exec(address) ?? []
  return hosts.includes(host.toLowerCase()) ? postAt(path, kindOf) : null
}

/** The post at a path of a site: the last number in it that is one. */
export function postAt(path: string, kindOf: KindOf): string | null {
  const [, asked, answered] =
    /^\/(?:questions|q|a)\/(\d+)(?:\/[^/?#]*)?(?:\/(\d+))?(?:[/?#].*)?$/.exec(path) ?? []
  for (const id of [answered, asked]) {
    const kind = id === undefined ? null : kindOf(Number(id))
    if (kind !== null && id !== undefined) return addressOf(kind, id)
  }
  return null
}
