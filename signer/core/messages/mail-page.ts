// The page of built-in mails: tables and styles in attributes, as clients of mail need them. The colours are those of the
// dashboard. Every function takes HTML: the caller has escaped what is not its own.

const SANS = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"
const MONO = "ui-monospace,'SF Mono','Cascadia Mono',Menlo,Consolas,'Liberation Mono',monospace"

/** Colours of a light page, and of a dark one in clients that know the reader's preference. */
const COLOURS = {
  paper: { of: "background", light: "#f9fafb", dark: "#0e1116" },
  card: { of: "background", light: "#ffffff", dark: "#161a20" },
  well: { of: "background", light: "#f2f3f6", dark: "#1d2229" },
  line: { of: "border-color", light: "#e1e3e7", dark: "#2b303a" },
  ink: { of: "color", light: "#1a1f29", dark: "#ebedf1" },
  quiet: { of: "color", light: "#515865", dark: "#a8adb5" },
  accent: { of: "background", light: "#3856c8", dark: "#90aefe" },
  "on-accent": { of: "color", light: "#ffffff", dark: "#0c1326" },
} as const

type Colour = keyof typeof COLOURS

const DARK_RULES = Object.entries(COLOURS)
  .map(([name, { of, dark }]) => `.${name}{${of}:${dark}!important}`)
  .join("")

/** The style sheet of every built-in mail: pages that preview one allow this text and no other. */
export const MAIL_STYLE = `:root{color-scheme:light dark}@media (prefers-color-scheme:dark){${DARK_RULES}}`

/** Attributes of an element: its colours, by name and for clients that know no style sheet, and other styles. */
function styled(colours: readonly Colour[], style: string): string {
  const own = colours.map((name) => `${COLOURS[name].of}:${COLOURS[name].light}`)
  return `class="${colours.join(" ")}" style="${[...own, style].join(";")}"`
}

const TABLE = 'role="presentation" cellpadding="0" cellspacing="0" border="0" width="100%"'

/** A whole mail of parts, one below the other. */
export function mailPage(title: string, parts: readonly string[]): string {
  const rows = parts.map(
    (part, index) => `<tr><td style="padding-top:${index === 0 ? 0 : 16}px">${part}</td></tr>`,
  )
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">',
    `<title>${title}</title>`,
    `<style>${MAIL_STYLE}</style></head>`,
    `<body ${styled(["paper"], "margin:0;padding:0")}>`,
    `<table ${TABLE} ${styled(["paper"], "width:100%")}><tr><td align="center" style="padding:32px 16px">`,
    `<table ${TABLE} ${styled(["card", "line"], "max-width:480px;border-width:1px;border-style:solid;border-radius:8px;border-collapse:separate")}>`,
    `<tr><td align="left" style="padding:32px 28px"><table ${TABLE}>`,
    ...rows,
    "</table></td></tr></table></td></tr></table></body></html>",
  ].join("\n")
}

export function heading(html: string): string {
  return `<h1 ${styled(["ink"], `margin:0;font:600 20px/1.25 ${SANS};overflow-wrap:anywhere`)}>${html}</h1>`
}

export function paragraph(html: string, colour: "ink" | "quiet" = "ink"): string {
  const size = colour === "ink" ? 16 : 14
  return `<p ${styled([colour], `margin:0;font:400 ${size}px/1.5 ${SANS};overflow-wrap:anywhere`)}>${html}</p>`
}

/** A code that one click selects. A long one breaks. */
export function codeBlock(html: string, isLong: boolean): string {
  const font = isLong
    ? `400 14px/1.5 ${MONO};word-break:break-all`
    : `600 28px/1.25 ${MONO};letter-spacing:4px`
  const style = `padding:16px;border-radius:6px;text-align:${isLong ? "left" : "center"};font:${font};-webkit-user-select:all;user-select:all`
  return `<table ${TABLE}><tr><td ${styled(["well", "ink"], style)}><strong style="font-weight:inherit">${html}</strong></td></tr></table>`
}

export function button(href: string, html: string): string {
  const style = `display:block;padding:12px 20px;border-radius:6px;text-align:center;text-decoration:none;font:600 16px/1.25 ${SANS};overflow-wrap:anywhere`
  return `<a href="${href}" ${styled(["accent", "on-accent"], style)}>${html}</a>`
}

export function picture(src: string): string {
  return `<img src="${src}" alt="" style="display:block;max-width:100%;max-height:64px;border:0">`
}
