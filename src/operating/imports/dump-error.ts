/** A dump that cannot be read: `message` is one line naming the file and, where there is one, the line. */
export class DumpError extends Error {}
