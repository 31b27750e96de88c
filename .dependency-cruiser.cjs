// The layers of src/, from bottom to top, and the rooms within them (README.md). Run by `npm run lint`.
const LAYERS = [
  ['text'],
  ['messages', 'secrets'],
  ['config.ts', 'database'],
  ['kernel'],
  ['jobs', 'mail'],
  ['web'],
  ['accounts'],
  ['forum'],
  ['tables.ts'],
  ['operating'],
  ['doors'],
  ['rooms.ts'],
  ['app.ts'],
]
/** Builds whole forums, for tests and for tools. */
const ABOVE = ['main.ts', 'testing', 'tools']
/** Joins the parts of the application, and so belongs to operating, which starts it. */
const STARTS_THE_APP = '^src/operating/start/'

/** Sub-folders that are made of the files of their room; in all others it is the other way. */
const WEB_ABOVE = '^src/web/(forms|json|page-cache)/'

const pathOf = (name) => `^src/${name.includes('.') ? `${name.replace('.', '\\.')}$` : `${name}/`}`
const pathsOf = (names) => names.map(pathOf).join('|')

const upward = LAYERS.map((names, index) => ({
  name: `${names[0]}-knows-nothing-above`,
  comment: 'A file imports from its own room or from a layer below; rooms.ts and app.ts hand in what comes from above.',
  severity: 'error',
  from: { path: pathsOf(names), ...(names[0] === 'operating' && { pathNot: STARTS_THE_APP }) },
  to: { path: pathsOf([...LAYERS.slice(index + 1).flat(), ...ABOVE]) },
}))

module.exports = {
  forbidden: [
    ...upward,
    {
      name: 'no-circle-of-files',
      comment: 'Types may refer to each other.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-circle-of-rooms',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/[^/]+/[^/]+$' },
      to: { circular: true },
    },
    {
      name: 'parts-know-nothing-of-their-room',
      comment: 'The files of a room and those of its sub-folders import each other one way: here from the room to its parts.',
      severity: 'error',
      from: { path: '^src/(accounts|kernel|text|web)/[^/]+/', pathNot: WEB_ABOVE },
      to: { path: '^src/$1/[^/]+\\.ts$' },
    },
    {
      name: 'web-knows-nothing-of-what-stands-on-it',
      comment: 'These three are made of the files of the room.',
      severity: 'error',
      from: { path: '^src/web/[^/]+\\.ts$' },
      to: { path: WEB_ABOVE },
    },
    {
      name: 'routes-are-imported-by-nobody',
      comment: 'A feature uses the queries and commands of another one, never its routes.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/rooms\\.ts$|^src/accounts/routes\\.ts$' },
      to: { path: 'routes\\.ts$' },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    includeOnly: '^src/',
    exclude: { path: '(\\.test|-testing|/testing)\\.ts$' },
  },
}
