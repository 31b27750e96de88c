import { runForum } from '../operating/start/forum.ts'
import { registerDesign } from './design/design.ts'

// `npm run dev`: the forum, and the page of its components.
await runForum(registerDesign)
