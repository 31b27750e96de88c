import type { FastifyInstance } from 'fastify'
import {
  type BlocklistsShown,
  blocklistDoor,
  blocklistForm,
  forumBlocklistChange,
  keptBlocklists,
} from '../../forum/course-settings/blocklist.ts'
import { openForm } from '../../web/forms/door.ts'
import { adminPage } from './nav.ts'

const PATH = '/admin/blocklist'

export function registerForumBlocklist(app: FastifyInstance): void {
  app.get(PATH, async (request, reply) => showForumBlocklist(request, reply, await keptBlocklists(request)))
  openForm(app, PATH, forumBlocklistChange, {
    ...blocklistDoor(showForumBlocklist),
    key: () => null,
    formPage: () => PATH,
    done: () => PATH,
  })
}

export const showForumBlocklist = adminPage(
  'admin/blocklist',
  PATH,
  async (context, shown: BlocklistsShown) => ({
    ...(await blocklistForm(context, null, shown)),
    path: PATH,
    isUnused: context.config.careful === null,
  }),
)
