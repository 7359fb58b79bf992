// The documentation site. The reference of operations is the API's own page, /docs/api.
import { navigation } from "./navigation.ts"
import { slug } from "./slug.ts"

/** Vue would read these braces, which documents show as they are. */
const literal = (html) => html.replaceAll("{{", "&#123;&#123;")

export default {
  title: "Countersign",
  description: "Self-hosted wallet, policy and authentication service",
  // Written by scripts/docs-site.ts.
  srcDir: "./pages",
  outDir: "./dist",
  base: "/docs/",
  head: [["link", { rel: "icon", href: "/docs/icon.svg" }]],
  cleanUrls: true,
  lastUpdated: false,
  // The API's own pages.
  ignoreDeadLinks: [/^\/docs\/(?:api|errors|collection\.json)/],
  themeConfig: { search: { provider: "local" }, sidebar: navigation, outline: [2, 3] },
  markdown: {
    // Comments and names in the usual themes have too little contrast.
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    attrs: { disable: true },
    anchor: { slugify: slug },
    config(markdown) {
      for (const rule of ["text", "code_inline"]) {
        const write = markdown.renderer.rules[rule]
        markdown.renderer.rules[rule] = (...all) => literal(write(...all))
      }
    },
  },
}
