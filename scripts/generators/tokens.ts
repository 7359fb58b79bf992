/** services/common/pages/tokens.ts: the visual language of the dashboard, for pages of processes that have no dashboard. */
export function tokensModule(css: string): string {
  const text = css
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\s+/g, " ")
    .trim()
  return `// Generated from services/dashboard/styles/tokens.css by \`npm run generate\`: not edited by hand.

/** Custom properties of the visual language. */
export const TOKENS_CSS = ${JSON.stringify(text)}
`
}
