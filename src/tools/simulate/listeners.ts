import { sql } from 'kysely'
import type { Database, Reason, Rhythm } from '../../database/schema.ts'
import type { Random } from '../generate/random.ts'
import type { World } from './world.ts'

/** How somebody wants to be told. */
export interface Listener {
  readonly id: number
  rhythm: Rhythm
  /** Of their time zone, which has no summer time. */
  readonly offsetHours: number
  /** What no mail shall tell of. */
  readonly off: ReadonlySet<Reason>
}

/** People, and who of them follows what, as they chose before the course began. */
export interface Listeners {
  readonly people: ReadonlyMap<number, Listener>
  readonly staffIds: readonly number[]
  readonly courseFollowers: readonly number[]
  readonly lectureFollowers: ReadonlyMap<number, readonly number[]>
}

/** Assumed shares. */
const RHYTHMS = { never: 0.1, weekly: 0.15, daily: 0.3 } as const
const SEOUL = { share: 0.3, zone: 'Asia/Seoul', offsetHours: 9 } as const
const OFF = {
  share: 0.15,
  kinds: [['answered'], ['followed'], ['question'], ['accepted', 'endorsed']],
} as const
const FOLLOWERS = { share: 0.002, least: 3 } as const

/** Has people choose how they want to be told, and writes it down beside the forum. */
export async function appointListeners(db: Database, world: World, random: Random): Promise<Listeners> {
  const everybody = [...world.staffIds, ...world.learnerIds].map((id) => aListener(id, random))
  await sql`
    update people set mail_rhythm = chosen.rhythm, time_zone = chosen.zone,
      mails_off = case chosen.off when '' then '{}' else string_to_array(chosen.off, ',') end
    from unnest(${everybody.map(({ id }) => id)}::bigint[], ${everybody.map(({ rhythm }) => rhythm)}::text[],
      ${everybody.map(({ offsetHours }) => (offsetHours === 0 ? 'UTC' : SEOUL.zone))}::text[],
      ${everybody.map(({ off }) => [...off].join(','))}::text[]) as chosen (id, rhythm, zone, off)
    where people.id = chosen.id`.execute(db)
  const some = () => {
    const count = Math.max(FOLLOWERS.least, Math.round(world.learnerIds.length * FOLLOWERS.share))
    return [...new Set(Array.from({ length: count }, () => random.pick(world.learnerIds)))]
  }
  const courseFollowers = some()
  await sql`
    insert into course_follows (course_id, person_id, is_followed)
    select ${world.courseId}, id, true from unnest(${courseFollowers}::bigint[]) as id`.execute(db)
  const lectureFollowers = new Map<number, number[]>()
  for (const lectureId of world.lectureIds) {
    lectureFollowers.set(lectureId, some())
    await sql`
      insert into lecture_follows (lecture_id, person_id)
      select ${lectureId}, id from unnest(${lectureFollowers.get(lectureId)}::bigint[]) as id`.execute(db)
  }
  const people = new Map(everybody.map((listener) => [listener.id, listener]))
  return { people, staffIds: world.staffIds, courseFollowers, lectureFollowers }
}

function aListener(id: number, random: Random): Listener {
  return {
    id,
    rhythm: aRhythm(random.next()),
    offsetHours: random.chance(SEOUL.share) ? SEOUL.offsetHours : 0,
    off: new Set<Reason>(random.chance(OFF.share) ? random.pick<readonly Reason[]>(OFF.kinds) : []),
  }
}

function aRhythm(share: number): Rhythm {
  if (share < RHYTHMS.never) return 'never'
  if (share < RHYTHMS.never + RHYTHMS.weekly) return 'weekly'
  return share < RHYTHMS.never + RHYTHMS.weekly + RHYTHMS.daily ? 'daily' : 'soon'
}
