import { createHash } from "node:crypto"
import type { Context } from "../context.ts"
import { html, type Html } from "./html.ts"
import { STYLE } from "./style.ts"

/** A page of this service: it needs no script, and asks no other host for anything. */
export type HtmlPage = { title: string; host: "API" | "Auth proxy"; body: Html }

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64")

/** Nothing may load but the page's own style. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${STYLE_HASH}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

export function sendPage(context: Context, page: HtmlPage, status = 200): void {
  context.status = status
  context.set("Content-Security-Policy", POLICY)
  context.set("X-Content-Type-Options", "nosniff")
  context.set("Referrer-Policy", "no-referrer")
  context.type = "text/html; charset=utf-8"
  context.body = write(page)
}

function write({ title, host, body }: HtmlPage): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title} · Countersign</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>${{ html: STYLE }}</style></head><body>
<header><a class="brand" href="/docs">Countersign</a><span class="host">${host}</span>
<nav aria-label="Documentation"><a href="/docs/api">Reference</a><a href="/docs/errors">Errors</a><a href="/openapi.json">openapi.json</a><a href="/docs/collection.json">Collection</a></nav></header>
<main>${body}</main></body></html>
`.html
}
