import type { LanguageFn } from 'highlight.js'
import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import cpp from 'highlight.js/lib/languages/cpp'
import csharp from 'highlight.js/lib/languages/csharp'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import dockerfile from 'highlight.js/lib/languages/dockerfile'
import go from 'highlight.js/lib/languages/go'
import graphql from 'highlight.js/lib/languages/graphql'
import groovy from 'highlight.js/lib/languages/groovy'
import http from 'highlight.js/lib/languages/http'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import kotlin from 'highlight.js/lib/languages/kotlin'
import makefile from 'highlight.js/lib/languages/makefile'
import markdown from 'highlight.js/lib/languages/markdown'
import nginx from 'highlight.js/lib/languages/nginx'
import php from 'highlight.js/lib/languages/php'
import powershell from 'highlight.js/lib/languages/powershell'
import properties from 'highlight.js/lib/languages/properties'
import python from 'highlight.js/lib/languages/python'
import r from 'highlight.js/lib/languages/r'
import ruby from 'highlight.js/lib/languages/ruby'
import rust from 'highlight.js/lib/languages/rust'
import scala from 'highlight.js/lib/languages/scala'
import scss from 'highlight.js/lib/languages/scss'
import shell from 'highlight.js/lib/languages/shell'
import sql from 'highlight.js/lib/languages/sql'
import swift from 'highlight.js/lib/languages/swift'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'

/** Languages of code blocks; each has aliases of its own (js, kt, sh, html, …). */
export const languages = {
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  dockerfile,
  go,
  graphql,
  groovy,
  http,
  ini,
  java,
  javascript,
  json,
  kotlin,
  makefile,
  markdown,
  nginx,
  php,
  powershell,
  properties,
  python,
  r,
  ruby,
  rust,
  scala,
  scss,
  shell,
  sql,
  swift,
  typescript,
  xml,
  yaml,
} as const satisfies Record<string, LanguageFn>

/** Further names that people use, with the language to highlight as. */
export const otherNames: Readonly<Record<string, string>> = {
  env: 'properties',
  gradle: 'groovy',
  mysql: 'sql',
  node: 'javascript',
  postgresql: 'sql',
  py3: 'python',
  python3: 'python',
  psql: 'sql',
  svelte: 'xml',
  vue: 'xml',
}

/** Languages that stay as they are, which people name all the same. */
export const uncoloured: ReadonlySet<string> = new Set(
  `ada asm assembly clojure cmake cobol console csv dart elixir erlang fortran fsharp haskell hcl julia latex less lisp log lua math matlab
  mermaid nim objc objectivec ocaml octave output pascal perl plain plaintext prolog racket sass scheme solidity tcl terraform tex text
  toml txt vb verilog vhdl vim zig`.split(/\s+/),
)
