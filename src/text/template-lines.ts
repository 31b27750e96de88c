/** Code of a template, a tag, or a line break with an indent. */
const PARTS =
  /(<%[\s\S]*?%>)(?:\n[ \t]+)?|(<\/?[a-z](?:<%[\s\S]*?%>|"(?:<%[\s\S]*?%>|[^"])*"|[^"<>])*>)|\n[ \t]+/gi

/** A plugin of Eta: templates are broken into lines and indented, pages aren't (src/tools/format-views). */
export const WITHOUT_INDENT = {
  processTemplate: (template: string) =>
    template.replaceAll(PARTS, (_, code?: string, tag?: string) =>
      tag === undefined
        ? (code ?? ' ')
        : tag.replaceAll(/\n[ \t]*(?=<%|>)/g, '').replaceAll(/\n[ \t]+/g, ' '),
    ),
}
