import { createHash } from 'node:crypto'

const escaped = (text: string) => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)

type Fields = Readonly<Record<string, string | number>>

/** An element of a backup: its id, texts of elements in it, and what else is in it. */
export const element = (
  name: string,
  id: number,
  fields: Fields = {},
  ...inside: readonly string[]
): string =>
  [
    `<${name} id="${id}">`,
    ...Object.entries(fields).map(([key, value]) => `<${key}>${escaped(String(value))}</${key}>`),
    ...inside,
    `</${name}>`,
  ].join('')

export const CREATED = 1_769_907_600

export const aPost = (
  id: number,
  parent: number,
  fields: Fields = {},
  ...ratings: readonly string[]
): string =>
  element(
    'post',
    id,
    {
      ...{ parent, userid: 7, created: CREATED + id, modified: CREATED + id, message: `<p>Text ${id}</p>` },
      ...{ messageformat: 1, ...fields },
    },
    `<ratings>${ratings.join('')}</ratings>`,
  )

export const aDiscussion = (id: number, fields: Fields, posts: readonly string[]): string =>
  element(
    'discussion',
    id,
    { name: `Discussion ${id}`, firstpost: id, userid: 7, groupid: -1, timestart: 0, timeend: 0, ...fields },
    `<posts>${posts.join('')}</posts><discussion_subs></discussion_subs>`,
  )

/** The file of an activity. */
export const anActivity = (
  kind: 'forum' | 'moodleoverflow',
  fields: Fields,
  discussions: readonly string[],
  more = '',
): string =>
  `<?xml version="1.0" encoding="UTF-8"?><activity id="1" moduleid="9" modulename="${kind}" contextid="20">${element(
    ...([kind, 1, { type: 'general', name: 'Q&A', ...fields }] as const),
    `<discussions>${discussions.join('')}</discussions>${more}`,
  )}</activity>`

const USERS = [
  { id: 7, username: 'mina', firstname: 'Mina', lastname: 'Ha', email: 'mina@example.org' },
  { id: 2, username: 'kim', firstname: '철수', lastname: '김', email: 'kim@example.org' },
  { id: 8, username: 'zyxcanary', firstname: 'Zyxcanary', lastname: 'X', email: 'zyxcanary@example.org' },
  { id: 9, username: 'silent', firstname: 'Silent', lastname: 'Y', email: 'silent@example.org' },
]

/** The files of a backup with these activities, by their folders: `forum_9`. */
export function aBackup(
  activities: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string | Buffer>> = {},
): Record<string, string | Buffer> {
  const users = USERS.map(({ id, ...fields }) => element('user', id, { ...fields, deleted: 0 })).join('')
  return {
    'moodle_backup.xml': `<moodle_backup><information><name>a.mbz</name>
      <original_wwwroot>https://moodle.example</original_wwwroot><original_course_id>4</original_course_id>
      <contents><activities><activity><moduleid>9</moduleid></activity></activities></contents>
      <settings><setting><level>root</level><name>anonymize</name><value>0</value></setting></settings>
      </information></moodle_backup>`,
    'users.xml': `<users>${users}</users>`,
    'roles.xml': `<roles_definition>${element('role', 3, { shortname: 'prof', archetype: 'editingteacher' })}</roles_definition>`,
    'course/roles.xml': `<roles><role_assignments>${element('assignment', 1, { roleid: 3, userid: 2 })}</role_assignments></roles>`,
    ...Object.fromEntries(
      Object.entries(activities).map(([folder, xml]) => [
        `activities/${folder}/${folder.replace(/_\d+$/, '')}.xml`,
        xml,
      ]),
    ),
    ...files,
  }
}

/** A file of a post, in `files.xml`, and the path of its content. */
export function aFile(
  itemid: number,
  filename: string,
  content: Buffer,
  fields: Fields = {},
): { xml: string; path: string } {
  const contenthash = createHash('sha1').update(content).digest('hex')
  const xml = element('file', itemid, {
    ...{
      contenthash,
      contextid: 20,
      component: 'mod_forum',
      filearea: 'post',
      itemid,
      filepath: '/',
      filename,
    },
    ...{ userid: 7, filesize: content.length, mimetype: 'image/png', ...fields },
  })
  return { xml, path: `files/${contenthash.slice(0, 2)}/${contenthash}` }
}
