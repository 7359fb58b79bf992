import { html, type Html } from "../../common/pages/html.ts"
import { BASE, type GuidePage, guidePages } from "./guide-pages.ts"
import { navigation, type NavigationPage, type NavigationSection } from "./navigation.ts"
import type { Heading } from "./render.ts"

/** Addresses of the style and of the scripts. */
export type Assets = { style: string; theme: string; script: string }

/** `page`: undefined on a page that the navigation has not. */
export type Laid = { title: string; body: Html; headings: readonly Heading[]; page: GuidePage | undefined }

/** A whole page: heading, navigation, the document, its outline and the pages beside it. It can be read without a script. */
export function layOut({ title, body, headings, page }: Laid, { style, theme, script }: Assets): string {
  const name = title === "Countersign" ? title : `${title} · Countersign`
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${name}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="${BASE}/icon.svg"><link rel="stylesheet" href="${style}">
<script src="${theme}"></script><script type="module" src="${script}"></script></head><body>
<a class="skip" href="#page">Skip to the page</a>
<header><a class="brand" href="${BASE}/">Countersign</a>
<nav aria-label="Documentation"><a href="${BASE}/api">API reference</a><a href="${BASE}/errors">Errors</a></nav>
<div class="tools"></div></header>
<div class="columns">
<details class="pages" open><summary>All pages</summary><nav aria-label="Pages">${navigation.map(
    ({ text, items }) => html`<p>${text}</p><ul>${items.map((item) => entry(item, page))}</ul>`,
  )}</nav></details>
<main id="page">${body}${beside(page)}</main>
${outline(headings)}
</div></body></html>
`.html
}

function entry(item: NavigationPage | NavigationSection, current: GuidePage | undefined): Html {
  if (!("items" in item)) return html`<li>${link(item, current)}</li>`
  const isOpen = item.items.some((one) => `${BASE}${one.link}` === current?.address)
  const pages = item.items.map((one) => html`<li>${link(one, current)}</li>`)
  const summary = html`<summary>${item.text}</summary><ul>${pages}</ul>`
  return isOpen
    ? html`<li><details open>${summary}</details></li>`
    : html`<li><details>${summary}</details></li>`
}

function link({ text, link: path }: NavigationPage, current: GuidePage | undefined): Html {
  const address = `${BASE}${path}`
  return address === current?.address
    ? html`<a href="${address}" aria-current="page">${text}</a>`
    : html`<a href="${address}">${text}</a>`
}

/** The pages before and after this one. */
function beside(page: GuidePage | undefined): Html {
  const at = page === undefined ? -1 : guidePages.indexOf(page)
  if (at < 0) return html``
  const links = html`${linkTo(guidePages[at - 1], "Previous", "prev")}${linkTo(guidePages[at + 1], "Next", "next")}`
  return html`<nav class="beside" aria-label="Pages beside this one">${links}</nav>`
}

function linkTo(page: GuidePage | undefined, words: string, relation: string): Html {
  return page === undefined
    ? html`<span></span>`
    : html`<a rel="${relation}" href="${page.address}"><small>${words}</small> ${page.text}</a>`
}

function outline(headings: readonly Heading[]): Html {
  const parts = headings.filter(({ depth }) => depth === 2 || depth === 3)
  if (parts.length < 2) return html``
  const links = parts.map(
    ({ depth, title, anchor }) => html`<li class="depth-${depth}"><a href="#${anchor}">${title}</a></li>`,
  )
  return html`<nav class="outline" aria-label="On this page"><p>On this page</p><ul>${links}</ul></nav>`
}
