// Operators' scripts name this path; the commands moved to src/tools/cli, and it goes with the next release. Found at run
// time, since nothing here imports what is above.
await import(new URL('../../tools/cli/main.ts', import.meta.url).href)
