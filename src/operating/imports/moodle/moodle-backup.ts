import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { SourceFile, SourceFiles } from '../source-files.ts'
import { elementsOf, type XmlElement } from '../xml-elements.ts'

/** A forum of a course. Numbers of its discussions and posts are those of all forums of its kind. */
export interface Activity {
  readonly kind: 'forum' | 'moodleoverflow'
  readonly file: SourceFile
  readonly isHidden: boolean
}

/** What a backup says of itself. */
export interface Backup {
  /** Address of the site, without `/` at its end. */
  readonly site: string
  readonly courseId: string
  /** Names and addresses in it are made up. */
  readonly isAnonymized: boolean
  readonly activities: readonly Activity[]
  /** Accounts that are there. */
  readonly people: ReadonlySet<string>
  readonly staff: ReadonlyMap<string, 'assistant' | 'instructor'>
  fileNamed(name: string): SourceFile | null
}

const INDEX = /^((?:[^/]+\/)?)moodle_backup\.xml$/

export const isBackup = ({ find }: SourceFiles): boolean => find(INDEX) !== null

/** @throws ExchangeError when it is none */
export async function openBackup(files: SourceFiles): Promise<Backup> {
  const index = files.find(INDEX)
  if (index === null)
    throw new ExchangeError(`${files.title} has no moodle_backup.xml, which every backup has`)
  const [, folder = ''] = INDEX.exec(index.name) ?? []
  const byName = new Map(files.all.map((file) => [file.name, file]))
  const fileNamed = (name: string) => byName.get(`${folder}${name}`) ?? null
  let [site, courseId, isAnonymized] = ['', '', false]
  for await (const element of elementsOf(index, 'moodle_backup', new Set(['information', 'setting']))) {
    if (element.name === 'setting')
      isAnonymized ||= element.text('name') === 'anonymize' && element.text('value') === '1'
    else {
      site = (element.text('original_wwwroot') ?? '').replace(/\/+$/, '')
      courseId = element.text('original_course_id') ?? ''
    }
  }
  const people = new Set<string>()
  for await (const user of usersOf(fileNamed)) {
    if (user.number('deleted') !== 1) people.add(user.id)
    isAnonymized ||= /^anonuser\d+$/.test(user.text('username') ?? '')
  }
  const staff = await staffOf(fileNamed)
  const activities = await activitiesOf(files, folder, fileNamed)
  return { site, courseId, isAnonymized, activities, people, staff, fileNamed }
}

type Named = Backup['fileNamed']

/** Each user of a backup. */
export async function* usersOf(fileNamed: Named): AsyncGenerator<XmlElement> {
  const file = fileNamed('users.xml')
  if (file !== null) yield* elementsOf(file, 'users', new Set(['user']))
}

/** By numbers in their folders' names: as they came into the course. */
async function activitiesOf(files: SourceFiles, folder: string, fileNamed: Named): Promise<Activity[]> {
  const found: (Activity & { readonly number: number })[] = []
  for (const file of files.all) {
    if (!file.name.startsWith(folder)) continue
    const [, kind, number] =
      /^activities\/(forum|moodleoverflow)_(\d{1,15})\/\1\.xml$/.exec(file.name.slice(folder.length)) ?? []
    if (kind !== 'forum' && kind !== 'moodleoverflow') continue
    const module = fileNamed(`activities/${kind}_${number}/module.xml`)
    found.push({ kind, file, isHidden: module !== null && (await isHidden(module)), number: Number(number) })
  }
  return found.sort((one, other) => one.number - other.number)
}

/** From learners, or from all but those who meet a condition. */
async function isHidden(module: SourceFile): Promise<boolean> {
  for await (const element of elementsOf(module, 'module', new Set(['module']))) {
    const conditions = element.text('availability') ?? ''
    return element.number('visible') === 0 || /"c":\s*\[\s*[^\]\s]/.test(conditions)
  }
  return false
}

const ARCHETYPES: ReadonlyMap<string, 'assistant' | 'instructor'> = new Map(
  Object.entries({
    ...{
      teacher: 'assistant',
      editingteacher: 'instructor',
      manager: 'instructor',
      coursecreator: 'instructor',
    },
  } as const),
)

/** Who taught the course, by the roles that people have in it. */
async function staffOf(fileNamed: Named): Promise<Map<string, 'assistant' | 'instructor'>> {
  const staff = new Map<string, 'assistant' | 'instructor'>()
  const [definitions, assignments] = ['roles', 'course/roles'].map((name) => fileNamed(`${name}.xml`))
  if (definitions == null || assignments == null) return staff
  const roles = new Map<string, 'assistant' | 'instructor'>()
  for await (const role of elementsOf(definitions, null, new Set(['role']))) {
    const known = ARCHETYPES.get(role.text('archetype') || (role.text('shortname') ?? ''))
    if (known !== undefined) roles.set(role.id, known)
  }
  for await (const assignment of elementsOf(assignments, null, new Set(['assignment']))) {
    const role = roles.get(assignment.text('roleid') ?? '')
    const user = assignment.text('userid')
    if (role !== undefined && user !== null && staff.get(user) !== 'instructor') staff.set(user, role)
  }
  return staff
}
