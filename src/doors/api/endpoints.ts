import { z } from 'zod'
import { announcementEndpoint } from '../../forum/announcements/announcement.ts'
import { answerEndpoints } from '../../forum/answers/resource.ts'
import { caseEndpoints } from '../../forum/cases/resource.ts'
import { conversionEndpoints } from '../../forum/converting/resource.ts'
import { categoryEndpoint } from '../../forum/course-settings/settings.ts'
import { courseEndpoints } from '../../forum/courses/resource.ts'
import { closingEndpoints } from '../../forum/desk/closing.ts'
import { duplicateEndpoints } from '../../forum/desk/duplicates.ts'
import { moveEndpoint } from '../../forum/desk/moving.ts'
import { deskEndpoint } from '../../forum/desk/resource.ts'
import { faqEndpoint } from '../../forum/faq/queries.ts'
import { figuresEndpoint } from '../../forum/figures/resource.ts'
import { historyEndpoints } from '../../forum/history/resource.ts'
import { lectureEndpoint } from '../../forum/lectures/commands.ts'
import { markEndpoints } from '../../forum/marks/marks.ts'
import { memberEndpoint } from '../../forum/members/queries.ts'
import { questionEndpoints } from '../../forum/reading/resource.ts'
import { replyEndpoints } from '../../forum/replies/resource.ts'
import { tagEndpoint } from '../../forum/tags/queries.ts'
import { API, absolute, type Endpoint, oneOf, reading } from '../../web/json/endpoint.ts'
import { resource, url } from '../../web/json/resource.ts'
import { eventsEndpoint } from './events.ts'
import { exportEndpoint } from './export.ts'
import { including } from './include.ts'
import { peopleEndpoints } from './people.ts'
import { searchEndpoints } from './search.ts'
import { uploadEndpoint } from './uploads.ts'

/** Addresses of the collections; those with braces are URI templates (RFC 6570). */
const startSchema = resource('Start', {
  courses: url,
  search: z.string(),
  similar: z.string(),
  me: url,
  notifications: url,
  events: z.string(),
  openapi: url,
  documentation: url,
})

const startEndpoint = reading(
  '/',
  oneOf(startSchema),
  { name: 'start', tag: 'start', isShared: false },
  async ({ request }) => {
    const at = (path: string) => absolute(request, `${API}${path}`)
    const courses = at('/courses')
    const me = at('/me')
    const notifications = at('/me/notifications')
    const openapi = at('/openapi.json')
    const documentation = absolute(request, '/api')
    return {
      ...{ courses, me, notifications, openapi, documentation },
      search: `${at('/search')}{?q,limit}`,
      similar: `${at('/questions/similar')}{?title,course}`,
      events: `${at('/events')}{?after,course,limit}`,
      links: {
        self: API,
        courses,
        me,
        notifications,
        events: at('/events'),
        describedby: openapi,
        help: documentation,
      },
    }
  },
)

const withInclude = (kind: 'question' | 'answer', endpoint: Endpoint) =>
  endpoint.method === 'GET' ? including(kind, endpoint) : endpoint

/** All that programs can do: routes, documentation and /api/v1/openapi.json come from this list. */
export const ENDPOINTS: readonly Endpoint[] = [
  startEndpoint,
  ...courseEndpoints,
  lectureEndpoint,
  categoryEndpoint,
  tagEndpoint,
  announcementEndpoint,
  faqEndpoint,
  ...questionEndpoints.map((one) => withInclude('question', one)),
  ...answerEndpoints.map((one) => withInclude('answer', one)),
  ...replyEndpoints,
  ...markEndpoints,
  ...duplicateEndpoints,
  ...closingEndpoints,
  moveEndpoint,
  ...conversionEndpoints,
  ...searchEndpoints,
  ...peopleEndpoints,
  deskEndpoint,
  memberEndpoint,
  figuresEndpoint,
  exportEndpoint,
  ...caseEndpoints,
  ...historyEndpoints,
  uploadEndpoint,
  eventsEndpoint,
]
