import { type RawBuilder, sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { blockedDomain, blockedEmail, domainFinder } from '../../text/blocked-addresses.ts'
import { addBlocked, ENTRIES, lockBlocklists, removeBlocked } from '../blocklists/blocklist.ts'
import { isSuspension } from '../handling/in-force.ts'
import { ofEveryKind, questionIdOf, withQuestion } from '../posts/kinds.ts'
import { hostsIn } from '../posts/signals.ts'
import type { PersonIn } from './subject.ts'

/** What a spammer's links or address share with nearly nobody. */
export interface SpamDomain {
  readonly domain: string
  /** How many others link to it in shown posts; null: it isn't blocked as a link. */
  readonly linking: number | null
  /** How many others have an address there; null: it isn't blocked as an address. */
  readonly addressed: number | null
}

/**
 * Where anyone gets a mailbox: the large free ones, by hand on 2026-11-29. One that is missing is soon the address of more than
 * MOST_OTHERS.
 */
const MAIL_PROVIDERS =
  `gmail.com googlemail.com google.com outlook.com outlook.kr hotmail.com hotmail.co.kr live.com msn.com yahoo.com
  yahoo.co.jp yahoo.co.uk yahoo.co.in yahoo.de yahoo.fr ymail.com icloud.com me.com mac.com apple.com proton.me protonmail.com pm.me tuta.com
  tutanota.com fastmail.com hey.com zoho.com aol.com gmx.com gmx.de gmx.net gmx.at gmx.ch web.de t-online.de freenet.de mailbox.org posteo.de
  orange.fr free.fr laposte.net wanadoo.fr libero.it virgilio.it seznam.cz wp.pl o2.pl onet.pl interia.pl mail.ru bk.ru list.ru inbox.ru
  yandex.ru yandex.com rambler.ru ukr.net qq.com foxmail.com 163.com 126.com yeah.net sina.com sohu.com aliyun.com naver.com daum.net
  hanmail.net kakao.com nate.com lycos.co.kr korea.com rediffmail.com uol.com.br bol.com.br terra.com.br mail.com inbox.com duck.com`.split(
    /\s+/,
  )

/** More others than these, and it isn't the spammer's own. */
const MOST_OTHERS = 2
const MOST_DOMAINS = 20
/** Posts of theirs whose links are read, the newest ones, and questions below which others' are looked for. */
const MOST_POSTS = 200
const MOST_QUESTIONS = 1000

/**
 * The domains that can be blocked with a spammer: of links in their posts, and of their address. Not those of mail providers, of the forum
 * and of providers' allowed addresses, and none that more than MOST_OTHERS have. Uses indexes questions_shown_of_course, questions_written
 * and people_email_parts.
 */
export async function spamDomains(
  db: Database | Write,
  place: PersonIn,
  baseUrl: string,
): Promise<readonly SpamDomain[]> {
  const { texts, email, allowed } = await readOf(db, place)
  const own = new URL(baseUrl).hostname
  const isKnown = domainFinder([...MAIL_PROVIDERS, ...allowed, own])
  const canBlock = (domain: string) =>
    domain.length <= ENTRIES.max && !isKnown(domain) && !domainFinder([domain])(own)
  const hosts = texts.flatMap((html) => hostsIn(html, baseUrl))
  const linked = [...new Set(hosts.flatMap((host) => blockedDomain(host.replace(/^www\./, '')) ?? []))]
    .filter(canBlock)
    .slice(0, MOST_DOMAINS)
  const address = email === null ? null : blockedEmail(email.slice(email.lastIndexOf('@') + 1))
  const linking = await linkingTo(db, place, linked)
  const addressed = address === null || !canBlock(address) ? null : await addressedAt(db, place, address)
  const few = (count: number | null | undefined) => (count == null || count > MOST_OTHERS ? null : count)
  return [...new Set([...linked, ...(address === null ? [] : [address])])]
    .map((domain) => ({
      domain,
      linking: few(linking.get(domain)),
      addressed: few(domain === address ? addressed : null),
    }))
    .filter((one) => one.linking !== null || one.addressed !== null)
}

async function readOf(db: Database | Write, { personId, courseId }: PersonIn) {
  const posts = ofEveryKind(
    (table) => sql`select post.body_html as html, post.written_at from ${withQuestion(table)}
    where post.author_id = ${personId} and post.deleted_at is null and post.body_html like '%<a href="http%'
      and (${courseId}::bigint is null or q.course_id = ${courseId}::bigint)`,
  )
  const { rows } = await sql<{ texts: string[]; email: string | null; allowed: string[] }>`
    select person.email, array(select unnest(allowed_domains) from identity_providers) as allowed,
      array(select html from (${posts}) as posted order by written_at desc limit ${sql.lit(MOST_POSTS)}) as texts
    from people as person where person.id = ${personId}`.execute(db)
  return rows[0] ?? { texts: [], email: null, allowed: [] }
}

/** How many others link to each of these domains, or to one below it, from posts below the newest questions. */
async function linkingTo(
  db: Database | Write,
  { personId, courseId }: PersonIn,
  domains: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (domains.length === 0) return new Map()
  const recent =
    courseId === null ? sql`asked.is_listed` : sql`asked.is_shown and asked.course_id = ${courseId}`
  // Each question's posts are looked up: joined in another way, all posts would be read for those below a few.
  const links = ofEveryKind(
    (table) => sql`select post.* from recent cross join lateral (
      select post.author_id, lower(post.body_html) as html from ${sql.table(table)} as post where ${questionIdOf(table)} = recent.id
        and post.is_shown and post.author_id <> ${personId} and post.body_html like '%<a href="http%' offset 0) as post`,
  )
  const { rows } = await sql<{ domain: string; count: number }>`
    with recent as materialized (
      select asked.id from questions as asked where ${recent} order by asked.written_at desc, asked.id desc
      limit ${sql.lit(MOST_QUESTIONS)}),
    linking as materialized (${links})
    select domain, (select count(distinct author_id)::integer from linking where position(domain in html) > 0
      and html ~ ('(://|[.])' || replace(domain, '.', '[.]') || '[:/?#"]')) as count
    from unnest(${[...domains]}::text[]) as domain`.execute(db)
  return new Map(rows.map(({ domain, count }) => [domain, count]))
}

/** How many others have an address at a domain, up to one more than MOST_OTHERS. Who is suspended for good doesn't count: spammers come in numbers. */
async function addressedAt(db: Database | Write, { personId, courseId }: PersonIn, domain: string) {
  const pattern = `%@${domain.replaceAll('_', '\\_')}`
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from people as person where person.email like ${pattern} and person.id <> ${personId} and person.left_at is null
        and not exists (select from measures as measure where measure.person_id = person.id and ${isSuspension} and measure.ends_at is null
          and (measure.is_everywhere or measure.course_id = ${courseId}::bigint))
      limit ${sql.lit(MOST_OTHERS + 1)}) as others`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * Blocks some of these domains in a course, or (null) the forum.
 * @returns `added`: how many entries weren't there; `ids`: theirs, and those that other acts added and haven't taken back
 */
export async function blockDomains(
  write: Write,
  courseId: number | null,
  domains: readonly SpamDomain[],
): Promise<{ readonly added: number; readonly ids: readonly number[] }> {
  const namesOf = (chosen: (one: SpamDomain) => boolean) => domains.filter(chosen).map(({ domain }) => domain)
  const links = namesOf(({ linking }) => linking !== null)
  const emails = namesOf(({ addressed }) => addressed !== null)
  const added = [
    ...(await addBlocked(write, courseId, 'links', links)),
    ...(await addBlocked(write, courseId, 'emails', emails)),
  ]
  const { rows } = await sql<{ id: number }>`
    select entry.id from blocklist_entries as entry where entry.course_id is not distinct from ${courseId}::bigint
      and (entry.list = 'links' and entry.entry = any(${links}::text[]) or entry.list = 'emails' and entry.entry = any(${emails}::text[]))
      and (entry.id = any(${added}::bigint[]) or ${isBlockedByAct(sql`entry.id`)})`.execute(write)
  return { added: added.length, ids: rows.map(({ id }) => id) }
}

/** Whether an act that isn't undone blocked an entry: spammers come in numbers, with the same domains. */
const isBlockedByAct = (id: RawBuilder<unknown>) => sql<boolean>`exists (
  select from spammer_acts as act where act.undone_at is null and ${id} = any(act.blocked_ids))`

/** Takes off entries of an act that is undone, but for those of other acts. @returns how many */
export async function unblockDomains(
  write: Write,
  courseId: number | null,
  ids: readonly string[],
): Promise<number> {
  await lockBlocklists(write, courseId)
  const { rows } = await sql<{ id: number }>`
    select id from unnest(${[...ids]}::bigint[]) as id where not ${isBlockedByAct(sql`id`)}`.execute(write)
  return removeBlocked(
    write,
    rows.map(({ id }) => id),
  )
}
