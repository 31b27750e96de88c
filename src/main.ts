import { runForum } from './operating/start/run-forum.ts'

await runForum()
