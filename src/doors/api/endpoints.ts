import { actEndpoints } from './acts.ts'
import { belowEndpoints } from './below.ts'
import { caseEndpoints } from './cases.ts'
import { courseEndpoints } from './courses.ts'
import type { Endpoint } from './endpoint.ts'
import { historyEndpoints } from './history.ts'
import { peopleEndpoints } from './people.ts'
import { postEndpoints } from './post-writing.ts'
import { questionEndpoints } from './questions.ts'
import { searchEndpoints } from './search.ts'
import { staffEndpoints } from './staff.ts'
import { startEndpoints } from './start.ts'
import { uploadEndpoint } from './uploads.ts'

/** All that programs can do: routes, documentation and /api/v1/openapi.json come from this list. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...startEndpoints,
  ...courseEndpoints,
  ...questionEndpoints,
  ...belowEndpoints,
  ...postEndpoints,
  ...actEndpoints,
  ...searchEndpoints,
  ...peopleEndpoints,
  ...staffEndpoints,
  ...caseEndpoints,
  ...historyEndpoints,
  uploadEndpoint,
]
