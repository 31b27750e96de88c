import { registerHooks } from 'node:module'

/**
 * openapi-typescript 7 builds types with the compiler API of TypeScript 5, which TypeScript 7 has no more. Installed beside ours it would
 * replace the command `tsc`, so it gets the one inside of @ts-morph/common.
 */
const OF_GENERATOR = '@ts-morph/common/dist/typescript.js'

registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'typescript' ? OF_GENERATOR : specifier, context),
})
